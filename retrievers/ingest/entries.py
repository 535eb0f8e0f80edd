"""Lists the documents to be: one for each file, one for each line of a `.jsonl`, one for each text handed in.

Between discovery and the pipeline; an entry knows its source and content hash before it is parsed, so unchanged ones cost nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path, PurePosixPath

from retrievers.errors import IngestError
from retrievers.ingest.discover import Found
from retrievers.ingest.document import LoadedDocument
from retrievers.ingest.load import ROWS, is_read, load, read_bytes, why_unreadable
from retrievers.ingest.load_rows import Row, load_row, row_hash, rows_of
from retrievers.text.clean import clean

_COUNTED_BYTES = 2**20


@dataclass(frozen=True)
class Entry:
    """A document to be. `load` parses it and raises IngestError; `size` is in bytes, for the memory it holds.

    Where `refused` is set there is no document, and `reason` says why. `owner` is the source under which a failure is kept,
    None where it is not kept. `hides`: what could not be read may hold documents whose sources nobody knows. `container` is
    the source of the file whose line this is.
    """

    path: str
    source: str
    content_hash: str = ""
    size: int = 0
    load: Callable[[], LoadedDocument] | None = None
    refused: str | None = None
    reason: str | None = None
    owner: str | None = None
    hides: bool = False
    container: str | None = None


def entries_of(found: Sequence[Found]) -> Iterator[Entry]:
    """An entry for each document in the files, in order; reads them one after the other."""
    for file in found:
        if file.refused:
            yield _refusal(file, file.refused, file.reason or "")
        elif not is_read(file.path):
            yield _refusal(file, "skipped", f"files of the kind {file.path.suffix or file.path.name!r} are not read")
        elif file.path.suffix.lower() == ROWS:
            yield from _rows(file)
        else:
            yield _file(file)


def count_documents(found: Sequence[Found]) -> int:
    """How many entries the files will give, near enough for a progress bar: a `.jsonl` counts its lines."""
    return sum(_lines(file.path) if file.path.suffix.lower() == ROWS and not file.refused else 1 for file in found)


def entries_of_content(items: Sequence[Mapping[str, object]]) -> Iterator[Entry]:
    """An entry for each text handed in: `{source, text, title?, metadata?}`; the source's suffix tells Markdown and HTML from text."""
    for number, item in enumerate(items, 1):
        source, text = item.get("source"), item.get("text", item.get("content"))
        if not isinstance(source, str) or not source.strip():
            yield Entry(f"content {number}", f"content {number}", refused="failed", reason=f"content {number}: it has no source")
            continue
        values = {"text": text, "title": item.get("title"), "metadata": item.get("metadata") or {}}
        yield Entry(source, source.strip(), row_hash(values), len(str(text)), _content_loader(source, values), owner=source.strip())


def _refusal(file: Found, status: str, reason: str) -> Entry:
    failed = status == "failed"
    hides = failed and (file.path.suffix.lower() == ROWS or file.path.is_dir())
    return Entry(str(file.path), file.source, refused=status, reason=reason, owner=file.source if failed else None, hides=hides)


def _file(file: Found) -> Entry:
    try:
        data = read_bytes(file.path)
        modified = _modified(file.path)
    except IngestError as exc:
        return _refusal(file, "failed", str(exc))
    digest = sha256(data).hexdigest()
    return Entry(str(file.path), file.source, digest, len(data), lambda: _dated(load(data, file.path), modified), owner=file.source)


def _rows(file: Found) -> Iterator[Entry]:
    try:
        modified = _modified(file.path)
        with open(file.path, "rb") as lines:
            empty = True
            for row in rows_of(lines):
                empty = False
                yield _row(file, row, modified)
            if empty:
                yield _refusal(file, "failed", "the file is empty")
    except OSError as exc:
        yield _refusal(file, "failed", why_unreadable(exc))


def _row(file: Found, row: Row, modified: datetime) -> Entry:
    path = str(file.path)
    if row.source is None or row.values is None:
        # Its own source is unknown, so the file answers for it.
        line = f"{file.source}:{row.number}"
        return Entry(path, line, refused="failed", reason=row.failure, owner=file.source, hides=True, container=file.source)
    values, where = row.values, f"line {row.number}"
    return Entry(
        path,
        row.source,
        row_hash(values),
        len(str(values.get("text"))),
        lambda: _dated(load_row(values, where), modified),
        owner=row.source,
        container=file.source,
    )


def _content_loader(source: str, values: Mapping[str, object]) -> Callable[[], LoadedDocument]:
    path = PurePosixPath(source)
    text = values["text"]
    if path.suffix.lower() not in (".md", ".markdown", ".html", ".htm") or not isinstance(text, str):
        return lambda: load_row(values, source)
    return lambda: _with_given(load(clean(text).text.encode(), path), values)


def _with_given(document: LoadedDocument, values: Mapping[str, object]) -> LoadedDocument:
    """The parsed document with the title and metadata that came beside it."""
    given = load_row({**values, "text": "."}, "content")
    return replace(document, title=given.title or document.title, metadata={**document.metadata, **given.metadata})


def _dated(document: LoadedDocument, modified: datetime) -> LoadedDocument:
    return document if document.modified else replace(document, modified=modified)


def _modified(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _lines(path: Path) -> int:
    try:
        with open(path, "rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(_COUNTED_BYTES), b"")) or 1
    except OSError:
        return 1
