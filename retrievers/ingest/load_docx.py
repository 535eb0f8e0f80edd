"""Reads a Word document: headings, paragraphs, list items and tables of its main text.

A loader; called by retrievers.ingest.load. Headers, footnotes and text boxes are left out.
"""

import re
import zipfile
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING

from retrievers.errors import IngestError
from retrievers.ingest.document import LoadedDocument, TextBuilder
from retrievers.text.clean import Cleaner
from retrievers.types import Json

if TYPE_CHECKING:
    from docx.document import Document
    from docx.table import Table
    from docx.text.paragraph import Paragraph

MIME = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

_OLE = b"\xd0\xcf\x11\xe0"
_MOST_UNPACKED = 200 * 2**20
"""Bytes of all parts together: a long book without pictures has 20 MB of XML, a zip bomb terabytes."""
_MOST_XML = 48 * 2**20
"""Bytes of one part of XML: in memory it takes about ten times as much."""
_HEADING = re.compile(r"(?:heading|見出し)\s*([1-9])", re.IGNORECASE)
_LIST = re.compile(r"list|箇条書き|段落番号", re.IGNORECASE)


def load_docx(data: bytes, name: str, cleaner: Cleaner) -> LoadedDocument:
    """Title: that of the properties, else the paragraph in the style Title, else `name`. Raises IngestError."""
    from docx.table import Table

    document = _opened(data)
    builder = TextBuilder(cleaner)
    titled = ""
    for part in document.iter_inner_content():
        if isinstance(part, Table):
            builder.block(_rows(part), "table")
        elif part.text.strip():
            titled = titled or (cleaner.line(part.text) if _style(part).lower() in ("title", "表題") else "")
            _paragraph(builder, part)
    properties = document.core_properties
    title = cleaner.line(properties.title or "") or titled or name
    values = {"author": properties.author, "subject": properties.subject, "keywords": properties.keywords, "category": properties.category}
    metadata: dict[str, Json] = {key: cleaner.line(value) for key, value in values.items() if value and value.strip()}
    blocks = builder.outline.blocks(title)
    if not blocks:
        raise IngestError("load", "the document has no text: pictures and text boxes are not read")
    return LoadedDocument(builder.text, title, blocks, MIME, metadata, _utc(properties.modified), _utc(properties.created))


def _opened(data: bytes) -> "Document":
    """Raises IngestError for what is no Word document, is encrypted, or would unpack to more than memory should hold."""
    if data.startswith(_OLE):
        raise IngestError("load", "encrypted, or an old .doc: save it as .docx without a password")
    import docx
    from docx.opc.exceptions import PackageNotFoundError

    # SyntaxError: what lxml raises for bad XML.
    failures = (PackageNotFoundError, zipfile.BadZipFile, SyntaxError, KeyError, ValueError, NotImplementedError, RuntimeError, OSError)
    try:
        _check_size(data)
        return docx.Document(BytesIO(data))
    except failures as exc:
        raise IngestError("load", f"not a Word document, or a damaged one ({str(exc) or type(exc).__name__})") from exc


def _check_size(data: bytes) -> None:
    with zipfile.ZipFile(BytesIO(data)) as package:
        parts = package.infolist()
    if sum(part.file_size for part in parts) > _MOST_UNPACKED:
        raise IngestError("load", f"it unpacks to more than {_MOST_UNPACKED // 2**20} MB: split it")
    if any(part.file_size > _MOST_XML for part in parts if part.filename.endswith((".xml", ".rels"))):
        raise IngestError("load", f"its text is larger than {_MOST_XML // 2**20} MB: split it")


def _paragraph(builder: TextBuilder, paragraph: "Paragraph") -> None:
    style = _style(paragraph)
    heading = _HEADING.match(style)
    if heading:
        builder.heading(int(heading[1]), paragraph.text)
    elif style.lower() in ("title", "表題"):
        builder.heading(1, paragraph.text)
    elif _LIST.search(style) or (paragraph._p.pPr is not None and paragraph._p.pPr.numPr is not None):
        builder.block(f"- {paragraph.text.strip()}")
    else:
        builder.block(paragraph.text)


def _style(paragraph: "Paragraph") -> str:
    style = paragraph.style
    return (style.name or "") if style is not None else ""


def _rows(table: "Table") -> str:
    """One line a row, cells between bars; a merged cell once."""
    from docx.table import _Cell

    # Not by table.rows[n].cells, which goes through the whole table for every row.
    rows = ([" ".join(_Cell(cell, table).text.split()) for cell in row.tc_lst] for row in table._tbl.tr_lst)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows if any(cells))


def _utc(moment: datetime | None) -> datetime | None:
    """Word writes UTC; python-docx leaves the zone out."""
    return moment.replace(tzinfo=UTC) if moment and not moment.tzinfo else moment
