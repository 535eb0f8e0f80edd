"""Cuts a document into chunks: at headings and pages first, then at paragraphs and sentence ends, in the embedder's own tokens.

Between the loaders and the pipeline; every chunk is a slice of the stored text.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, groupby

from retrievers.documents import ChunkDraft
from retrievers.ingest.document import Block, LoadedDocument
from retrievers.ingest.pieces import Piece, pieces_of
from retrievers.ingest.windows import windows
from retrievers.text.language import language_of
from retrievers.types import ContentType

CHUNK_TOKENS = 512
"""The window of the embedding models in use here; a larger one blurs what a chunk is about."""
_RESERVED = 10
"""Tokens of the window that are not text: two special ones, at most four of a prefix, and what joining pieces may add."""
_LEAST_HEAD = 8
"""Tokens; a window so small that no title fits is a mistake."""
_OVERLAP = 0.15
_MOST_OVERLAP = 0.2
_HEAD_SHARE = 0.25
"""Of the window for title and headings together; more would crowd out the text."""
_BREAK_FROM = 0.6
"""A chunk filled so far rather ends with a paragraph than goes on to the limit."""
_SLACK = 1.08
"""Over equal shares of a section, so that a sentence that just does not fit does not make one chunk more."""
_QUICK_CHARS = 8
"""A section with more characters for each token of room does not fit, whatever its script, and need not be counted whole."""

Count = Callable[[str], int]


class Chunker:
    """Cuts documents for one embedder. `count` blocks for as long as it takes, so call `cut` in a thread."""

    def __init__(self, count: Count, max_tokens: int = CHUNK_TOKENS) -> None:
        self._count = count
        self._most = max_tokens - _RESERVED
        self._window = min(max_tokens, CHUNK_TOKENS) - _RESERVED
        self._head_room = int(self._window * _HEAD_SHARE)
        if self._head_room < _LEAST_HEAD:
            raise ValueError(f"{max_tokens} tokens are too few to cut a text into")

    def indexed_text(self, title: str, chunk: ChunkDraft) -> str:
        """What is analysed for a chunk: title, headings, text, a line each; at most 506 tokens."""
        before = self._head(title, chunk.heading_path)
        return f"{before}\n{chunk.text}" if before else chunk.text

    def window_texts(self, title: str, chunk: ChunkDraft) -> list[str]:
        """What is embedded for a chunk: title, headings and text of each of its windows; `[indexed_text]` where it is one window."""
        parts = windows(chunk.text, self._count)
        if len(parts) == 1:
            return [self.indexed_text(title, chunk)]
        before = self._head(title, chunk.heading_path)
        return [f"{before}\n{part}" if before else part for part in parts]

    def fits(self, text: str) -> bool:
        """Whether the model sees all of a text; one that was cut for another model may be longer than this one's window."""
        return self._count(text) <= self._most

    def cut(self, document: LoadedDocument) -> list[ChunkDraft]:
        """The chunks in order, numbered from 0; none for a document without text.

        A chunk lies within one section and one page; consecutive ones of a section share up to a fifth.
        """
        language = language_of(document.text)
        drafts: list[ChunkDraft] = []
        for path, section in _sections(document.blocks):
            room = self._window - self._count(self._head(document.title, path))
            for start, end, kind, tokens in self._spans(document.text, section, room):
                text = document.text[start:end]
                own = language_of(text)
                drafts.append(
                    ChunkDraft(
                        ordinal=len(drafts),
                        text=text,
                        heading_path=path,
                        start=start,
                        end=end,
                        token_count=tokens,
                        page=section[0].page,
                        content_type=kind,
                        language=language if own == "und" else own,
                    )
                )
        return drafts

    def _head(self, title: str, path: tuple[str, ...]) -> str:
        """Title and headings, cut to their share of the window: the title at its end, the path first at its far end."""
        headings = " > ".join(path)
        if not title and not headings:
            return ""
        if self._count(title) + self._count(headings) > self._head_room:
            title = self._fitting(title, self._head_room // 2)
            while len(path) > 1 and self._count(" > ".join(path)) > self._head_room // 2:
                path = path[1:]
            headings = self._fitting(" > ".join(path), self._head_room // 2)
        return "\n".join(line for line in (title, headings) if line)

    def _fitting(self, text: str, room: int) -> str:
        text = text[: room * _QUICK_CHARS]
        while text and (tokens := self._count(text)) > room:
            text = text[: len(text) * room // tokens].rstrip()
        return text

    def _spans(self, text: str, section: Sequence[Block], room: int) -> Iterator[tuple[int, int, ContentType, int]]:
        """(start, end, content type, tokens) of each chunk of a section."""
        start, end = section[0].start, section[-1].end
        if end - start <= room * _QUICK_CHARS and (tokens := self._count(text[start:end])) <= room:
            yield start, end, _kind({block.content_type for block in section}), tokens
            return
        pieces = [piece for block in section for piece in pieces_of(text, block, self._count, room)]
        left = [*accumulate((piece.tokens for piece in reversed(pieces)), initial=0)][::-1]
        first = 0
        while first < len(pieces):
            last = _last(pieces, first, _goal(left[first], room))
            while (tokens := self._count(text[pieces[first].start : pieces[last - 1].end])) > room and last - first > 1:
                # What lies between two blocks (a comment, a rule) was not counted.
                last -= 1
            yield pieces[first].start, pieces[last - 1].end, _kind({piece.content_type for piece in pieces[first:last]}), tokens
            first = _next_first(pieces, first, last, tokens, room) if last < len(pieces) else last


def _sections(blocks: Sequence[Block]) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    for (path, _), section in groupby(blocks, key=lambda block: (block.heading_path, block.page)):
        yield path, list(section)


def _goal(left: int, room: int) -> int:
    """Tokens of the next chunk so that the chunks of what is left are about equal and none is a scrap."""
    overlap = int(room * _MOST_OVERLAP)
    chunks = max(1, math.ceil((left - overlap) / (room - overlap)))
    return min(room, int((overlap + math.ceil((left - overlap) / chunks)) * _SLACK))


def _last(pieces: Sequence[Piece], first: int, goal: int) -> int:
    """One past the last piece of the chunk that begins with `first`."""
    last, size = first, 0
    paragraph_end = None
    while last < len(pieces) and (last == first or size + pieces[last].tokens <= goal):
        if last > first and pieces[last].opens_block and size >= _BREAK_FROM * goal:
            paragraph_end = last
        size += pieces[last].tokens
        last += 1
    if last < len(pieces) and not pieces[last].opens_block and paragraph_end is not None:
        return paragraph_end
    return last


def _next_first(pieces: Sequence[Piece], first: int, last: int, size: int, room: int) -> int:
    """Where the next chunk begins after one of `size` tokens: as many whole pieces before `last` as the overlap allows."""
    begin, shared = last, 0
    while (
        begin - 1 > first
        and shared < _OVERLAP * size
        and shared + pieces[begin - 1].tokens <= _MOST_OVERLAP * size
        and shared + pieces[begin - 1].tokens + pieces[last].tokens <= room
    ):
        begin -= 1
        shared += pieces[begin].tokens
    return begin


def _kind(kinds: set[ContentType]) -> ContentType:
    """The common content type; a mixture is text."""
    return kinds.pop() if len(kinds) == 1 else "text"
