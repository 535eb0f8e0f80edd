"""Reads HTML: what a reader of the page sees, without navigation, scripts and hidden parts.

A loader; called by retrievers.ingest.load. The writing of the text is in html_text.
"""

import warnings
from typing import TYPE_CHECKING

from retrievers.errors import IngestError
from retrievers.ingest.dates import dates_in
from retrievers.ingest.document import LoadedDocument, TextBuilder
from retrievers.ingest.html_text import PageWriter, is_navigation, is_unseen
from retrievers.text.clean import Cleaner
from retrievers.types import Json

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

MIME = "text/html"

_META = {
    "author": "author",
    "description": "description",
    "keywords": "keywords",
    "date": "date",
    "last-modified": "modified",
    "dcterms.modified": "modified",
    "dcterms.created": "created",
    "article:modified_time": "modified",
    "article:published_time": "created",
}
_MOST_TAGS = 400_000
"""A tag takes about a kilobyte in memory; the largest manual pages in one file have half of this."""
_MAIN_LEAST = 200
"""Characters: a page's <main> with less is a frame that a script would fill; likewise a page beside its table of contents."""


def load_html(data: bytes, name: str, cleaner: Cleaner) -> LoadedDocument:
    """Title: the page's, else its first heading, else `name`. The encoding is the page's own (mark, meta, else guessed).

    Raises IngestError for a page without text.
    """
    if data.count(b"<") > _MOST_TAGS:
        raise IngestError("load", f"the page has more than {_MOST_TAGS:,} tags: split it")
    soup = _parsed(data)
    title = cleaner.line(soup.title.get_text()) if soup.title else ""
    metadata = _metadata(soup, cleaner)
    for tag in soup.find_all(is_unseen):
        tag.decompose()
    title = title or cleaner.line(_text_of(soup.find("h1"))) or name
    for tag in soup.find_all(is_navigation):
        tag.decompose()
    builder = _written(soup, cleaner)
    blocks = builder.outline.blocks(title)
    if not blocks:
        raise IngestError("load", "the page has no text: a script may fill it in a browser")
    modified, created = dates_in(metadata)
    notes = (f"read as {soup.original_encoding}",) if soup.original_encoding not in (None, "utf-8", "ascii") else ()
    return LoadedDocument(builder.text, title, blocks, MIME, metadata, modified, created, notes)


def _parsed(data: bytes) -> "BeautifulSoup":
    from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning

    with warnings.catch_warnings():
        # XHTML is HTML enough for what is read here.
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        return BeautifulSoup(data, "lxml")


def _written(soup: "BeautifulSoup", cleaner: Cleaner) -> TextBuilder:
    """The main part where there is one with text, else all; tables of contents only where there is hardly anything else."""
    body = soup.body or soup
    main = body.find(_is_main)
    root = main if main is not None and len(_text_of(main)) >= _MAIN_LEAST else body
    builder = TextBuilder(cleaner)
    PageWriter(builder, contents=False).write(root)
    if len(builder.text) < _MAIN_LEAST:
        builder = TextBuilder(cleaner)
        PageWriter(builder, contents=True).write(root)
    return builder


def _is_main(tag: "Tag") -> bool:
    return tag.name == "main" or tag.get("role") == "main"


def _text_of(tag: object) -> str:
    text: str = tag.get_text(" ", strip=True) if hasattr(tag, "get_text") else ""
    return text


def _metadata(soup: "BeautifulSoup", cleaner: Cleaner) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for tag in soup.find_all("meta"):
        key = _META.get(str(tag.get("name") or tag.get("property") or "").lower())
        content = cleaner.line(str(tag.get("content") or ""))
        if key and content:
            found.setdefault(key, content)
    return found
