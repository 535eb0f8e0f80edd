"""Reads the text of a PDF, page by page, with lines joined to paragraphs again.

A loader; called by retrievers.ingest.load. Scanned pages have no text and are named.
"""

import re
from collections import Counter
from collections.abc import Iterator
from threading import Lock
from typing import Any

from retrievers.errors import IngestError
from retrievers.ingest.dates import read_pdf_date
from retrievers.ingest.document import LoadedDocument, TextBuilder
from retrievers.text.clean import Cleaner
from retrievers.types import Json

MIME = "application/pdf"

_ONE_AT_A_TIME = Lock()
"""PDFium keeps state of the whole process and is not thread-safe."""
_INFORMATION = {"Author": "author", "Subject": "subject", "Keywords": "keywords"}
_LINE_HYPHEN = "\ufffe"
"""What PDFium gives for a hyphen that only the line's end asked for."""
_WIDE = "\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
_STARTS = re.compile(r"(?:[-*•・●○■□◆–]|\(?\d{1,3}[.)．）]|[（(]\d{1,3}[）)]|[①-⑳]|第.{1,4}[章節条])\s*\S")
_FILLED = 0.75
"""Of the page's widest lines: a shorter line ends a paragraph, but for a page of short lines such as a slide's, which stay apart."""
_WRAPPED_AT_LEAST = 20
_PAGE_NUMBER = re.compile(r"(?:page|p\.|[-–—])?\s*(\d{1,5})\s*(?:[-–—]|ページ|頁|(?:/|of)\s*\d{1,5})?", re.IGNORECASE)
_FEWEST_PAGES, _MOST = 4, 0.5
"""A line that runs over fewer pages, or over a smaller share of them, may be text."""
_NAMED_PAGES = 10


def load_pdf(data: bytes, name: str, cleaner: Cleaner) -> LoadedDocument:
    """Title: that of the PDF's information, else `name`. Raises IngestError for an encrypted, damaged or scanned file."""
    import pypdfium2

    with _ONE_AT_A_TIME:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as exc:
            raise IngestError("load", _why(str(exc))) from exc
        try:
            pages = [_text_of(page) for page in document]
            information = document.get_metadata_dict()
        except pypdfium2.PdfiumError as exc:
            raise IngestError("load", f"the PDF is damaged: {exc}") from exc
        finally:
            document.close()
    empty = [number for number, page in enumerate(pages, 1) if not page.strip()]
    if len(empty) == len(pages):
        raise IngestError("load", "no text: scanned pages are not read yet")
    builder = TextBuilder(cleaner)
    for number, lines in enumerate(without_running_lines([page_lines(page) for page in pages]), 1):
        builder.page = number
        for paragraph in paragraphs(lines):
            builder.block(paragraph)
    return _document(builder, information, name, empty)


def page_lines(page: str) -> list[str]:
    """The page's lines, white space folded; a word divided at a line's end is whole again."""
    joined = page.replace(f"{_LINE_HYPHEN}\r\n", _LINE_HYPHEN).replace(_LINE_HYPHEN, "")
    return [" ".join(line.split()) for line in joined.splitlines()]


def without_running_lines(pages: list[list[str]]) -> list[list[str]]:
    """The pages without headers and footers: a first or last line that most pages have word for word stays on the first of them.

    A line that is just the page's number goes where most pages have one, counted on from page to page.
    """
    edges = [{0, len(lines) - 1} if lines else set() for lines in pages]
    lines_at = [{index: lines[index] for index in at} for lines, at in zip(pages, edges, strict=True)]
    fewest = max(_FEWEST_PAGES, _MOST * len(pages))
    seen = Counter(line for at in lines_at for line in set(at.values()))
    offsets = Counter(_offset(line, page) for page, at in enumerate(lines_at) for line in at.values())
    kept: list[list[str]] = []
    shown: set[str] = set()
    for page, (lines, at) in enumerate(zip(pages, lines_at, strict=True)):
        offset = {index: _offset(line, page) for index, line in at.items()}
        numbers = {index for index, found in offset.items() if found is not None and offsets[found] >= fewest}
        repeated = {index for index, line in at.items() if seen[line] >= fewest and line in shown}
        shown |= set(at.values())
        kept.append([line for index, line in enumerate(lines) if index not in numbers | repeated])
    return kept


def _offset(line: str, page: int) -> int | None:
    """The number that stands alone in the line, less the page's place in the file."""
    found = _PAGE_NUMBER.fullmatch(line)
    return int(found[1]) - page if found else None


def paragraphs(lines: list[str]) -> Iterator[str]:
    """The lines of a page joined where they were only wrapped."""
    widths = sorted(map(_width, filter(None, lines)))
    full = max(_FILLED * widths[int(0.9 * (len(widths) - 1))] if widths else 0, _WRAPPED_AT_LEAST)
    current = ""
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        current = _joined(current, line)
        if not following or not line or _width(line) < full or _STARTS.match(following):
            if current:
                yield current
            current = ""


def _joined(before: str, line: str) -> str:
    if not before or not line:
        return before or line
    beside_wide = re.search(rf"[{_WIDE}]\Z", before) and re.match(rf"[{_WIDE}]", line)
    return before + ("" if beside_wide else " ") + line


def _width(line: str) -> int:
    return len(line) + len(re.findall(rf"[{_WIDE}]", line))


def _text_of(page: Any) -> str:
    textpage = page.get_textpage()
    try:
        text: str = textpage.get_text_range()
        return text
    finally:
        textpage.close()
        page.close()


def _document(builder: TextBuilder, information: dict[str, str], name: str, empty: list[int]) -> LoadedDocument:
    cleaner = builder.cleaner
    title = cleaner.line(information.get("Title", "")) or name
    values = {key: cleaner.line(information.get(known, "")) for known, key in _INFORMATION.items()}
    metadata: dict[str, Json] = {key: value for key, value in values.items() if value}
    modified, created = (read_pdf_date(information.get(key, "")) for key in ("ModDate", "CreationDate"))
    notes = (f"no text on page {_few(empty)}: scanned pages are not read yet",) if empty else ()
    return LoadedDocument(builder.text, title, builder.outline.blocks(title), MIME, metadata, modified or created, created, notes)


def _few(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:_NAMED_PAGES]))
    return f"{shown} and {len(numbers) - _NAMED_PAGES} more" if len(numbers) > _NAMED_PAGES else shown


def _why(message: str) -> str:
    if "password" in message.lower() or "security" in message.lower():
        return "the PDF is encrypted: save it without a password"
    return f"not a PDF, or a damaged one ({message})"
