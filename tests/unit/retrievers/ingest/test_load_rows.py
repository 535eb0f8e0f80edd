"""`.jsonl`: a document a line, read line by line; a bad line fails alone."""

import io
import json
from datetime import UTC, datetime

import pytest

from retrievers.errors import IngestError
from retrievers.ingest import load_rows
from retrievers.ingest.load_rows import load_row, row_hash, rows_of


def rows(*lines: bytes) -> list[load_rows.Row]:
    return list(rows_of(io.BytesIO(b"\n".join(lines))))


def test_each_line_is_a_document_with_its_extra_fields_as_metadata() -> None:
    fields = {"_id": "m1", "title": "トルク", "text": "12Nmです。", "lang": "ja", "metadata": {"part": 3}, "date": "2024-05-01"}
    [row] = rows(json.dumps(fields).encode())
    document = load_row(row.values or {}, "line 1")
    assert (row.source, document.title, document.text) == ("m1", "トルク", "12Nmです。")
    assert document.metadata == {"part": 3, "lang": "ja", "date": "2024-05-01"}
    assert document.modified == datetime(2024, 5, 1, tzinfo=UTC)


def test_a_bad_line_fails_alone_with_its_number() -> None:
    bad = (b"", b"{broken", b"[1]", b'{"text": "no id"}', b'{"_id": "\xff"}')
    found = rows(b'\xef\xbb\xbf{"_id": 7, "text": "a"}', *bad, b'{"_id": "z", "text": "b"}')
    assert [(row.number, row.source) for row in found] == [(1, "7"), (3, None), (4, None), (5, None), (6, None), (7, "z")]
    assert [row.failure.split(":")[0] for row in found if row.failure] == ["line 3", "line 4", "line 5", "line 6"]


def test_a_line_that_is_too_long_is_skipped_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load_rows, "MOST_LINE", 40)
    found = rows(b'{"_id": "a", "text": "' + b"x" * 300 + b'"}', b'{"_id": "b", "text": "short"}')
    assert [(row.number, row.source) for row in found] == [(1, None), (2, "b")]


def test_a_deep_nest_fails_alone() -> None:
    found = rows(b'{"_id": "a", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", b'{"_id": "b", "text": "fine"}')
    assert [row.source for row in found] == [None, "b"]


@pytest.mark.parametrize(("values", "reason"), [({}, "no text"), ({"text": 5}, "no text"), ({"text": " \n"}, "there is no text")])
def test_a_row_without_text_says_so_with_its_line(values: dict[str, object], reason: str) -> None:
    with pytest.raises(IngestError, match=f"line 9: .*{reason}"):
        load_row(values, "line 9")


@pytest.mark.rule("F10")
def test_text_title_and_metadata_of_a_row_are_cleaned_and_counted() -> None:
    """F10: a NUL or a lone surrogate comes into JSON as an escape."""
    values = json.loads('{"_id": "a", "title": "t\\u0000", "text": "a\\u0000b", "note": "x\\ud800"}')
    document = load_row(values, "line 1")
    assert (document.title, document.text, document.metadata) == ("t", "ab", {"note": "x\ufffd"})
    assert document.notes == ("NUL characters removed: 2", "lone surrogates replaced: 1")


@pytest.mark.rule("T26", "F12")
def test_the_hash_leaves_out_the_id_and_the_order_of_the_keys() -> None:
    """T26, F12: sha256, and the same bytes under another name are the same content."""
    expected = "4e16ba5cc3522ae212dc372daaa694c0f930100af0886c24c3c4808171561d27"
    assert row_hash({"_id": "a", "title": "t", "text": "x"}) == expected
    assert row_hash({"text": "x", "_id": "b", "title": "t"}) == expected
    assert row_hash({"_id": "a", "title": "t", "text": "y"}) != expected
    assert len(row_hash({"text": "\ud800"})) == 64
