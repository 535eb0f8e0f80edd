"""Cuts a text to so many tokens, at the end of a word.

Pure; for models whose tokeniser can count and nothing more. A model that shows its tokens cuts at one of them itself.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

_PIECE = re.compile(
    r"\s*(?:[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]|[^\s\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]+)"
)
"""A word with the space before it; a character where the script has no spaces."""


def fitted(text: str, tokens: int, count: Callable[[str], int]) -> str:
    """The longest beginning of `text`, in whole words, that has at most `tokens` tokens; part of a word where the first has more."""
    # A token is at least one character, but for rare ones that a model spells out.
    if len(text) <= tokens or count(text) <= tokens:
        return text
    ends = [found.end() for found in _PIECE.finditer(text)]
    fitting = bisect_right(ends, tokens, key=lambda end: count(text[:end]))
    if fitting:
        return text[: ends[fitting - 1]]
    return text[: bisect_right(range(1, len(text)), tokens, key=lambda end: count(text[:end]))]


def fitted_pair(query: str, texts: Sequence[str], window: int, count: Callable[[str], int]) -> tuple[str, list[str]]:
    """A query and the texts beside it so that each pair fits into `window` tokens: the query whole up to half of it, the texts cut."""
    if len(query) + max(map(len, texts), default=0) <= window:
        return query, list(texts)
    query = fitted(query, window // 2, count)
    room = window - count(query)
    return query, [fitted(text, room, count) for text in texts]
