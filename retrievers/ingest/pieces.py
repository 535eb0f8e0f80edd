"""Cuts a block into the pieces that chunks are packed from: sentences of text, lines of code and tables.

Part of chunk.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from retrievers.ingest.document import Block
from retrievers.text.sentences import sentences
from retrievers.types import ContentType

_LINE = re.compile(r"[^\n]*\S[^\n]*")
_FINE = 6
"""Parts of the room in one part of a sentence that is too long: small enough for chunks to share one."""
_CHARS_PER_TOKEN = 4
"""A first guess, corrected by counting."""
_SPACE_FROM = 0.6
"""Of a part of a long sentence: it ends with a word where one ends after this."""


@dataclass(frozen=True)
class Piece:
    """`text[start:end]` with its tokens; `opens_block`: the first of its block."""

    start: int
    end: int
    tokens: int
    content_type: ContentType
    opens_block: bool


def pieces_of(text: str, block: Block, count: Callable[[str], int], room: int) -> Iterator[Piece]:
    """The block's pieces in order, none with more than `room` tokens; white space alone lies between them."""
    opens = True
    for start, end in _spans(text, block):
        for part_start, part_end, tokens in _parts(text, start, end, count, room):
            yield Piece(part_start, part_end, tokens, block.content_type, opens)
            opens = False


def _spans(text: str, block: Block) -> Iterator[tuple[int, int]]:
    if block.content_type == "text":
        body = text[block.start : block.end]
        yield from ((block.start + start, block.start + end) for start, end in sentences(body))
    else:
        yield from (found.span() for found in _LINE.finditer(text, block.start, block.end))


def _parts(text: str, start: int, end: int, count: Callable[[str], int], room: int) -> Iterator[tuple[int, int, int]]:
    """The span itself where it fits, else parts of it with a sixth of the room each; (start, end, tokens)."""
    if end - start <= room * 2 * _CHARS_PER_TOKEN and (tokens := count(text[start:end])) <= room:
        yield start, end, tokens
        return
    size = fine = max(room // _FINE, 1)
    size *= _CHARS_PER_TOKEN
    start = _skip_space(text, start, end)
    while start < end:
        cut = _cut(text, start, min(start + size, end), end)
        tokens = count(text[start:cut])
        if tokens > fine and cut - start > 1:
            size = max(1, min(cut - start - 1, (cut - start) * fine // tokens))
            continue
        yield start, cut, tokens
        size = max(1, (cut - start) * fine // max(tokens, 1), size)
        start = _skip_space(text, cut, end)


def _cut(text: str, start: int, wanted: int, end: int) -> int:
    """Where the part that begins at `start` ends: at `wanted`, or before it after a word, never inside a character's marks."""
    if wanted >= end:
        return end
    least = start + max(1, int((wanted - start) * _SPACE_FROM))
    for at in range(wanted, least, -1):
        if text[at].isspace():
            return at
    while wanted > start + 1 and unicodedata.combining(text[wanted]):
        wanted -= 1
    return wanted


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start
