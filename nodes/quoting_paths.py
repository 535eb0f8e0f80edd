"""Answers a question of several steps without a chat model: a sentence that leads to the next passage, and one of that passage.

Shared ground of generate; the knowledge graph's path says which passages belong together.
"""

import unicodedata
from collections.abc import Sequence

from nodes.quoting import quote
from nodes.records import Claim
from retrievers.text.analysis import query_words
from retrievers.text.sentences import sentences
from retrievers.types import Embedder, Passage

_ADDS = 0.15
"""The share of the question's words that the second passage must have and the first must lack: else it is beside the point."""


async def quote_path(
    question: str, passages: Sequence[Passage], embedder: Embedder, *, seconds: float | None
) -> tuple[list[Claim], str | None]:
    """Two claims, the step and where it leads; none where no kept passage was reached from another kept one, or it adds nothing asked for.

    Beside them why the embedder failed, if it did.
    """
    step = _step(question, passages)
    if step is None:
        return [], None
    first, second, entity = step
    lead = _leading(passages[first], entity, question)
    if lead is None:
        return [], None
    best, failure = await quote(question, [passages[second]], embedder, seconds=seconds, part=True)
    claims: list[Claim] = [{"text": " ".join(lead.split()), "passage": first + 1, "quote": lead}]
    claims += [{**claim, "passage": second + 1} for claim in best[:1]]
    return claims, failure


def _step(question: str, passages: Sequence[Passage]) -> tuple[int, int, str] | None:
    """Of the passages reached from another one, the one that adds most of the question's words: both their places, and the name between."""
    places = {passage["id"]: place for place, passage in enumerate(passages)}
    words = set(query_words(question))
    steps = []
    for place, passage in enumerate(passages):
        for hop in passage.get("path", ()):
            seed = places.get(hop["id"] or "")
            if seed is not None and words:
                added = (words & _words(passage)) - _words(passages[seed])
                steps.append((len(added) / len(words), -place, seed, hop["entity"]))
    share, place, seed, entity = max(steps, default=(0.0, 0, 0, ""))
    return (seed, -place, entity) if share >= _ADDS else None


def _words(passage: Passage) -> set[str]:
    return set(query_words("\n".join([passage["title"], *passage["heading_path"], passage["text"]])))


def _leading(passage: Passage, entity: str, question: str) -> str | None:
    """The sentence that names the entity and shares most words with the question; None where no sentence names it."""
    words, name = set(query_words(question)), _folded(entity)
    told = [passage["text"][start:end].strip() for start, end in sentences(passage["text"])]
    naming = [sentence for sentence in told if name in _folded(sentence)]
    return max(naming, key=lambda sentence: len(words & set(query_words(sentence))), default=None)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
