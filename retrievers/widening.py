"""Small to big: what was found small is read with what stands around it, and no text twice.

Pure; retrievers/reading.py fetches the surroundings. A wide passage is always one slice of the stored text, so chunks that overlap
cannot repeat their words, and a quote from it has its place in the document.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from retrievers.passages import Part, WidePassage, as_wide
from retrievers.types import Passage

REACH = 4
"""Chunks looked at on either side: with chunks of 512 tokens twice what any budget here has room for, and all of many short ones."""


@dataclass(frozen=True)
class Neighbour:
    """A chunk of the text: `start` and `end` are offsets in it."""

    id: str
    ordinal: int
    start: int
    end: int
    tokens: int
    heading_path: tuple[str, ...]
    page: int | None


@dataclass(frozen=True)
class Surroundings:
    """What was read around one chunk: `text` begins at `start` of the text that `content` numbers; `chunks` are in order."""

    content: int
    start: int
    text: str
    chunks: tuple[Neighbour, ...]


@dataclass
class _Growing:
    """A found chunk, what it has grown to (by ordinal, without gaps), and its rank."""

    rank: int
    passage: Passage
    around: Surroundings
    taken: dict[int, Neighbour]

    @property
    def tokens(self) -> int:
        return sum(chunk.tokens for chunk in self.taken.values())


def widened(
    passages: Sequence[Passage],
    around: Mapping[str, Surroundings],
    *,
    each: int,
    total: int,
    without: Collection[str],
    count: Callable[[str], int],
) -> list[WidePassage]:
    """See PassageReader.widen. `around` holds surroundings by passage id, `count` counts the tokens of a text."""
    grown = [_seed(rank, passage, around[passage["id"]]) for rank, passage in enumerate(passages) if passage["id"] in around]
    room = total - sum(passage["token_count"] for passage in passages)
    for one in grown:
        room -= _grow(one, grown, each=each, room=room, without=without)
    placed = [(rank, as_wide(passage)) for rank, passage in enumerate(passages) if passage["id"] not in around]
    for run in _runs(grown):
        best = min(run, key=lambda one: one.rank)
        placed.append((best.rank, _joined(best.passage, run, count)))
    return _distinct([passage for _, passage in sorted(placed, key=lambda entry: entry[0])])


def _seed(rank: int, passage: Passage, around: Surroundings) -> _Growing:
    own = next(chunk for chunk in around.chunks if chunk.id == passage["id"])
    return _Growing(rank, passage, around, {own.ordinal: own})


def _grow(one: _Growing, grown: Sequence[_Growing], *, each: int, room: int, without: Collection[str]) -> int:
    """Take in chunks while they fit, and return how many of the tokens in `room` that cost."""
    spent = 0
    held = {ordinal for other in grown if other.around.content == one.around.content for ordinal in other.taken}
    while (chunk := _next(one, without)) is not None:
        cost = 0 if chunk.ordinal in held else chunk.tokens
        if one.tokens + chunk.tokens > each or spent + cost > room:
            break
        one.taken[chunk.ordinal] = chunk
        spent += cost
    return spent


def _next(one: _Growing, without: Collection[str]) -> Neighbour | None:
    """The nearest chunk beside what was taken: of the found one's own section first, then of the section around that; of two, the later.

    A chunk that is left out is not stepped over: what lies beyond it would be another place of the text.
    """
    by_ordinal = {chunk.ordinal: chunk for chunk in one.around.chunks}
    own = next(chunk for chunk in one.taken.values() if chunk.id == one.passage["id"])
    edges = [by_ordinal.get(max(one.taken) + 1), by_ordinal.get(min(one.taken) - 1)]
    open_ones = [
        edge
        for edge in edges
        if edge is not None and edge.id not in without and abs(edge.ordinal - own.ordinal) < REACH and _same_section(own, edge)
    ]
    return min(
        open_ones,
        key=lambda edge: (edge.heading_path != own.heading_path, abs(edge.ordinal - own.ordinal), -edge.ordinal),
        default=None,
    )


def _same_section(own: Neighbour, other: Neighbour) -> bool:
    """Whether both stand under the heading above the found one's; a chunk under one heading or none stands in the whole text."""
    parent = own.heading_path[:-1]
    return other.heading_path[: len(parent)] == parent


def _runs(grown: Iterable[_Growing]) -> list[list[_Growing]]:
    """The found chunks in groups that touch or overlap; the groups are apart from each other."""
    runs: list[list[_Growing]] = []
    for one in sorted(grown, key=lambda one: (one.around.content, min(one.taken), max(one.taken))):
        if runs and _touches(runs[-1], one):
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _touches(run: Sequence[_Growing], one: _Growing) -> bool:
    if run[0].around.content != one.around.content:
        return False
    held = [chunk for other in run for chunk in other.taken.values()]
    last, end = max(chunk.ordinal for chunk in held), max(chunk.end for chunk in held)
    return min(one.taken) <= last + 1 or min(chunk.start for chunk in one.taken.values()) < end


def _joined(best: Passage, run: Sequence[_Growing], count: Callable[[str], int]) -> WidePassage:
    chunks = [chunk for _, chunk in sorted({ordinal: chunk for one in run for ordinal, chunk in one.taken.items()}.items())]
    if len(chunks) == 1:
        return as_wide(best)
    start, end = min(chunk.start for chunk in chunks), max(chunk.end for chunk in chunks)
    text = _slice(start, end, [one.around for one in run])
    kinds = {one.passage["content_type"] for one in run}
    return cast(
        WidePassage,
        {
            **best,
            "text": text,
            "start": start,
            "end": end,
            "token_count": count(text),
            "heading_path": list(chunks[0].heading_path),
            "page": chunks[0].page,
            "content_type": kinds.pop() if len(kinds) == 1 else "text",
            "parts": [_part(chunk) for chunk in chunks],
        },
    )


def _slice(start: int, end: int, sources: Sequence[Surroundings]) -> str:
    """The stored text from `start` to `end`, put together from what was read; each source ends one chunk later than what was taken."""
    text, at = "", start
    while at < end:
        source = max((one for one in sources if one.start <= at), key=lambda one: one.start + len(one.text))
        piece = source.text[at - source.start : end - source.start]
        if not piece:
            raise ValueError(f"the text from {at} to {end} was not read")
        text, at = text + piece, at + len(piece)
    return text


def _part(chunk: Neighbour) -> Part:
    return {"id": chunk.id, "heading_path": [*chunk.heading_path], "page": chunk.page, "start": chunk.start, "end": chunk.end}


def _distinct(passages: Sequence[WidePassage]) -> list[WidePassage]:
    """Without those whose text stands in another one, as in a copy of a document; of two equal ones the better stays."""
    folded = [" ".join(passage["text"].split()) for passage in passages]
    return [
        passage
        for number, passage in enumerate(passages)
        if not any(
            other != number and folded[number] in folded[other] and (folded[number] != folded[other] or other < number)
            for other in range(len(passages))
        )
    ]
