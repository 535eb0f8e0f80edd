"""What a chat model says of the passages in one call: a verdict on each by its number, and whether those that help suffice.

Shared ground of grade; reads whatever shape a model's reply has.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Any

from langchain_core.messages import BaseMessage
from pydantic import BaseModel, BeforeValidator, Field, ValidationError, model_validator

from nodes.prompting import fenced, prompt
from nodes.records import Grade, Sufficiency
from nodes.verdicts import Verdict, yes_or_no
from retrievers.text.language import language_of
from retrievers.types import Passage

REASONS = {True: "the model found it relevant", False: "the model found that it does not help to answer"}
"""No reasons of the model's own: they would be most of the reply, and a small model takes seconds for each."""

UNSURE = 0.5
"""The confidence of a model that gives none, or one that cannot be read: not enough to abstain on."""

_MISSING_CHARS = 200
"""What is missing is a phrase for the next query, not an essay."""

_NO_MISSING = frozenset({"", "none", "nothing", "n/a", "null", "なし", "無し", "特になし", "无", "没有", "없음"})


def _number(value: object) -> int:
    """`1`, `"1"` and `"passage 1"`; 0 for what names no passage."""
    found = re.search(r"\d+", str(value))
    return int(found[0]) if found else 0


def _share(value: object) -> float:
    """`0.9`, `"0.9"`, `90`, `"90%"`; UNSURE for anything else."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%?\s*", str(value))
    number = float(found[1]) if found and not isinstance(value, bool) else UNSURE
    share = number / 100 if number > 1 else number
    return share if share <= 1 else UNSURE


def _said(value: object) -> bool | None:
    try:
        return yes_or_no(value)
    except ValueError:
        return None


def _phrase(value: object) -> str:
    words = ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
    folded = " ".join(words.split())
    return "" if folded.strip(" .。").casefold() in _NO_MISSING else folded[:_MISSING_CHARS]


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
    """What the model replies. A bare list and a lone verdict are taken too; without `sufficient` nothing is said of sufficiency."""

    verdicts: Annotated[list[PassageVerdict], BeforeValidator(_readable)] = Field(min_length=1)
    missing: Annotated[str, BeforeValidator(_phrase)] = ""
    sufficient: Annotated[bool | None, BeforeValidator(_said)] = None
    confidence: Annotated[float, BeforeValidator(_share)] = UNSURE

    @model_validator(mode="before")
    @classmethod
    def _wrapped(cls, value: Any) -> Any:
        if isinstance(value, list):
            return {"verdicts": value}
        if isinstance(value, dict) and "verdicts" not in value:
            said = value.get("relevant", value.get("binary_score", value.get("score")))
            return {**value, "verdicts": [{**value, "relevant": said}]}
        return value


def questions(question: str, asked: Sequence[Passage], before: Sequence[Passage], at: str) -> list[BaseMessage]:
    """The prompt about the passages `asked`; those found relevant `before` are shown after them, for sufficiency alone."""
    earlier = f"Those from {len(asked) + 1} on were found relevant before: no verdict on them, but they count for what is missing."
    return prompt(
        "grade",
        language=language_of(question),
        now=at,
        passages=fenced([*asked, *before]),
        earlier=earlier if before else f"Give a verdict on each of the {len(asked)} passages.",
        question=question,
    )


def by_passage(reply: Verdicts | None, asked: Sequence[Passage]) -> dict[str, Grade]:
    """The model's verdicts by passage id; a passage that it did not judge is left out.

    Numbers that name no passage are left out; of two verdicts for one passage the first counts. Where one passage was asked
    about, the verdict is its own whatever the number.
    """
    entries = reply.verdicts if reply else []
    if len(asked) == 1:
        entries = [entry.model_copy(update={"id": 1}) for entry in entries[:1]]
    numbered = {entry.id: entry.relevant for entry in reversed(entries) if 1 <= entry.id <= len(asked)}
    return {
        asked[number - 1]["id"]: {"id": asked[number - 1]["id"], "relevant": relevant, "reason": REASONS[relevant]}
        for number, relevant in sorted(numbered.items())
    }


def sufficiency_of(reply: Verdicts | None, kept: Sequence[Passage]) -> Sufficiency | None:
    """What the model said of the kept passages together; None where it did not. Nothing kept is never sufficient, whatever it said."""
    if reply is None or reply.sufficient is None:
        return None
    sufficient = reply.sufficient and bool(kept)
    return {"sufficient": sufficient, "confidence": reply.confidence, "missing": "" if sufficient else reply.missing}
