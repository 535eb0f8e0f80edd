"""Word documents: headings, lists and tables, and clear reasons where there is no text."""

import io
import zipfile

import pytest
from files import docx

from retrievers.errors import IngestError
from retrievers.ingest.document import LoadedDocument
from retrievers.ingest.load_docx import load_docx
from retrievers.text.clean import Cleaner

PARTS = [
    ("Title", "取扱説明書"),
    ("Normal", "最初にお読みください。"),
    ("Heading 1", "Cover"),
    ("Normal", "Remove the bolts."),
    ("Heading 2", "トルク"),
    ("List Bullet", "M6は12Nm"),
    ("table", [["Bolt", "Nm"], ["M6", "12"]]),
]


def read(data: bytes) -> LoadedDocument:
    return load_docx(data, "name", Cleaner())


def test_headings_lists_and_tables_become_blocks() -> None:
    document = read(docx(PARTS))
    assert document.title == "取扱説明書"
    assert [(*block.heading_path, block.content_type, document.text[block.start : block.end]) for block in document.blocks] == [
        ("text", "最初にお読みください。"),
        ("Cover", "text", "Remove the bolts."),
        ("Cover", "トルク", "text", "- M6は12Nm"),
        ("Cover", "トルク", "table", "| Bolt | Nm |\n| M6 | 12 |"),
    ]


def test_the_title_of_the_properties_comes_first() -> None:
    assert read(docx(PARTS, title="Manual")).title == "Manual"
    assert read(docx([("Normal", "text")])).title == "name"


def zipped(name: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr(name, content)
    return out.getvalue()


@pytest.mark.rule("R10", "F30")
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xd0\xcf\x11\xe0 an encrypted one is an OLE file", "encrypted"),
        (b"PK\x03\x04 cut off", "damaged"),
        (zipped("a.txt", b"text"), "damaged"),
        (zipped("word/document.xml", bytes(49 * 2**20)), "larger than 48 MB"),
        (zipped("word/media/a.bin", bytes(201 * 2**20)), "more than 200 MB"),
        (docx([]), "no text"),
    ],
    ids=["encrypted", "damaged", "other zip", "huge text", "zip bomb", "empty"],
)
def test_what_cannot_be_read_says_why(data: bytes, reason: str) -> None:
    """R10, F30: a zip bomb is refused before it is unpacked."""
    assert len(data) < 2**20
    with pytest.raises(IngestError, match=reason):
        read(data)
