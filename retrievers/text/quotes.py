"""Finds a quotation in a text although its widths, ligatures or line breaks differ.

Pure; a citation is checked with it, and chunks and sentences are marked by what it returns.
"""

import re
import unicodedata
from collections.abc import Iterator

_ELLIPSIS = re.compile(r"^(?:\.{2,}|…|\s|\[\.\.\.\]|\[…\])+|(?:\.{3,}|…|\s|\[\.\.\.\]|\[…\])+$")
_WIDE = "\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
_SPACE_BESIDE_WIDE = re.compile(rf"(?<=[{_WIDE}])\s+|\s+(?=[{_WIDE}])")
_JAMO = range(0x1160, 0x1200)
"""Vowels and finals of Hangul: combining in fact, though their class is 0."""


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """The span (start, end) of the quote's first occurrence in `text`, or None; an empty quote is found nowhere.

    Compared after NFKC with white space folded (none counts beside a Japanese or Chinese character, where a line break
    means nothing); an ellipsis at the quote's ends is left out. Letter case, punctuation and words must be equal.
    """
    wanted = _folded(_ELLIPSIS.sub("", quote))
    if not wanted:
        return None
    at = text.find(wanted)
    if at >= 0:
        return at, at + len(wanted)
    folded, spans = _fold_with_spans(text)
    at = folded.find(wanted)
    if at < 0:
        return None
    return spans[at][0], spans[at + len(wanted) - 1][1]


def _folded(text: str) -> str:
    return _SPACE_BESIDE_WIDE.sub("", " ".join(unicodedata.normalize("NFKC", text).split()))


def _fold_with_spans(text: str) -> tuple[str, list[tuple[int, int]]]:
    """`_folded(text)` and for each of its characters the span of `text` that it came from."""
    characters: list[str] = []
    spans: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        for character in unicodedata.normalize("NFKC", text[start:end]):
            if not character.isspace():
                characters.append(character)
                spans.append((start, end))
            elif characters and characters[-1] != " ":
                characters.append(" ")
                spans.append((start, end))
    folded = "".join(characters)
    dropped = {index for found in _SPACE_BESIDE_WIDE.finditer(folded) for index in range(found.start(), found.end())}
    if folded.endswith(" "):
        dropped.add(len(folded) - 1)
    kept = [index for index in range(len(folded)) if index not in dropped]
    return "".join(folded[index] for index in kept), [spans[index] for index in kept]


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Spans that NFKC maps independently of each other: a character with the marks that combine with it."""
    start = 0
    for index in range(1, len(text)):
        if not _combines(text[index]):
            yield start, index
            start = index
    if text:
        yield start, len(text)


def _combines(character: str) -> bool:
    if character < "\u0300":
        return False
    first = unicodedata.normalize("NFKD", character)[0]
    return unicodedata.combining(first) > 0 or ord(first) in _JAMO
