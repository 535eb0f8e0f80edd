"""Reads Markdown: the stored text is the file itself without its front matter, so that quotes stand in the file as they are.

A loader; called by retrievers.ingest.load.
"""

import re

from retrievers.errors import IngestError
from retrievers.ingest.dates import dates_in
from retrievers.ingest.decode import decode
from retrievers.ingest.document import LoadedDocument, Outline
from retrievers.ingest.front_matter import read_front_matter
from retrievers.text.clean import Cleaner, TooManyValues
from retrievers.types import ContentType

MIME = "text/markdown"

_KINDS: dict[str, ContentType] = {"fence": "code", "code_block": "code", "table_open": "table"}
_MARKUP = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?|<[^>]+>|[*_`~]{1,3}")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def load_markdown(data: bytes, name: str, cleaner: Cleaner) -> LoadedDocument:
    """Title: that of the front matter, else the first heading of the first level, else `name`. Raises IngestError."""
    text, encoding = decode(data)
    text = cleaner.text(text)
    front = read_front_matter(text)
    try:
        metadata = cleaner.mapping(front.values)
    except TooManyValues as exc:
        raise IngestError("load", str(exc)) from exc
    body = text[front.body_at :]
    outline, first_heading = _outline(body)
    given = metadata.pop("title", None)
    title = cleaner.line(str(given)) if given not in (None, "") else first_heading or name
    modified, created = dates_in(metadata)
    notes = [note for note in (front.note, encoding and f"read as {encoding}") if note]
    return LoadedDocument(body, title, outline.blocks(title), MIME, metadata, modified, created, tuple(notes))


def _outline(text: str) -> tuple[Outline, str | None]:
    """The blocks of the text and its first heading of the first level."""
    from markdown_it import MarkdownIt

    starts = [0, *(found.end() for found in re.finditer("\n", text)), len(text)]
    outline = Outline()
    first: str | None = None
    # Only the blocks are wanted, and the inline rules take most of the time.
    tokens = MarkdownIt("commonmark").enable("table").disable("inline").parse(text)
    for index, token in enumerate(tokens):
        if token.level or token.map is None or token.type == "hr":
            continue
        start, end = _trimmed(text, starts[token.map[0]], starts[token.map[1]])
        if token.type == "heading_open":
            name = plain(tokens[index + 1].content)
            first = first or (name if token.tag == "h1" else None)
            outline.heading(int(token.tag[1]), name, start, end)
        elif start < end and not _COMMENT.fullmatch(text, start, end):
            outline.block(start, end, _KINDS.get(token.type, "text"))
    return outline, first


def plain(inline: str) -> str:
    """A heading's text without emphasis, code marks and link targets."""
    return " ".join(_MARKUP.sub(lambda found: found[1] or "", inline).split())


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without empty lines around it; what indents its first line stays."""
    body = text[start:end]
    return start + len(body) - len(body.lstrip("\n")), start + len(body.rstrip())
