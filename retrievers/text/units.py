"""Cuts a passage into what can be quoted by itself: a sentence, a bullet, a table row, a whole code block or list of steps.

Pure, on top of sentences; what belongs together is never torn.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from retrievers.text.sentences import sentences

UnitKind = Literal["sentence", "item", "row", "code", "steps"]

BLOCK_CHARS = 900
"""A longer code block or list of steps is no quotation any more: its lines are units of their own."""

LED_IN_CHARS = 400
"""A paragraph or list up to this long is taken whole after "as follows:"; text from HTML has its code blocks as such paragraphs."""

_REMEMBERED = 256
"""Texts whose units are remembered: a turn cuts each of its few passages ten times or more, and several turns run at once."""

_REMEMBERED_CHARS = 8192
"""Longer texts are cut again each time: a passage is shorter, and what is remembered stays below 10 MB."""

_FENCE = re.compile(r"[ ]{0,3}(```+|~~~+)")
_STEP = re.compile(r"\s*(?:\d{1,3}[.)．）]\s|[（(]\d{1,3}[）)]|[①-⑳]|手順\s*\d|step\s+\d)", re.IGNORECASE)
_BULLET = re.compile(r"\s*[-*+•・●○■□◆◇▪▶]\s*(?=\S)")
_ROW = re.compile(r"\s*\|.*\|\s*$")
_RULE = re.compile(r"\s*(?:\|?[\s:|-]*-{2,}[\s:|-]*\|?|[-=*_]{3,}|<!--.*-->)\s*$")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s|[ ]{0,3}(?:={3,}|-{3,})\s*$")
_LEADS_IN = re.compile(r"[:：]\s*$")


@dataclass(frozen=True)
class Unit:
    """`text[start:end]` of the passage, without white space at its ends. `header` is the span of the header of a table row's table."""

    start: int
    end: int
    kind: UnitKind
    header: tuple[int, int] | None = None


@dataclass(frozen=True)
class _Block:
    """Lines that belong together."""

    start: int
    end: int
    kind: Literal["prose", "code", "steps", "items", "table", "heading"]


def units(text: str) -> list[Unit]:
    """The units in order, without overlap; headings and rules are none. A sentence that ends in a colon goes with what it leads to."""
    return list(_remembered(text)) if len(text) <= _REMEMBERED_CHARS else _cut(text)


def _cut(text: str) -> list[Unit]:
    found: list[Unit] = []
    for block in _blocks(text):
        cut = list(_units_of(text, block))
        last = found[-1] if found else None
        if cut and cut[0].kind != "row" and last and last.kind == "sentence" and leads_in(text[last.start : last.end]):
            found[-1], cut = _led_in(last, cut)
        found += cut
    return found


@lru_cache(_REMEMBERED)
def _remembered(text: str) -> tuple[Unit, ...]:
    return tuple(_cut(text))


def leads_in(sentence: str) -> bool:
    """Whether it ends in a colon: it says nothing without what follows."""
    return _LEADS_IN.search(sentence) is not None


def _led_in(lead: Unit, cut: list[Unit]) -> tuple[Unit, list[Unit]]:
    """The lead-in with the block, short list or short paragraph after it, and the units that are left."""
    whole = cut[-1].end - cut[0].start <= LED_IN_CHARS
    last = cut[-1] if whole else cut[0]
    kind: UnitKind = cut[0].kind if cut[0].kind in ("code", "steps") else "code"
    return Unit(lead.start, last.end, kind), cut[cut.index(last) + 1 :]


def _blocks(text: str) -> Iterator[_Block]:
    """Runs of lines of one kind; blank lines end them, except in lists. A fence lasts to its end, however it looks inside."""
    begin, end, current, fence = 0, 0, "", ""
    for start, stop in _lines(text):
        line = text[start:stop]
        if not line.strip() and current in ("steps", "items"):
            # Steps may stand apart; the next line tells whether the list goes on.
            continue
        kind = "code" if fence else _kind(line, current)
        if kind != current and current:
            yield _Block(begin, end, current)  # type: ignore[arg-type]
        if kind != current:
            begin = start
        current, end = kind, stop
        fence = _fence_after(line, fence)
        if kind == "code" and not fence:
            yield _Block(begin, end, "code")
            current = ""
    if current:
        yield _Block(begin, end, current)  # type: ignore[arg-type]


def _lines(text: str) -> Iterator[tuple[int, int]]:
    return ((found.start(), found.end()) for found in re.finditer(r"[^\n]+|(?<=\n)(?=\n)", text))


def _fence_after(line: str, fence: str) -> str:
    """The fence that is open after `line`, given the one that was open before it; empty for none."""
    mark = _FENCE.match(line)
    if not fence:
        return mark[1] if mark else ""
    return "" if mark and mark[1].startswith(fence) and not line[mark.end() :].strip() else fence


def _kind(line: str, current: str) -> str:
    if not line.strip():
        return ""
    if _FENCE.match(line):
        return "code"
    if _HEADING.match(line):
        return "heading"
    if _ROW.match(line):
        return "table"
    if _STEP.match(line):
        return "steps"
    if _BULLET.match(line) and not _RULE.match(line):
        # A bullet inside a step is part of the step.
        return "steps" if current == "steps" and line[:1].isspace() else "items"
    # An indented line under a step or an item goes on with it.
    return current if current in ("steps", "items") and line[:1].isspace() else "prose"


def _units_of(text: str, block: _Block) -> Iterator[Unit]:
    match block.kind:
        case "heading":
            return
        case "code" | "steps" if block.end - block.start <= BLOCK_CHARS:
            yield _trimmed(text, block.start, block.end, "code" if block.kind == "code" else "steps")
        case "table":
            yield from _rows(text, list(_lines_of(text, block)))
        case "items" | "steps":
            yield from (_trimmed(text, start, end, "item") for start, end in _items(text, block))
        case "code":
            yield from (_trimmed(text, start, end, "item") for start, end in _lines_of(text, block) if not _FENCE.match(text[start:end]))
        case _:
            for start, end in sentences(text[block.start : block.end]):
                if not _RULE.match(text[block.start + start : block.start + end]):
                    yield Unit(block.start + start, block.start + end, "sentence")


def _rows(text: str, lines: list[tuple[int, int]]) -> Iterator[Unit]:
    """The rows below the header; all lines where a table has no header, which a chunk's border may have cut off."""
    has_header = len(lines) > 1 and _RULE.match(text[slice(*lines[1])]) is not None
    header = lines[0] if has_header else None
    for start, end in lines[1:] if has_header else lines:
        if not _RULE.match(text[start:end]):
            row = _trimmed(text, start, end, "row")
            yield Unit(row.start, row.end, "row", header)


def _lines_of(text: str, block: _Block) -> Iterator[tuple[int, int]]:
    return ((start + block.start, end + block.start) for start, end in _lines(text[block.start : block.end]) if start < end)


def _items(text: str, block: _Block) -> Iterator[tuple[int, int]]:
    """Each item with the lines that go on with it."""
    begin = end = -1
    for start, stop in _lines_of(text, block):
        if begin >= 0 and (_BULLET.match(text[start:stop]) or _STEP.match(text[start:stop])):
            yield begin, end
            begin = start
        begin, end = (start if begin < 0 else begin), stop
    if begin >= 0:
        yield begin, end


def _trimmed(text: str, start: int, end: int, kind: UnitKind) -> Unit:
    bullet = _BULLET.match(text, start, end) if kind == "item" else None
    start = bullet.end() if bullet else start
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    return Unit(left, left + len(piece.strip()), kind)
