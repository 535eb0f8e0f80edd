"""Makes any text storable: no NUL, no lone surrogates, one kind of line end; and counts what it took out.

Pure; used by the loaders, the embedders and whatever else takes text from outside.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from retrievers.types import Json

_LINE_ENDS = str.maketrans({"\x0b": "\n", "\x0c": "\n", "\x85": "\n", "\u2028": "\n", "\u2029": "\n"})
_MAX_VALUES = 10_000
"""Values in one document's metadata: far above any real front matter, and the end of a YAML alias bomb."""
_MAX_DEPTH = 50
"""Levels of metadata; Python's own recursion limit is not far above a few hundred."""


@dataclass(frozen=True)
class Cleaned:
    """`text` as it can be stored; `nul` characters were removed, `surrogates` lone ones became U+FFFD."""

    text: str
    nul: int = 0
    surrogates: int = 0


class TooManyValues(ValueError):
    """Metadata with more values or levels than any document has."""


def clean(text: str) -> Cleaned:
    """Remove NULs, replace lone surrogates by U+FFFD, drop a byte order mark, make every line end a newline.

    PostgreSQL refuses NUL, UTF-8 refuses surrogates. A high and a low surrogate that stand together are one character.
    Idempotent; length may shrink.
    """
    nul = text.count("\0")
    if nul:
        text = text.replace("\0", "")
    surrogates = 0
    if not text.isascii():
        before = text.count("\ufffd")
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        surrogates = text.count("\ufffd") - before
        text = text.lstrip("\ufeff")
    return Cleaned(text.replace("\r\n", "\n").replace("\r", "\n").translate(_LINE_ENDS), nul, surrogates)


class Cleaner:
    """Cleans all the strings of one document and adds up what was taken out."""

    def __init__(self) -> None:
        self.nul = 0
        self.surrogates = 0
        self._values = 0

    def text(self, text: str) -> str:
        """`clean`, counted."""
        cleaned = clean(text)
        self.nul += cleaned.nul
        self.surrogates += cleaned.surrogates
        return cleaned.text

    def line(self, text: str) -> str:
        """Cleaned, white space folded, without line ends: for titles and headings."""
        return " ".join(self.text(text).split())

    def mapping(self, values: Mapping[object, object], depth: int = 0) -> dict[str, Json]:
        """Parsed YAML or JSON as a jsonb column takes it, keys as text. Raises TooManyValues."""
        return {self.text(str(key)): self.value(value, depth + 1) for key, value in values.items()}

    def value(self, value: object, depth: int = 0) -> Json:
        """One value of `mapping`: dates become ISO text, NaN and infinity null, what JSON does not know its text."""
        self._values += 1
        if self._values > _MAX_VALUES or depth > _MAX_DEPTH:
            raise TooManyValues(f"the metadata holds more than {_MAX_VALUES} values or {_MAX_DEPTH} levels")
        match value:
            case None | bool() | int():
                return value
            case float():
                return value if math.isfinite(value) else None
            case str():
                return self.text(value)
            case Mapping():
                return self.mapping(value, depth)
            case list() | tuple() | set() | frozenset():
                return [self.value(item, depth + 1) for item in value]
            case _:
                isoformat = getattr(value, "isoformat", None)
                return self.text(isoformat() if callable(isoformat) else str(value))
