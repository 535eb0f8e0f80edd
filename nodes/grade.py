"""Gives each passage its verdict; only the relevant ones can reach the answer.

Follows fuse and web_search. The calibrated threshold comes first, with or without a model: no document's passage under it
reaches a prompt. Above it a chat model judges all passages in one call; without one the threshold is the verdict.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from langgraph.runtime import Runtime

from nodes.context import Clock, now
from nodes.dates import dated_first
from nodes.judging import Verdicts, by_passage, questions, sufficiency_of
from nodes.knobs import Knobs
from nodes.prompting import CONTEXT_TOKENS, moment, within_budget
from nodes.records import Grade, Rejected, Sufficiency, WebOutcome
from nodes.rewording import OWN_WORDS, own_words
from nodes.state import RagState, RagUpdate
from nodes.structured import Consulted, Decider, consult
from nodes.wording import told_apart
from retrievers.passages import told_path
from retrievers.relevance import falls_short
from retrievers.types import Json, Passage

_POLICY = "the threshold alone decides"

REJECTED = 5
"""Rejected passages that are shown: the near misses, not the whole page."""


@dataclass(frozen=True)
class _Judged:
    """What the model said in this round, by passage id, and of what is kept so far together; None where it said nothing of that."""

    consulted: Consulted[Verdicts] = field(default_factory=Consulted)
    verdicts: dict[str, Grade] = field(default_factory=dict)
    sufficiency: Sufficiency | None = None


async def grade(state: RagState, runtime: Runtime[Knobs], *, chat: Decider | None) -> RagUpdate:
    """A verdict for each passage, in the order of the passages. No passages have no verdicts, and nothing more is kept.

    A passage that was judged in an earlier round of the turn has that verdict again, and nobody is asked about it.
    """
    clock = Clock("grade")
    judged = await _judged(state, runtime, chat, clock)
    known = {verdict["id"]: verdict for verdict in state.judged} | judged.verdicts
    grades = [known.get(passage["id"]) or _by_threshold(passage, state) for passage in state.passages]
    kept = [passage for passage, verdict in zip(state.passages, grades, strict=True) if verdict["relevant"]]
    before = {passage["id"] for passage in state.kept}
    decision = f"{len(kept)} of {len(grades)} kept" if grades else "nothing to judge"
    event = clock.event("decision", decision, _summary(grades, state.passages), grades=[_plain(verdict) for verdict in grades])
    return {
        "grades": grades,
        "judged": [*state.judged, *judged.verdicts.values()],
        "kept": dated_first(state.question or "", [*state.kept, *(passage for passage in kept if passage["id"] not in before)]),
        "sufficiency": judged.sufficiency,
        "rejected": _rejected(state, grades),
        "closest": state.closest or _closest(state, kept),
        "web_outcome": _web_outcome(state, kept),
        "trail": [*judged.consulted.events, event],
        "degraded": judged.consulted.degraded,
        "usage": judged.consulted.usage,
    }


async def _judged(state: RagState, runtime: Runtime[Knobs], chat: Decider | None, clock: Clock) -> _Judged:
    """One call about the passages that are new; with none of them, what was said of sufficiency before still holds."""
    decided = {verdict["id"] for verdict in state.judged} | {passage["id"] for passage in state.kept}
    new = [passage for passage in state.passages if passage["id"] not in decided and _may_be_asked_about(passage, state)]
    if chat is None or not new:
        return _Judged(sufficiency=state.sufficiency if chat and state.judged else None)
    asked = within_budget(new)
    before = within_budget(state.kept, CONTEXT_TOKENS - sum(passage["token_count"] for passage in asked)) if state.kept else []
    messages = questions(state.standalone, asked, before, moment(now(runtime)))
    consulted = await consult(chat, messages, Verdicts, state, clock, instead=_POLICY, bare="verdicts")
    verdicts = by_passage(consulted.value, asked)
    kept = [*state.kept, *(passage for passage in asked if verdicts.get(passage["id"], {"relevant": False})["relevant"])]
    consulted = _with_gaps(consulted, len(asked) - len(verdicts), clock)
    return _Judged(consulted, verdicts, sufficiency_of(consulted.value, kept))


def _by_threshold(passage: Passage, state: RagState) -> Grade:
    """The policy without a model. A passage that has no score is not relevant: nobody judged it."""
    if any(passage["id"] == kept["id"] for kept in state.kept):
        return {"id": passage["id"], "relevant": True, "reason": "was kept in an earlier round"}
    score, threshold = passage["absolute"], state.no_answer
    relevant, reason = False, "has no score that the threshold could judge"
    if score is not None and threshold is not None:
        score = max(score, passage.get("lifted", score))
        relevant = score >= threshold
        shown, limit = told_apart(score, threshold)
        reason = f"score {shown} {'reaches' if relevant else 'is below'} the threshold {limit}"
        if path := told_path(passage.get("path", ())):
            reason += f"; it {path}"
    # On top of the calibrated threshold: a score that nobody calibrated can make answers rarer, never more frequent.
    if relevant and (below := falls_short(passage.get("reranked"))):
        relevant, reason = False, below
    if relevant and state.rewrites and passage["origin"] != "web" and own_words(state.standalone, state.query, passage) < OWN_WORDS:
        relevant, reason = False, "found by a rewritten query only, and holds too few of the question's own words"
    return {"id": passage["id"], "relevant": relevant, "reason": reason}


def _may_be_asked_about(passage: Passage, state: RagState) -> bool:
    """The threshold holds with a model too. A web page has no calibrated score, so the model judges it; so it does what an imagined
    passage found, where the score with that reaches the threshold: the model's yes is needed, its own score is not enough. What the
    knowledge graph led to has its score with what the graph adds.
    """
    if passage["origin"] == "web":
        return True
    scores = [score for score in (passage["absolute"], passage.get("hypothetical"), passage.get("lifted")) if score is not None]
    passes = state.no_answer is not None and any(score >= state.no_answer for score in scores)
    return passes and not falls_short(passage.get("reranked"))


def _with_gaps(consulted: Consulted[Verdicts], missing: int, clock: Clock) -> Consulted[Verdicts]:
    """With an event and an entry of `degraded` for passages that the model's reply leaves out."""
    if consulted.value is None or not missing:
        return consulted
    event, degraded = clock.unreadable(f"has no verdict for {missing} passages", _POLICY, consulted.text)
    return replace(consulted, events=[*consulted.events, event], degraded=[*consulted.degraded, degraded])


