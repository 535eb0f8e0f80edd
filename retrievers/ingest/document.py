"""What a loader makes of a file: its stored text, and where in it which kind of thing stands.

The common ground of the loaders, the chunker and the pipeline.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from retrievers.text.clean import Cleaner
from retrievers.types import ContentType, Json


@dataclass(frozen=True)
class Block:
    """A paragraph, list, table or listing: `text[start:end]` of the stored text, under one heading path."""

    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    content_type: ContentType = "text"
    page: int | None = None


@dataclass(frozen=True)
class LoadedDocument:
    """A document as read. `blocks` are in order and do not overlap; outside them stand headings, rules and white space only.

    `content_type` is the MIME type; `notes` tell the user what was left out or mended.
    """

    text: str
    title: str
    blocks: tuple[Block, ...]
    content_type: str
    metadata: Mapping[str, Json] = field(default_factory=dict)
    modified: datetime | None = None
    created: datetime | None = None
    notes: tuple[str, ...] = ()


LONGEST_HEADING = 300
"""Characters: a longer line under a heading's mark is a paragraph, and would stand before every chunk below it."""


class Outline:
    """Collects blocks under the headings they stand below; a heading becomes a block only where nothing stands below it."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._headings: list[tuple[int, str]] = []
        self._bare: Block | None = None

    def heading(self, level: int, name: str, start: int, end: int, page: int | None = None) -> None:
        """Start a section; `level` counts from 1, a deeper one belongs to the one before. A very long one is a block."""
        if len(name) > LONGEST_HEADING:
            self.block(start, end, page=page)
            return
        if self._bare and level <= self._headings[-1][0]:
            self._blocks.append(self._bare)
        self._headings = [*((known, above) for known, above in self._headings if known < level), (level, name)]
        self._bare = self._placed(start, end, "text", page)

    def block(self, start: int, end: int, content_type: ContentType = "text", page: int | None = None) -> None:
        """Add a block to the section."""
        self._bare = None
        self._blocks.append(self._placed(start, end, content_type, page))

    def blocks(self, title: str) -> tuple[Block, ...]:
        """All blocks; the document's own title is left out at the head of their paths, as it is said already."""
        found = [*self._blocks, *([self._bare] if self._bare else [])]
        return tuple(replace(block, heading_path=_below(title, block.heading_path)) for block in found)

    def _placed(self, start: int, end: int, content_type: ContentType, page: int | None) -> Block:
        return Block(start, end, tuple(name for _, name in self._headings), content_type, page)


class TextBuilder:
    """Writes the stored text of a document whose format is not text: headings and blocks, a blank line between them."""

    def __init__(self, cleaner: Cleaner) -> None:
        self.cleaner = cleaner
        self.page: int | None = None
        self.outline = Outline()
        self._parts: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        """What was written so far."""
        return "".join(self._parts)

    def heading(self, level: int, text: str) -> None:
        """Write a heading as a line of its own; nothing happens for one without visible characters."""
        line = self.cleaner.line(text)
        if line:
            self.outline.heading(level, line, *self._written(line), self.page)

    def block(self, text: str, content_type: ContentType = "text") -> None:
        """Write a block as it is, without empty lines around it; nothing happens for one without visible characters."""
        body = self.cleaner.text(text).strip("\n")
        if body.strip():
            self.outline.block(*self._written(body), content_type, self.page)

    def _written(self, body: str) -> tuple[int, int]:
        if self._parts:
            self._parts.append("\n\n")
            self._length += 2
        start = self._length
        self._parts.append(body)
        self._length += len(body)
        return start, self._length


def _below(title: str, path: tuple[str, ...]) -> tuple[str, ...]:
    return path[1:] if path and path[0].casefold() == title.casefold() else path
