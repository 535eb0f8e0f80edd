"""Plain text, and the encodings that text files come in."""

import pytest

from retrievers.errors import IngestError
from retrievers.ingest.load_text import load_text
from retrievers.text.clean import Cleaner

JAPANESE = "カバーの四本のボルトは対角線の順に締め付けてください。トルクは12Nmです。"


def test_a_block_is_a_paragraph() -> None:
    document = load_text(b"  one\ntwo\n\n \nthree\n", "notes", Cleaner())
    assert [document.text[block.start : block.end] for block in document.blocks] == ["one\ntwo", "three"]
    assert (document.title, document.content_type) == ("notes", "text/plain")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read_with_and_without_a_mark(encoding: str) -> None:
    document = load_text(JAPANESE.encode(encoding), "notes", Cleaner())
    assert (document.text, document.notes) == (JAPANESE, ())


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp", "iso2022_jp"])
def test_japanese_encodings_are_read_and_noted(encoding: str) -> None:
    document = load_text(JAPANESE.encode(encoding), "notes", Cleaner())
    assert (document.text, document.notes) == (JAPANESE, (f"read as {encoding}",))


@pytest.mark.rule("R10")
@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 8, b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01", "Größe".encode("latin-1"), b"\xff\xfe\x00"], ids=str
)
def test_bytes_that_are_no_text_are_refused_with_what_to_do(data: bytes) -> None:
    """R10: never read as a guess."""
    with pytest.raises(IngestError, match="save it as UTF-8") as raised:
        load_text(data, "notes", Cleaner())
    assert raised.value.stage == "load"
