"""The few words of a text that say why it was found.

Pure; for lists of hits, where the whole text would cost too much to read.
"""

import unicodedata
from collections.abc import Collection

from retrievers.text.analysis import analyse
from retrievers.text.sentences import sentences

COLUMNS = 100
"""A line of a terminal, and about 25 tokens of English; a Chinese or Japanese character takes two, as it takes two tokens for one."""

_STEP = 10
"""Columns between the beginnings that are tried in a long sentence."""


def snippet(text: str, words: Collection[str], columns: int = COLUMNS) -> str:
    """At most `columns` (> 2) of `text` on one line, from the sentence that holds most of the analysed `words`, the first among equals.

    An ellipsis stands where something was left out. Empty for text without a visible character.
    """
    spans = sentences(text)
    if not spans:
        return ""
    start, end = max(spans, key=lambda span: (_held(text[slice(*span)], words), -span[0]))
    start = _best_start(text, start, end, words, columns)
    before = "…" if text[:start].strip() else ""
    folded = " ".join(text[start:].split())
    room = columns - len(before)
    shown = folded if width(folded) <= room else f"{fitting(folded, room - 1).rstrip()}…"
    return before + shown


def width(text: str) -> int:
    """Columns of `text` on a terminal: full-width characters take two."""
    return len(text) if text.isascii() else sum(map(_width, text))


def fitting(text: str, columns: int) -> str:
    """The longest beginning of `text` that fits."""
    for index, character in enumerate(text):
        columns -= _width(character)
        if columns < 0:
            return text[:index]
    return text


def _width(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _held(text: str, words: Collection[str]) -> int:
    return len(set(words).intersection(analyse(text)))


def _best_start(text: str, start: int, end: int, words: Collection[str], columns: int) -> int:
    """The sentence's own, unless it is too long: then the first of the places in it from which most words are seen."""
    if width(text[start:end]) <= columns:
        return start
    places = [start, *(_word_start(text, place, end) for place in range(start + _STEP, end, _STEP))]
    return max(places, key=lambda place: (_held(fitting(text[place:end], columns - 2), words), -place))


def _word_start(text: str, place: int, end: int) -> int:
    """After the next space where one is near: a word is not cut. Text without spaces is cut between characters."""
    space = text.find(" ", place - 1, min(place + 2 * _STEP, end))
    return space + 1 if space >= 0 else place