def _plain(verdict: Grade) -> Json:
    return {"id": verdict["id"], "relevant": verdict["relevant"], "reason": verdict["reason"]}


def _summary(grades: Sequence[Grade], passages: Sequence[Passage]) -> str:
    """The first three, each with its document."""
    told = (f"{passage['document']}: {verdict['reason']}" for verdict, passage in zip(grades[:3], passages, strict=False))
    return "; ".join(dict.fromkeys(told)) or "there are no passages"


def _rejected(state: RagState, grades: Sequence[Grade]) -> list[Rejected]:
    """Those of earlier rounds, whose scores are the user's own question's, then the new ones, best first."""
    kept = {verdict["id"] for verdict in grades if verdict["relevant"]}
    new: list[Rejected] = [
        {"id": passage["id"], "document": passage["document"], "score": _rounded(passage["absolute"]), "why": verdict["reason"]}
        for passage, verdict in zip(state.passages, grades, strict=True)
        if not verdict["relevant"]
    ]
    known = {entry["id"] for entry in state.rejected}
    best_first = sorted((entry for entry in new if entry["id"] not in known), key=lambda entry: -(entry["score"] or float("-inf")))
    return [entry for entry in (*state.rejected, *best_first) if entry["id"] not in kept][:REJECTED]


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 4)


def _closest(state: RagState, kept: Sequence[Passage]) -> Passage | None:
    """Of the first round only: later scores belong to rewritten queries."""
    scored = [passage for passage in state.passages if passage["absolute"] is not None and passage["origin"] != "web"]
    return max(scored, key=lambda passage: passage["score"]) if scored and not kept and not state.rewrites else None


def _web_outcome(state: RagState, kept: Sequence[Passage]) -> WebOutcome | None:
    """Pages came, and none was any good."""
    return "nothing_relevant" if state.web_tries and state.passages and not kept else state.web_outcome
