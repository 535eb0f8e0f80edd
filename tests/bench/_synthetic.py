"""Many passages out of the few that are given, for figures of time alone: what is found in them means nothing.

A passage is the first half of one and the second half of another of the same collection, cut where a sentence ends, so that its words
are as frequent as in the collections; its vector lies between those of the two, with noise.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retrievers.text.analysis import analyse
from retrievers.text.sentences import sentences
from retrievers.types import Vector
from tests.bench._collections import LANGUAGES, Row, TestCollection, read_collection

NAMES = tuple(LANGUAGES)
JITTER = 0.01
"""Standard deviation of the noise in each of 384 dimensions: of length 0.2 beside vectors of length 1."""
WINDOW_WORDS = 45
"""Of a window of 64 tokens: English has 0.7 words a token."""
WINDOW_NOISE = 0.02
"""Windows of a passage lie twice as far from its vector as passages from those they are made of."""
SEED = 20_261_130
Question = tuple[str, Vector]


@dataclass(frozen=True)
class Half:
    """One part of a passage with its words, which are analysed once for all the passages it becomes part of."""

    text: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Parts:
    """A passage cut in two."""

    title: Half
    first: Half
    second: Half
    vector: Vector


def passages(sets: Sequence[TestCollection], count: int, seed: int = SEED) -> Iterator[Row]:
    """`count` rows; each collection gives as many as its share of the documents. The same every time."""
    draw = np.random.default_rng(seed)
    cut = [[parts(row) for row in given.rows] for given in sets]
    sizes = np.array([len(given.rows) for given in sets])
    for number, place in enumerate(draw.choice(len(sets), count, p=sizes / sizes.sum())):
        one, other = (cut[place][drawn] for drawn in draw.integers(0, sizes[place], 2))
        halves = (one.title, one.first, other.second)
        vector = _unit(one.vector + other.vector) + JITTER * draw.normal(size=one.vector.shape)
        yield Row(
            source=f"{sets[place].name}/{seed}/{number}",
            title=one.title.text,
            text=f"{one.first.text}\n{other.second.text}",
            vector=_unit(vector).astype(np.float32),
            words=tuple(word for half in halves for word in half.words),
            windows=_around(_unit(vector), sum(len(half.words) for half in halves), draw),
        )


def _around(vector: np.ndarray, words: int, draw: np.random.Generator) -> np.ndarray | None:
    """As many windows as a passage of so many words falls into; the time to read them does not depend on how they lie."""
    count = round(words / WINDOW_WORDS)
    if count < 2:
        return None
    noisy = vector + WINDOW_NOISE * draw.normal(size=(count, vector.size))
    return (noisy / np.linalg.norm(noisy, axis=1, keepdims=True)).astype(np.float32)


def parts(row: Row) -> Parts:
    """Cut at the end of the sentence that is nearest to the middle."""
    middle = len(row.text) / 2
    end = min((end for _, end in sentences(row.text)), key=lambda end: abs(end - middle), default=len(row.text))
    return Parts(half(row.title), half(row.text[:end]), half(row.text[end:].lstrip()), row.vector)


def half(text: str) -> Half:
    """The text and its words."""
    return Half(text, tuple(analyse(text)))


def questions(sets: Sequence[TestCollection], count: int) -> list[Question]:
    """The first questions of each collection in turn, with their vectors."""
    asked = [[(case.text, given.queries[case.id]) for case in given.cases.answerable] for given in sets]
    return [question for turn in zip(*asked, strict=False) for question in turn][:count]


def chunks(folder: Path, count: int, asked: int = 400) -> tuple[list[Row], list[Question]]:
    """`count` passages and questions for them; nothing where no collection is there."""
    sets = read_sets(folder)
    return (list(passages(sets, count)), questions(sets, asked)) if sets else ([], [])


def read_sets(folder: Path) -> list[TestCollection]:
    """The collections that are there."""
    return [given for name in NAMES if (given := read_collection(folder / name)) is not None]


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)
