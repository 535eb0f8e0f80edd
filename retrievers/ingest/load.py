"""Chooses the loader of a file by its name, reads its bytes within limits, and turns every failure into a reason.

Between discovery and the chunker; one module for each kind of file stands beside it.
"""

import errno
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath

from retrievers.errors import IngestError
from retrievers.ingest.document import LoadedDocument
from retrievers.ingest.load_docx import load_docx
from retrievers.ingest.load_html import load_html
from retrievers.ingest.load_markdown import load_markdown
from retrievers.ingest.load_pdf import load_pdf
from retrievers.ingest.load_text import load_text
from retrievers.text.clean import Cleaner

Loader = Callable[[bytes, str, Cleaner], LoadedDocument]

ROWS = ".jsonl"
LOADERS: dict[str, Loader] = {
    ".md": load_markdown,
    ".markdown": load_markdown,
    ".txt": load_text,
    ".text": load_text,
    ".html": load_html,
    ".htm": load_html,
    ".xhtml": load_html,
    ".pdf": load_pdf,
    ".docx": load_docx,
}
MOST_BYTES = 128 * 2**20
"""Of a file: PDF and Word files with pictures come near it; all of it is in memory while it is read."""
MOST_TEXT = 16 * 2**20
"""Characters of one document: four million tokens, an hour and a half of embedding on two cores, and 10,000 chunks in one transaction."""


def is_read(path: PurePath) -> bool:
    """Whether files of this name are read."""
    return path.suffix.lower() in LOADERS or path.suffix.lower() == ROWS


def read_bytes(path: PurePath) -> bytes:
    """The file's bytes. Raises IngestError for one that is empty, too large or cannot be read."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as exc:
        raise IngestError("load", why_unreadable(exc)) from exc
    if not data:
        raise IngestError("load", "the file is empty")
    if len(data) > MOST_BYTES:
        raise IngestError("load", f"larger than {MOST_BYTES // 2**20} MB: split it")
    return data


def why_unreadable(exc: OSError) -> str:
    """The system's reason in the words of a report."""
    if exc.errno in (errno.EACCES, errno.EPERM):
        return "no permission to read it"
    return f"it cannot be read: {exc.strerror or exc}"


def load(data: bytes, path: PurePath) -> LoadedDocument:
    """The document in these bytes, by the kind that the path's suffix names; its notes say what was cleaned. Raises IngestError."""
    cleaner = Cleaner()
    try:
        document = LOADERS[path.suffix.lower()](data, cleaner.line(path.stem), cleaner)
    except (RecursionError, MemoryError) as exc:
        raise IngestError("load", f"too deeply nested or too large to be read ({type(exc).__name__})") from exc
    return checked(document, cleaner)


def checked(document: LoadedDocument, cleaner: Cleaner) -> LoadedDocument:
    """The document with a note of what the cleaner took out. Raises IngestError where it holds no text or too much."""
    if not document.blocks:
        raise IngestError("load", "there is no text in it")
    if len(document.text) > MOST_TEXT:
        raise IngestError("load", f"its text is longer than {MOST_TEXT // 2**20} million characters: split it")
    counts = (("NUL characters removed", cleaner.nul), ("lone surrogates replaced", cleaner.surrogates))
    return replace(document, notes=(*document.notes, *(f"{what}: {count}" for what, count in counts if count)))
