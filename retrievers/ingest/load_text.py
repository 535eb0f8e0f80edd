"""Reads plain text: one section, a block for each paragraph.

A loader; called by retrievers.ingest.load.
"""

import re

from retrievers.ingest.decode import decode
from retrievers.ingest.document import LoadedDocument, Outline
from retrievers.text.clean import Cleaner

MIME = "text/plain"

_PARAGRAPH = re.compile(r"\S(?:.|\n(?![^\S\n]*\n))*")


def load_text(data: bytes, name: str, cleaner: Cleaner) -> LoadedDocument:
    """The title is `name`. Raises IngestError."""
    text, encoding = decode(data)
    text = cleaner.text(text)
    outline = Outline()
    for start, end in paragraphs(text):
        outline.block(start, end)
    notes = (f"read as {encoding}",) if encoding else ()
    return LoadedDocument(text, name, outline.blocks(name), MIME, notes=notes)


def paragraphs(text: str) -> list[tuple[int, int]]:
    """Spans between blank lines, without white space at their end."""
    return [(found.start(), found.start() + len(found[0].rstrip())) for found in _PARAGRAPH.finditer(text)]
