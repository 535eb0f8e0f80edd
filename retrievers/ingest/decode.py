"""Turns a text file's bytes into text, or says why that cannot be done.

Used by the loaders of plain text and Markdown; HTML declares its own encoding.
"""

import codecs
import re

from retrievers.errors import IngestError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_JAPANESE = ("iso2022_jp", "euc_jp", "cp932")
"""In the order in which a wrong one is noticed soonest."""
_KANA = re.compile("[\u3041-\u30fe]")
_NOT_TEXT = re.compile("[\ue000-\uf8ff\uff61-\uff9f]")
_LOOKED_AT = 4096


def decode(data: bytes) -> tuple[str, str | None]:
    """The text, and the encoding where it was neither UTF-8 nor marked.

    Bytes that are not UTF-8 are tried as the Japanese encodings, and taken only where the result has kana and few
    half-width or private characters. Raises IngestError.
    """
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    try:
        if not _is_escaped(data):
            return data.decode(marked or "utf-8"), None
    except UnicodeDecodeError as exc:
        if marked:
            raise IngestError("load", f"bytes that are not {marked.upper()}, from byte {exc.start}: save it as UTF-8") from exc
        return _japanese(data, exc)
    return _japanese(data, None)


def _is_escaped(data: bytes) -> bool:
    """Whether it is ISO-2022-JP: seven-bit, so it would pass as UTF-8."""
    return b"\x1b$" in data and data.isascii()


def _japanese(data: bytes, not_utf8: UnicodeDecodeError | None) -> tuple[str, str | None]:
    for encoding in _JAPANESE:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        sample = text[:_LOOKED_AT]
        if len(_KANA.findall(sample)) > 4 * len(_NOT_TEXT.findall(sample)):
            return text, encoding
    at = f", from byte {not_utf8.start}" if not_utf8 else ""
    raise IngestError("load", f"bytes that are no text in UTF-8 or a Japanese encoding{at}: save it as UTF-8") from not_utf8
