"""Whether a model that knows only Latin script can read a text.

Pure; by letters, no model.
"""

import unicodedata

_LOOKED_AT = 4000
"""Characters: what a text is written in shows within a page."""

_MOST_FOREIGN = 0.2
"""Of a text's letters: Greek symbols in a formula and a name in brackets are no other script."""

_WIDE_WEIGHT = 2.5
"""One Chinese, Japanese or Korean character says about as much as this many Latin letters."""


def is_latin(text: str) -> bool:
    """Whether nearly all letters of `text` are Latin, full width ones too; true for a text without letters."""
    if text.isascii():
        return True
    letters = [letter for letter in unicodedata.normalize("NFKC", text[:_LOOKED_AT]) if letter.isalpha()]
    foreign = sum(_weight(letter) for letter in letters if not _latin(letter))
    latin = sum(map(_latin, letters))
    return foreign <= _MOST_FOREIGN * (foreign + latin)


def _latin(letter: str) -> bool:
    return letter < "\u0250" or "\u1e00" <= letter <= "\u1eff"


def _weight(letter: str) -> float:
    return _WIDE_WEIGHT if unicodedata.east_asian_width(letter) in ("W", "F") else 1.0
