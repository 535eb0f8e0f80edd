"""Answers a question of several parts without a chat model: the best sentence for each part, and which parts nothing answers.

Shared ground of generate.
"""

from collections.abc import Sequence

from nodes.quoting import quote
from nodes.records import Claim
from retrievers.text.analysis import analyse, query_words
from retrievers.types import Embedder, Passage

_HELD = 0.5
"""Share of a part's own words that one passage must hold to be about that part: a model that could tell is not there."""


async def quote_parts(
    parts: Sequence[str], passages: Sequence[Passage], embedder: Embedder, *, seconds: float | None
) -> tuple[list[Claim], str | None, list[str]]:
    """One claim for each part that a passage is about, none twice; why the embedder failed, if it did; the parts without a passage."""
    open_parts = unmentioned(parts, passages)
    claims: list[Claim] = []
    failure: str | None = None
    answered = [part for part in parts if part not in open_parts]
    for part in answered:
        best, failed = await quote(part, passages, embedder, seconds=None if seconds is None else seconds / len(answered), part=True)
        claims += [claim for claim in best[:1] if claim not in claims]
        failure = failure or failed
    return claims, failure, open_parts


async def quote_documents(
    question: str, passages: Sequence[Passage], documents: Sequence[str], embedder: Embedder, *, seconds: float | None
) -> tuple[list[Claim], str | None]:
    """The best sentence of each of these documents, as the user means all of them; why the embedder failed, if it did."""
    claims: list[Claim] = []
    failure: str | None = None
    for document in documents:
        numbers = [number for number, passage in enumerate(passages, 1) if passage["document"] == document]
        own = [passages[number - 1] for number in numbers]
        best, failed = await quote(question, own, embedder, seconds=None if seconds is None else seconds / len(documents))
        claims += [{**claim, "passage": numbers[(claim["passage"] or 1) - 1]} for claim in best[:1]]
        failure = failure or failed
    return claims, failure


def unmentioned(parts: Sequence[str], passages: Sequence[Passage]) -> list[str]:
    """The parts of whose own words, those that not all parts share, no passage holds half."""
    words = [set(query_words(part)) for part in parts]
    shared = set.intersection(*words) if len(words) > 1 else set()
    held = [set(analyse("\n".join([passage["title"], *passage["heading_path"], passage["text"]]))) for passage in passages]
    return [part for part, its in zip(parts, words, strict=True) if its - shared and not _is_held(its - shared, held)]


def _is_held(words: set[str], held: Sequence[set[str]]) -> bool:
    return any(len(words & passage) >= _HELD * len(words) for passage in held)
