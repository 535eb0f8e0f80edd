"""Tells where the kept passages of different sources give different numbers for the same thing.

Shared ground of sufficiency and clarify; pure and modest: what is said in words is not compared.
"""

from collections.abc import Sequence

from typing_extensions import TypedDict

from nodes.quantities import numbers
from retrievers.text.analysis import analyse, query_words
from retrievers.text.units import units
from retrievers.types import Json, Passage

_ABOUT = 0.6
"""Share of the question's words that a sentence must hold to speak of what it asks for."""

_ALIKE = 0.5
"""Share of the words of two such sentences, numbers apart, that both hold: less is another statement, not another value."""


class Statement(TypedDict):
    """The sentence of a source that fits the question best: its words, those in it that are numbers left out, and the numbers."""

    document: str
    text: str
    words: list[str]
    numbers: list[str]


class Disagreement(TypedDict):
    """`values` by document: the numbers that only its sentence has."""

    reason: str
    values: dict[str, Json]


def statements(question: str, passages: Sequence[Passage]) -> list[Statement]:
    """One for each document that has a sentence about the question, in the order of the passages."""
    words = set(query_words(question))
    best: dict[str, tuple[int, Statement]] = {}
    for passage in passages:
        around = set(analyse("\n".join([passage["title"], *passage["heading_path"]])))
        for unit in units(passage["text"]):
            text = passage["text"][unit.start : unit.end]
            own = set(analyse(text))
            shared = len(words & own)
            if len(words & (own | around)) < _ABOUT * len(words) or shared <= best.get(passage["document"], (0,))[0]:
                continue
            plain = sorted(word for word in own if not word.isdecimal())
            said: Statement = {
                "document": passage["document"],
                "text": text,
                "words": plain,
                "numbers": sorted(numbers(text, spoken=False)),
            }
            best[passage["document"]] = (shared, said)
    return [said for _, said in best.values()]


def alike(one: Statement, other: Statement) -> bool:
    """Whether two sentences say the same but for their numbers."""
    left, right = set(one["words"]), set(other["words"])
    return bool(left and right) and len(left & right) >= _ALIKE * max(len(left), len(right))


def disagreement(question: str, passages: Sequence[Passage]) -> Disagreement | None:
    """The first two sources whose sentences are alike and whose numbers are not; None where nothing of that kind is seen."""
    if len({passage["document"] for passage in passages}) < 2:
        return None
    asked = numbers(question)
    found = statements(question, passages)
    for place, one in enumerate(found):
        for other in found[place + 1 :]:
            left, right = set(one["numbers"]) - asked, set(other["numbers"]) - asked
            if left and right and left.isdisjoint(right) and alike(one, other):
                values: dict[str, Json] = {one["document"]: [*sorted(left)], other["document"]: [*sorted(right)]}
                said = "; ".join(
                    f"{document}: {', '.join(map(str, shown))}"
                    for document, shown in ((one["document"], sorted(left)), (other["document"], sorted(right)))
                )
                return {"reason": f"two sources give different numbers ({said})", "values": values}
    return None
