"""Writes the next search query when the last one found nothing that helps, or not enough: from what is missing.

Follows grade and sufficiency, leads back to retrieve. The user's question stays what it is; a query that was tried is never tried again.
"""

import unicodedata
from collections.abc import Sequence

from langchain_core.messages import BaseMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel

from nodes.context import Clock, knobs, now
from nodes.knobs import Knobs
from nodes.prompting import moment, prompt
from nodes.rewording import by_corpus
from nodes.state import RagState, RagUpdate
from nodes.structured import Consulted, Decider, consult
from retrievers.text.language import language_of
from retrievers.types import CorpusHints, PassageSearch

MAX_QUERY_CHARS = 500
"""A query, not an essay."""


class Rewrite(BaseModel):
    """What the model replies; an empty query means that it has nothing new."""

    query: str


async def rewrite(state: RagState, runtime: Runtime[Knobs], *, search: PassageSearch, chat: Decider | None) -> RagUpdate:
    """One more query and one more rewrite counted, or `rewrite_ended`. Raises StorageError."""
    clock = Clock("rewrite")
    hints = await search.hints(state.standalone, collection=knobs(runtime).collection)
    consulted: Consulted[Rewrite] = Consulted()
    if chat is not None:
        consulted = await consult(chat, _prompt(state, hints, runtime), Rewrite, state, clock, instead="the corpus decides")
    # A model's empty query stays a candidate, one that is never new: the model said that it has nothing to try.
    candidates = [_bounded(consulted.value.query)] if consulted.value else by_corpus(state.standalone, hints, _missing(state))
    query = next((candidate for candidate in candidates if _is_new(candidate, state.tried)), None)
    update: RagUpdate = {"hypothetical": [], "rewrites": state.rewrites + 1, "degraded": consulted.degraded, "usage": consulted.usage}
    if query is None:
        reason = "every rewrite would repeat a query that was tried" if candidates else _why_none(state)
        event = clock.event("limit", "ended", reason, tried=[*state.tried])
        return {**update, "rewrite_ended": True, "trail": [*consulted.events, event]}
    event = clock.event("model" if consulted.value else "decision", query, _reason(state, hints), rewrite=state.rewrites + 1)
    return {**update, "query": query, "trail": [*consulted.events, event]}


def _prompt(state: RagState, hints: CorpusHints, runtime: Runtime[Knobs]) -> list[BaseMessage]:
    return prompt(
        "rewrite",
        language=language_of(state.standalone),
        now=moment(now(runtime)),
        question=state.standalone,
        missing=_listed([_missing(state) or "everything: no passage helped"]),
        tried=_listed(state.tried),
        words=_listed([f"{entry['word']}: {entry['df']}" for entry in hints["words"]]),
        headings=_listed(hints["headings"]),
    )


def _listed(entries: Sequence[str]) -> str:
    return "\n".join(f"- {entry}" for entry in entries) or "(none)"


def _bounded(query: str) -> str:
    return " ".join(query.split())[:MAX_QUERY_CHARS]


def _missing(state: RagState) -> str:
    """What the last verdict says is missing; empty where it says nothing."""
    return state.sufficiency["missing"] if state.sufficiency and not state.sufficiency["sufficient"] else ""


def _why_none(state: RagState) -> str:
    missing = _missing(state)
    return f"the documents do not hold: {missing}" if missing else "the documents lack too many words of the question"


def _reason(state: RagState, hints: CorpusHints) -> str:
    if missing := _missing(state):
        return f"missing so far: {missing}"
    unknown = [entry["word"] for entry in hints["words"] if entry["df"] == 0]
    return f"not in the documents: {', '.join(unknown[:5])}" if unknown else "other words for the same question"


def _is_new(query: str, tried: Sequence[str]) -> bool:
    """Whether the query, white space and case aside, was not tried; an empty one never is."""
    return bool(query.strip()) and _folded(query) not in {_folded(other) for other in tried}


def _folded(query: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", query).casefold().split()).rstrip("?.!。 ")
