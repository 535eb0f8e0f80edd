"""Gives each passage its verdict; only the relevant ones can reach the answer.

Follows retrieve and web_search. The calibrated threshold comes first, with or without a model: no document's passage under it
reaches a prompt. Above it a chat model judges all passages in one call; without one the threshold is the verdict.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from langgraph.runtime import Runtime
from pydantic import BaseModel, BeforeValidator, Field, ValidationError, model_validator

from nodes.context import Clock, now
from nodes.knobs import Knobs
from nodes.prompting import fenced, moment, prompt, within_budget
from nodes.records import Grade, Rejected, WebOutcome
from nodes.rewording import OWN_WORDS, own_words
from nodes.state import RagState, RagUpdate
from nodes.structured import Consulted, Decider, consult
from nodes.verdicts import Verdict, yes_or_no
from retrievers.relevance import falls_short
from retrievers.types import Json, Passage

_POLICY = "the threshold alone decides"
_MODEL = {True: "the model found it relevant", False: "the model found that it does not help to answer"}
"""No reasons of its own: they would be most of the reply, and a small model takes seconds for each."""

REJECTED = 5
"""Rejected passages that are shown: the near misses, not the whole page."""


def _number(value: object) -> int:
    """`1`, `"1"` and `"passage 1"`; 0 for what names no passage."""
    found = re.search(r"\d+", str(value))
    return int(found[0]) if found else 0


class PassageVerdict(BaseModel):
    """One verdict, by the passage's number."""

    id: Annotated[int, BeforeValidator(_number)] = 0
    relevant: Verdict


def _readable(entries: object) -> object:
    """The entries that are verdicts; one that is not does not spoil the others. A lone word is a verdict on no passage by number."""
    if isinstance(entries, str):
        return [PassageVerdict(relevant=yes_or_no(entries))]
    return [verdict for entry in entries if (verdict := _verdict(entry)) is not None] if isinstance(entries, list) else entries


def _verdict(entry: object) -> PassageVerdict | None:
    try:
        return PassageVerdict.model_validate(entry)
    except ValidationError:
        return None


class Verdicts(BaseModel):
    """What the model replies. A bare list and a lone verdict are taken too."""

    verdicts: Annotated[list[PassageVerdict], BeforeValidator(_readable)] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _wrapped(cls, value: Any) -> Any:
        if isinstance(value, list):
            return {"verdicts": value}
        if isinstance(value, dict) and "verdicts" not in value:
            said = value.get("relevant", value.get("binary_score", value.get("score")))
            return {"verdicts": [{**value, "relevant": said}]}
        return value


async def grade(state: RagState, runtime: Runtime[Knobs], *, chat: Decider | None) -> RagUpdate:
    """A verdict for each passage, in the order of the passages. No passages have no verdicts, and nothing is kept."""
    clock = Clock("grade")
    grades = [_by_threshold(passage, state) for passage in state.passages]
    consulted: Consulted[Verdicts] = Consulted()
    asked = within_budget([passage for passage in state.passages if _may_be_asked_about(passage, state)])
    if chat is not None and asked:
        messages = prompt("grade", now=moment(now(runtime)), passages=fenced(asked), question=state.standalone)
        consulted = await consult(chat, messages, Verdicts, state, clock, instead=_POLICY, bare="verdicts")
        verdicts = _by_passage(consulted.value, asked)
        consulted = _with_gaps(consulted, len(asked) - len(verdicts), clock)
        grades = [verdicts.get(verdict["id"], verdict) for verdict in grades]
    kept = [passage for passage, verdict in zip(state.passages, grades, strict=True) if verdict["relevant"]]
    known = {passage["id"] for passage in state.kept}
    event = clock.event("decision", f"{len(kept)} of {len(grades)} kept", _summary(grades), grades=[_plain(verdict) for verdict in grades])
    return {
        "grades": grades,
        "kept": [*state.kept, *(passage for passage in kept if passage["id"] not in known)],
        "rejected": _rejected(state, grades),
        "closest": state.closest or _closest(state, kept),
        "web_outcome": _web_outcome(state, kept),
        "trail": [*consulted.events, event],
        "degraded": consulted.degraded,
        "usage": consulted.usage,
    }


def _by_threshold(passage: Passage, state: RagState) -> Grade:
    """The policy without a model. A passage that has no score is not relevant: nobody judged it."""
    score, threshold = passage["absolute"], state.no_answer
    relevant, reason = False, "has no score that the threshold could judge"
    if score is not None and threshold is not None:
        relevant = score >= threshold
        reason = f"score {score:.2f} {'reaches' if relevant else 'is below'} the threshold {threshold:.2f}"
    # On top of the calibrated threshold: a score that nobody calibrated can make answers rarer, never more frequent.
    if relevant and (below := falls_short(passage.get("reranked"))):
        relevant, reason = False, below
    if relevant and state.rewrites and passage["origin"] != "web" and own_words(state.standalone, state.query, passage) < OWN_WORDS:
        relevant, reason = False, "found by a rewritten query only, and holds too few of the question's own words"
    return {"id": passage["id"], "relevant": relevant, "reason": reason}


def _may_be_asked_about(passage: Passage, state: RagState) -> bool:
    """The threshold holds with a model too; a web page has no calibrated score, so the model judges it."""
    score, threshold = passage["absolute"], state.no_answer
    passes = score is not None and threshold is not None and score >= threshold and not falls_short(passage.get("reranked"))
    return passage["origin"] == "web" or passes


def _with_gaps(consulted: Consulted[Verdicts], missing: int, clock: Clock) -> Consulted[Verdicts]:
    """With an event for passages that the model's reply leaves out."""
    if consulted.value is None or not missing:
        return consulted
    event = clock.event("unparsable", _POLICY, f"the model's reply has no verdict for {missing} passages", said=consulted.text[:200])
    return replace(consulted, events=[*consulted.events, event])


def _by_passage(reply: Verdicts | None, asked: Sequence[Passage]) -> dict[str, Grade]:
    """The model's verdicts by passage id; a passage that it did not judge is left to the threshold.

    Numbers that name no passage are left out; of two verdicts for one passage the first counts. Where one passage was asked
    about, the verdict is its own whatever the number.
    """
    entries = reply.verdicts if reply else []
    if len(asked) == 1:
        entries = [entry.model_copy(update={"id": 1}) for entry in entries[:1]]
    numbered = {entry.id: entry for entry in reversed(entries) if 1 <= entry.id <= len(asked)}
    return {
        asked[number - 1]["id"]: {
            "id": asked[number - 1]["id"],
            "relevant": entry.relevant,
            "reason": _MODEL[entry.relevant],
        }
        for number, entry in numbered.items()
    }


def _plain(verdict: Grade) -> Json:
    return {"id": verdict["id"], "relevant": verdict["relevant"], "reason": verdict["reason"]}


def _summary(grades: Sequence[Grade]) -> str:
    return "; ".join(dict.fromkeys(verdict["reason"] for verdict in grades[:3])) or "there are no passages"


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
