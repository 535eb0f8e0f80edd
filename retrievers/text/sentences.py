"""Cuts text into sentences, Japanese, Chinese and English ones, as spans of the text itself.

Pure; chunks end where sentences end, and answers are made of sentences.
"""

import re
import unicodedata
from collections.abc import Iterator

_CLOSING = "」』）】》〉〕］｝\\)\\]\\}\"'”’»"
_END = re.compile(rf"(?P<marks>[。．！？!?…｡.]+)(?P<closing>[{_CLOSING}]*)")
_ASCII_MARKS = frozenset(".!?…")
"""They also stand inside addresses, names and code, so they end a sentence only before a space or another script."""
_PARTICLE = re.compile(r"、|，|と|って|は|が|を|の|に|も|で|や|など|から|まで")
_ABBREVIATIONS = frozenset("mr mrs ms dr prof st sr jr gen col lt capt rev hon vs cf e.g i.e eg ie viz approx resp ca".split())  # noqa: SIM905
_BEFORE_NUMBERS = frozenset("no nos fig figs eq eqs sec secs ch chap vol pp p art para ver v ed al".split())  # noqa: SIM905
_WORD_BEFORE = re.compile(r"(?:(?P<previous>\w+)\.?\s+)?(?P<word>[^\W_](?:[^\W_]|[.'-])*)\Z")
_BEFORE = 40
"""Characters looked at before a full stop: room for an abbreviation and the word before it."""

_NEW_LINE_OF_ITS_OWN = re.compile(r"\s*(?:[-*+•・●○■□◆◇▪▶>#|]|\d{1,3}[.)．）]\s|[（(]\d{1,3}[）)]|```|~~~|[①-⑳])")
_WRAPPED_AT_MOST = 120
"""Columns: text that is wrapped by hand or by an editor is not wider; a longer line is a paragraph of its own."""
_WRAPPED_AT_LEAST = 40
_FILLED = 0.6
"""A wrapped line is at least this full: only a long word or the paragraph's end leaves more free."""


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans (start, end) in order, without overlap; all that lies between them is white space.

    A sentence ends after 。．！？!?… or a full stop, together with the brackets and quotation marks that close it, and at
    a line's end, unless the line is just wrapped. Abbreviations, initials, decimals and versions do not end one; nor does
    a mark that a small letter or a Japanese particle follows in the same line (「はい。」と言う).
    """
    spans: list[tuple[int, int]] = []
    for start, end in _lines(text):
        spans += _within(text, start, end)
    return spans


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Spans of lines, wrapped ones joined."""
    for start, end in _paragraphs(text):
        lines = [(found.start() + start, found.end() + start) for found in re.finditer(r"[^\n]+", text[start:end])]
        begin = lines[0][0]
        # Most paragraphs are one line, whose width nobody asks for.
        widths = [_width(text[line_start:line_end]) for line_start, line_end in lines] if len(lines) > 1 else []
        widest = max(widths, default=0)
        for (_, line_end), (following, following_end), width in zip(lines, lines[1:], widths, strict=False):
            wrapped = widest <= _WRAPPED_AT_MOST and width >= max(_WRAPPED_AT_LEAST, _FILLED * widest)
            if not wrapped or _NEW_LINE_OF_ITS_OWN.match(text, following, following_end):
                yield begin, line_end
                begin = following
        yield begin, lines[-1][1]


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for gap in re.finditer(r"\n[^\S\n]*\n\s*", text):
        if text[start : gap.start()].strip():
            yield start, gap.start()
        start = gap.end()
    if text[start:].strip():
        yield start, len(text)


def _width(line: str) -> int:
    if line.isascii():
        return len(line)
    # U+1100 is the first wide character.
    return len(line) + sum(unicodedata.east_asian_width(character) in "WF" for character in line if character >= "\u1100")


def _within(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for mark in _END.finditer(text, start, end):
        if not _goes_on(text, mark, begin, end):
            yield from _trimmed(text, begin, mark.end())
            begin = mark.end()
    yield from _trimmed(text, begin, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    body = piece.strip()
    if body:
        left = start + len(piece) - len(piece.lstrip())
        yield left, left + len(body)


def _goes_on(text: str, mark: re.Match[str], begin: int, end: int) -> bool:
    """Whether the sentence that began at `begin` goes on after these marks."""
    marks, after = mark["marks"], mark.end()
    following = text[after : min(after + 1, end)]
    if mark["closing"] and _PARTICLE.match(text, after, end):
        return True
    if marks in (".", "．") and _is_digit(text[mark.start() - 1 : mark.start()]) and _is_digit(following):
        return True
    if not _ASCII_MARKS.issuperset(marks) or not following:
        return False
    if not following.isspace():
        return _inside_a_word(text, mark, following)
    start = text[after : min(after + _BEFORE, end)].lstrip()[:1]
    before = text[max(begin, mark.start() - _BEFORE) : mark.start()]
    return "a" <= start <= "z" or (marks == "." and not mark["closing"] and _is_abbreviation(before, start))


def _is_digit(character: str) -> bool:
    return character.isdecimal()


def _inside_a_word(text: str, mark: re.Match[str], following: str) -> bool:
    """Marks without a space after them: an address, a file name, an ellipsis, or a name such as Yahoo!ニュース."""
    before = text[mark.start() - 1 : mark.start()]
    named = mark["marks"] != "." and before.isascii() and before.isalpha()
    return following.isascii() or "…" in mark["marks"] or named


def _is_abbreviation(before: str, following: str) -> bool:
    """Whether the full stop after `before` belongs to a word; `following` is the next visible character."""
    found = _WORD_BEFORE.search(before)
    if found is None:
        return False
    word, previous = found["word"], found["previous"]
    if word.isdecimal():
        # "1. Open the lid": the number of a step, not a sentence.
        return previous is None and before.strip() == word
    if len(word) == 1 and word.isupper():
        # "John F. Kennedy" and "J. Smith", but not "vitamin C. The".
        return previous is None or previous[0].isupper()
    initials = "." in word and all(len(part) <= 1 for part in word.split("."))
    number = word.lower() in _BEFORE_NUMBERS and (following.isdecimal() or following in "([")
    return initials or number or word.lower() in _ABBREVIATIONS
