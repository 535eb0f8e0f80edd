"""Searches the documents with the query of this round.

Follows route and rewrite; calls the very tool that an agent would bind. A storage error is not caught: it is never "nothing found".
"""

from dataclasses import replace
from datetime import datetime

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from nodes.context import Clock, filters, knobs
from nodes.knobs import Knobs
from nodes.periods import is_vague, without_time
from nodes.records import Period, TrailEvent
from nodes.searching import degraded, found, searched, spent
from nodes.state import RagState, RagUpdate
from retrievers.types import Filters, SearchResult

VAGUE = 0.02
"""What a question such as "What was decided last week?" may fall short of the threshold by, within the period: it has no subject that
another text could be foreign to, and the period is told by the filter. Its few words score .87 to .89 on the very minutes."""


async def retrieve(state: RagState, runtime: Runtime[Knobs], *, tool: BaseTool) -> RagUpdate:
    """`tool` is search_documents; its artifact is a SearchResult. Raises StorageError, InvalidArgument, ProviderError.

    The time that the question names is a filter unless the caller set one. Where nothing in that time reaches the threshold, documents of
    any time are searched: the words may have meant something else.
    """
    clock, own = Clock("retrieve"), filters(knobs(runtime))
    period = None if own.since or own.until else state.period
    results, events = [], []
    if period is not None:
        within, timeless = _within(own, period), replace(state, query=without_time(state.query, period))
        results.append(_eased(await searched(timeless, runtime, tool, within), state, period))
        events.append(_event(clock, timeless, results[0], within, f" in documents of {period['said']!r}"))
    if period is None or not _promises(results[0]):
        results.append(await searched(state, runtime, tool, own))
        where = f", of any time: nothing of {period['said']!r} reaches the threshold" if period else ""
        events.append(_event(clock, state, results[-1], own, where))
    return {
        "found": [found(state, results[-1])],
        "degraded": degraded("retrieve", results[-1]),
        "usage": spent(results),
        "trail": events,
    }


def _within(own: Filters, period: Period) -> Filters:
    since, until = (datetime.fromisoformat(moment) if moment else None for moment in (period["since"], period["until"]))
    return replace(own, since=since, until=until)


def _eased(result: SearchResult, state: RagState, period: Period) -> SearchResult:
    vague = state.query == state.standalone and is_vague(state.query, period)
    return {**result, "no_answer": result["no_answer"] - VAGUE} if vague else result


def _promises(result: SearchResult) -> bool:
    """Whether a passage may be an answer, by its own score or by that with an imagined passage."""
    scores = [score for passage in result["passages"] for score in (passage["absolute"], passage.get("hypothetical")) if score is not None]
    return max(scores, default=float("-inf")) >= result["no_answer"]


def _event(clock: Clock, state: RagState, result: SearchResult, within: Filters, where: str) -> TrailEvent:
    return clock.event(
        "search",
        f"{len(result['passages'])} passages of {result['chunk_count']}",
        f"searched {state.query!r}{where}",
        query=state.query,
        timings_ms={**result["timings_ms"]},
        since=within.since.isoformat() if within.since else None,
        until=within.until.isoformat() if within.until else None,
        imagined=len(state.hypothetical),
    )
