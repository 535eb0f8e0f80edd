"""PDF: text by page, paragraphs whole again, and clear reasons where there is no text."""

from datetime import UTC, datetime

import pytest
from files import pdf

from retrievers.errors import IngestError
from retrievers.ingest.document import LoadedDocument
from retrievers.ingest.load_pdf import load_pdf
from retrievers.text.clean import Cleaner

ENGLISH = [
    "The torque of the four cover bolts is given in the table and must",
    "not be exceeded. Tighten them crosswise.",
    "- Check twice.",
]
JAPANESE = ["カバーの四本のボルトは対角線の順にトルクレンチで締め", "付けてください。トルクは12Nmです。"]


def read(data: bytes) -> LoadedDocument:
    return load_pdf(data, "name", Cleaner())


@pytest.mark.rule("mm-chunk")
def test_wrapped_lines_are_paragraphs_again_and_pages_are_numbered() -> None:
    """mm-chunk: text with its page; Japanese lines join without a space."""
    document = read(pdf([ENGLISH, JAPANESE]))
    assert [(block.page, document.text[block.start : block.end]) for block in document.blocks] == [
        (1, f"{ENGLISH[0]} {ENGLISH[1]}"),
        (1, "- Check twice."),
        (2, "".join(JAPANESE)),
    ]


def test_title_and_date_come_from_the_information() -> None:
    document = read(pdf([ENGLISH], title="取扱説明書", modified="D:20240501120000+09'00'"))
    assert (document.title, document.modified) == ("取扱説明書", datetime(2024, 5, 1, 12, tzinfo=UTC))
    assert read(pdf([ENGLISH])).title == "name"


def test_headers_footers_and_page_numbers_are_left_out_but_for_the_first() -> None:
    pages = [["XR-4200 manual", f"Bolt {number} takes {number + 10} Nm.", f"Page {number}"] for number in range(3, 8)]
    assert read(pdf(pages)).text.split("\n\n") == ["XR-4200 manual", *(f"Bolt {number} takes {number + 10} Nm." for number in range(3, 8))]


def test_lines_that_differ_in_a_number_are_text() -> None:
    pages = [[f"Invoice {number}", "Four bolts", f"{number * 37}"] for number in range(1, 6)]
    assert read(pdf(pages)).text.count("Invoice") == 5
    assert "185" in read(pdf(pages)).text


def test_pages_without_text_are_named() -> None:
    assert read(pdf([ENGLISH, [], ENGLISH])).notes == ("no text on page 2: scanned pages are not read yet",)


@pytest.mark.rule("R10", "F30")
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (pdf([ENGLISH], encrypted=True), "encrypted: save it without a password"),
        (pdf([[], []]), "no text: scanned pages are not read yet"),
        (pdf([ENGLISH])[:200], "damaged"),
        (b"no pdf", "not a PDF"),
    ],
    ids=["encrypted", "scanned", "cut off", "other"],
)
def test_what_cannot_be_read_says_why(data: bytes, reason: str) -> None:
    """R10, F30: a reason for each."""
    with pytest.raises(IngestError, match=reason):
        read(data)
