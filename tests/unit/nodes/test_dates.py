"""What is cited is held against the time that the question names."""

import pytest
from turns import passage

from nodes.dates import dated_first, named_date, of_another_time

OCTOBER = {"since": "2026-10-01T00:00:00+00:00", "until": "2026-11-01T00:00:00+00:00", "said": "last month"}
ASKED = "Who attended the workshop meeting in September 2026?"


def dated(modified, text="Anna and Ken came.", **fields):
    return passage(str(modified), text, modified=modified, **fields)


@pytest.mark.rule("now")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who came in September 2026?", (2026, 9, None)),
        ("2026年9月の会議には誰が来ましたか", (2026, 9, None)),
        ("Who came on 25 November?", (None, 11, 25)),
        ("Who came on November 25th, 2026?", (2026, 11, 25)),
        ("11月25日の会議", (None, 11, 25)),
        ("the minutes of 2026-11-25", (2026, 11, 25)),
    ],
)
def test_a_month_or_a_day_by_name_is_a_date(question, expected):
    """now: in both languages."""
    assert named_date(question)[:3] == expected


@pytest.mark.parametrize("question", ["May I smoke?", "What is due before 25 November?", "2026年9月以降の文書", "13月40日", ""])
def test_what_bounds_a_time_or_is_none_is_no_date(question):
    assert named_date(question) is None


@pytest.mark.rule("now")
def test_documents_of_the_named_month_come_first():
    """now: the others keep their order behind them."""
    given = [dated("2026-11-25T09:00:00+00:00"), dated(None), dated("2026-09-10T09:00:00+00:00")]
    assert [found["id"][:7] for found in dated_first(ASKED, given)] == ["2026-09", "2026-11", "None"]
    assert dated_first("Who came?", given) == given


@pytest.mark.rule("now")
def test_what_is_cited_from_outside_of_the_period_is_of_another_time():
    """now: one cited document of the period is enough."""
    before, within = dated("2026-09-09T09:00:00+00:00"), dated("2026-10-31T23:00:00+00:00")
    assert of_another_time("What was decided last month?", OCTOBER, [before]) == "last month (2026-10-01–2026-10-31)"
    assert of_another_time("What was decided last month?", OCTOBER, [dated(None)]) == "last month (2026-10-01–2026-10-31)"
    assert of_another_time("What was decided last month?", OCTOBER, [before, within]) == ""
    assert of_another_time("What was decided last month?", OCTOBER, []) == ""


@pytest.mark.rule("now")
def test_a_document_that_contradicts_the_named_month_is_of_another_time():
    """now: not one that names the month, has no date, is a web page, or is asked of what comes."""
    november = dated("2026-11-25T09:00:00+00:00")
    assert of_another_time(ASKED, None, [november]) == "September 2026"
    assert of_another_time(ASKED, None, [{**november, "text": "On 9 September Anna and Ken came."}]) == ""
    assert of_another_time(ASKED, None, [dated("2026-09-10T09:00:00+00:00")]) == ""
    assert of_another_time(ASKED, None, [dated(None)]) == ""
    assert of_another_time(ASKED, None, [{**november, "origin": "web"}]) == ""
    assert of_another_time("Who works on 25 December?", None, [november]) == ""


def test_another_year_that_the_passage_names_is_its_time():
    told = dated("2026-11-25T09:00:00+00:00", "The bridge was opened in spring 1998.")
    assert of_another_time("Which bridge was opened in March 1998?", None, [told]) == ""
