"""Dates as documents write them."""

from datetime import UTC, datetime

import pytest

from retrievers.ingest.dates import dates_in, read_date, read_pdf_date


@pytest.mark.parametrize(
    "value",
    [
        "2024-05-01",
        "2024/5/1",
        "2024年5月1日",
        "20240501",
        "2024-05-01T09:00:00+09:00",
        "Wed, 01 May 2024 00:00:00 GMT",
        "2024-05",
        "2024.5.1",
    ],
)
def test_usual_forms_are_read(value: str) -> None:
    assert read_date(value) == datetime(2024, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize("value", ["yesterday", "", "2024-13-01", True, 1.5, ["2024"], {"a": 1}, "99999999999"])
def test_what_is_no_date_is_none(value: object) -> None:
    assert read_date(value) is None  # type: ignore[arg-type]


def test_modified_and_created_have_several_names() -> None:
    may, june = datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 6, 1, tzinfo=UTC)
    assert dates_in({"Date": "2024-05-01"}) == (may, may)
    assert dates_in({"date": "2024-05-01", "last-modified": "2024-06-01"}) == (june, may)
    assert dates_in({"updated": "soon", "created": 2024}) == (None, datetime(2024, 1, 1, tzinfo=UTC))


def test_a_pdf_date_may_be_short_or_wrong() -> None:
    assert read_pdf_date("D:2024") == datetime(2024, 1, 1, tzinfo=UTC)
    assert read_pdf_date("D:20241399") is None
    assert read_pdf_date("May 2024") is None
