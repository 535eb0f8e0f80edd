"""Reads `.jsonl`: one document a line, `{"_id", "title", "text", ...}`, every other field metadata.

A loader for files that hold many documents; called by retrievers.ingest.entries. Lines are read one by one, whatever the file's size.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import BinaryIO

from retrievers.errors import IngestError
from retrievers.ingest.dates import dates_in
from retrievers.ingest.document import LoadedDocument, Outline
from retrievers.ingest.load import checked
from retrievers.ingest.load_text import MIME, paragraphs
from retrievers.text.clean import Cleaner, TooManyValues, clean

MOST_LINE = 32 * 2**20
"""Bytes of a line; a text may have half as many characters."""
_FIELDS = frozenset(("_id", "title", "text", "metadata"))


@dataclass(frozen=True)
class Row:
    """A line: its document's `source` and `values`, or in `failure` why it is none. `number` counts from 1."""

    number: int
    source: str | None = None
    values: Mapping[str, object] | None = None
    failure: str | None = None


def rows_of(file: BinaryIO) -> Iterator[Row]:
    """The rows of an open file, empty lines left out; a bad line fails alone."""
    number = 0
    while line := file.readline(MOST_LINE + 1):
        number += 1
        if len(line) > MOST_LINE:
            _skip_line(file, line)
            yield Row(number, failure=f"line {number}: longer than {MOST_LINE // 2**20} MB: split it")
        elif line.strip():
            yield _row(number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)


def row_hash(values: Mapping[str, object]) -> str:
    """sha256 of the row without its `_id`: the same text under another id is the same content."""
    kept = {key: value for key, value in values.items() if key != "_id"}
    return sha256(json.dumps(kept, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def load_row(values: Mapping[str, object], where: str) -> LoadedDocument:
    """The document of a row; `where` stands before the reason of the IngestError that it raises."""
    cleaner = Cleaner()
    text = values.get("text")
    if not isinstance(text, str):
        raise IngestError("load", f"{where}: it has no text (a string under the key 'text')")
    given = values.get("title")
    title = cleaner.line(given) if isinstance(given, str) else ""
    body = cleaner.text(text)
    outline = Outline()
    for start, end in paragraphs(body):
        outline.block(start, end)
    try:
        metadata = cleaner.mapping(_metadata(values))
        modified, created = dates_in(metadata)
        return checked(LoadedDocument(body, title, outline.blocks(title), MIME, metadata, modified, created), cleaner)
    except (TooManyValues, IngestError) as exc:
        raise IngestError("load", f"{where}: {exc}") from exc


def _row(number: int, line: bytes) -> Row:
    try:
        values = json.loads(line.decode())
    except (ValueError, RecursionError) as exc:
        # UnicodeDecodeError and JSONDecodeError are ValueErrors.
        reason = exc.reason if isinstance(exc, UnicodeDecodeError) else str(exc) or type(exc).__name__
        return Row(number, failure=f"line {number}: not JSON in UTF-8 ({reason})")
    if not isinstance(values, dict):
        return Row(number, failure=f'line {number}: not an object such as {{"_id": "a", "title": "A", "text": "..."}}')
    identity = values.get("_id")
    source = clean(str(identity)).text.strip() if isinstance(identity, str | int) and not isinstance(identity, bool) else ""
    if not source:
        return Row(number, failure=f"line {number}: it has no '_id'")
    return Row(number, source, values)


def _metadata(values: Mapping[str, object]) -> dict[object, object]:
    """The extra fields; an object under `metadata` is spread out, anything else there is a field like others."""
    nested = values.get("metadata")
    extra: dict[object, object] = {key: value for key, value in values.items() if key not in _FIELDS}
    if isinstance(nested, dict):
        return {**nested, **extra}
    return extra if nested is None else {**extra, "metadata": nested}


def _skip_line(file: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = file.readline(MOST_LINE)
