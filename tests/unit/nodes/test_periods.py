"""The time that a question names becomes a period, where it is said of documents or reckoned from now."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from nodes.periods import is_vague, period_of, without_time

NOW = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)
"""A Monday."""


def days(question, now=NOW):
    """The first days of the period and after it."""
    period = period_of(question, now)
    return period and tuple(moment and moment[:10] for moment in (period["since"], period["until"]))


@pytest.mark.rule("now")
@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("What did we decide yesterday?", "2026-11-29", "2026-11-30"),
        ("What changed last week?", "2026-11-23", "2026-11-30"),
        ("What changed last month?", "2026-10-01", "2026-11-01"),
        ("What was shipped last quarter?", "2026-07-01", "2026-10-01"),
        ("What was the turnover last year?", "2025-01-01", "2026-01-01"),
        ("What was discussed over the past 3 months?", "2026-08-28", None),
        ("What happened in the last 10 days?", "2026-11-20", None),
        ("What did Anna say two weeks ago?", "2026-11-16", "2026-11-23"),
        ("What was discussed last Monday?", "2026-11-23", "2026-11-24"),
        ("Who left last summer?", "2026-06-01", "2026-09-01"),
        ("What has been added since last week?", "2026-11-23", None),
        ("What did we ship this quarter?", "2026-10-01", None),
        ("Which files were updated today?", "2026-11-30", None),
        ("Who came to the meetings this month?", "2026-11-01", None),
        ("今月の会議の参加者は？", "2026-11-01", None),
        ("今週の打ち合わせの内容は？", "2026-11-30", None),
        ("今日の会議で何が決まりましたか？", "2026-11-30", None),
        ("What was decided in March?", "2026-03-01", "2026-04-01"),
        ("What was decided in December?", "2025-12-01", "2026-01-01"),
        ("昨日決まったことは？", "2026-11-29", "2026-11-30"),
        ("一昨日の会議で決まったことは？", "2026-11-28", "2026-11-29"),
        ("先週の議事録には何がありますか", "2026-11-23", "2026-11-30"),
        ("先々週の報告は？", "2026-11-16", "2026-11-23"),
        ("先月の変更点は？", "2026-10-01", "2026-11-01"),
        ("昨年度の売上は？", "2025-04-01", "2026-04-01"),
        ("去年の夏に決まったことは？", "2025-06-01", "2025-09-01"),
        ("去年の8月の議事録", "2025-08-01", "2025-09-01"),
        ("今年変わった規則は？", "2026-01-01", None),
        ("過去3か月の変更点", "2026-08-28", None),
        ("3日前に決まったことは？", "2026-11-27", "2026-11-28"),
    ],
)
def test_a_time_reckoned_from_now_is_a_period(question, since, until):
    """now: in both languages; `until` is the first day after it."""
    assert days(question) == (since, until)


@pytest.mark.rule("now", "pg-meta")
@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("What has changed since 2024?", "2024-01-01", None),
        ("documents from 2023 about pumps", "2023-01-01", "2024-01-01"),
        ("notes from March 2025", "2025-03-01", "2025-04-01"),
        ("Which reports after 2024 mention pumps?", "2025-01-01", None),
        ("Which reports before 2024 mention pumps?", None, "2024-01-01"),
        ("2024年以降の文書で返品に触れているものは？", "2024-01-01", None),
        ("2024年以前の文書は？", None, "2025-01-01"),
        ("2023年の報告書", "2023-01-01", "2024-01-01"),
        ("2024年4月の議事録", "2024-04-01", "2024-05-01"),
    ],
)
def test_a_date_that_is_said_of_documents_is_a_period(question, since, until):
    """now, pg-meta: the date they were written, not what they are about."""
    assert days(question) == (since, until)


@pytest.mark.rule("now")
@pytest.mark.parametrize(
    "question",
    [
        "What happened in 1998?",
        "Who has elected the President of Warsaw since 1990?",
        "Who sang Yesterday?",
        "What happened in the last week of the war?",
        "What did he do in his last year?",
        "What festival is held in March?",
        "What is the holiday schedule this year?",
        "What language do they speak today?",
        "How many people moved there in the last 50 years?",
        "What did it cost 100 years ago?",
        "When is the next meeting?",
        "When is the meeting this week?",
        "今週の会議の予定は？",
        "今日の会議は何時からですか",
        "How long are backups kept?",
        "1998年に何があった？",
        "今年の祝日はいつですか",
        "旅行の3日前にキャンセルした場合は？",
        "3日前までに何をしますか",
        "明治時代以降初めての民間出身の皇后は？",
        "過去50年間で何人が移り住んだ？",
        "",
    ],
)
def test_a_time_that_is_the_subject_is_no_period(question):
    """now: any document may tell of it, whenever it was written."""
    assert days(question) is None


@pytest.mark.rule("now")
def test_a_day_begins_where_the_user_is():
    """now: half past eight in the evening in London is tomorrow morning in Tokyo."""
    evening = datetime(2026, 11, 30, 20, 30, tzinfo=UTC)
    assert period_of("What changed yesterday?", evening)["since"] == "2026-11-29T00:00:00+00:00"
    tokyo = period_of("What changed yesterday?", evening.astimezone(ZoneInfo("Asia/Tokyo")))
    assert (tokyo["since"], tokyo["until"]) == ("2026-11-30T00:00:00+09:00", "2026-12-01T00:00:00+09:00")


def test_the_day_after_the_clocks_change_is_a_whole_day():
    after = datetime(2026, 3, 30, 9, tzinfo=ZoneInfo("Europe/London"))
    period = period_of("What changed yesterday?", after)
    assert (period["since"], period["until"]) == ("2026-03-29T00:00:00+00:00", "2026-03-30T00:00:00+01:00")


def test_the_words_of_the_period_are_kept():
    assert period_of("What changed last month?", NOW)["said"] == "last month"
    assert period_of("去年の夏の議事録", NOW)["said"] == "去年の夏"


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("How long were backups kept last month?", "How long were backups kept?"),
        ("documents from 2023 about pumps", "about pumps"),
        ("先週の議事録", "議事録"),
        ("What was new since 2024?", "What was new?"),
        ("今日の会議で何が決まりましたか？", "会議で何が決まりましたか?"),
        ("先週、倉庫の契約はどうなりましたか？", "倉庫の契約はどうなりましたか?"),
        ("Last month, what changed?", "what changed?"),
        ("昨日", "昨日"),
    ],
)
def test_a_query_is_searched_without_the_words_of_its_filter(question, rest):
    assert without_time(question, period_of(question, NOW)) == rest


@pytest.mark.parametrize(
    ("question", "vague"),
    [
        ("What was decided last month?", True),
        ("What happened yesterday?", True),
        ("先週の会議で何が決まりましたか？", True),
        ("What did the bishops decide last month?", False),
        ("What was decided about filters last month?", False),
        ("先週の会議で倉庫について何が決まりましたか？", False),
    ],
)
def test_a_question_without_a_subject_of_its_own_is_vague(question, vague):
    assert is_vague(question, period_of(question, NOW)) is vague


def test_of_several_times_the_last_counts():
    assert days("Was the rule of last year changed last week?") == ("2026-11-23", "2026-11-30")


@pytest.mark.parametrize("now", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=timezone(timedelta(hours=-12)))])
@pytest.mark.parametrize(
    "question", ["What changed last year?", "What was said 900 days ago?", "What is new this year?", "去年の夏の議事録"]
)
def test_a_calendar_that_ends_there_gives_no_error(now, question):
    assert period_of(question, now) is None or period_of(question, now)["said"]
