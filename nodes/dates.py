"""Tells whether what is cited is of the time that the question names: its period, or a month or a day that it gives by name.

Shared ground of grade and cite; pure. A month or a day by name may be the document's or its subject's, so it never filters: it prefers
documents of that date, and says so where there is none.
"""

import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from nodes.periods import DOCUMENTS, MONTHS, PAST
from nodes.records import Period
from retrievers.types import Passage


class Named(NamedTuple):
    """A month, with a year or a day or both; `said` are its words."""

    year: int | None
    month: int
    day: int | None
    said: str


_MONTH = "(?P<month>" + "|".join(MONTHS) + ")"
_NO_SIDE = r"(?<!before )(?<!after )(?<!since )(?<!until )(?<!till )(?<!by )(?<!from )(?<!between )"
"""A date that bounds a time is not the date of what happened."""

_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_NO_SIDE}\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\b(?:,?\s+(?P<year>\d{{4}})\b)?",
        rf"{_NO_SIDE}\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<year>\d{{4}})\b)?",
        rf"{_NO_SIDE}\b{_MONTH}\s+(?:of\s+)?(?P<year>\d{{4}})\b",
        rf"{_NO_SIDE}\b(?P<year>\d{{4}})-(?P<month>\d{{2}})(?:-(?P<day>\d{{2}}))?\b",
        r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})日(?!以降|以前|以後|まで|から|より)",
        r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?!\d|以降|以前|以後|まで|から|より)",
    )
)
_HAPPENED = re.compile(r"\b[a-z]{3,}ed\b", re.IGNORECASE)
_OF_A_MONTH = re.compile(r"^(?:last|past|previous|this|yesterday|today)\b|[^\x00-\x7f]", re.IGNORECASE)
"""Words that can follow "nothing from"."""


def named_date(question: str) -> Named | None:
    """The month or day that the question gives by name, the first of several patterns; None for none, or one that no calendar has."""
    text = unicodedata.normalize("NFKC", question)
    found = next((found for pattern in _DATES if (found := pattern.search(text))), None)
    if found is None:
        return None
    given, year = found.groupdict(), found["year"]
    month = int(found["month"]) if found["month"].isdigit() else MONTHS.index(found["month"].casefold()) + 1
    day = int(given["day"]) if given.get("day") else None
    return Named(int(year) if year else None, month, day, found[0]) if 1 <= month <= 12 and (day is None or 1 <= day <= 31) else None


def dated_first(question: str, passages: Sequence[Passage]) -> list[Passage]:
    """The passages of documents of the date that the question names before the others, else in their order."""
    named = named_date(question)
    return sorted(passages, key=lambda passage: not _is_of(named, passage)) if named else [*passages]


def of_another_time(question: str, period: Period | None, cited: Sequence[Passage]) -> str:
    """The time that the question names, where every cited passage is of a document from another time; empty otherwise.

    `period` is the question's, None where it has none or the caller's own dates counted. Of a month or a day by name only a question for
    what was is held to it, and a passage that names the time itself is of it. A passage whose date is not known is of any time.
    """
    if not cited or any(passage["origin"] == "web" or "modified" not in passage for passage in cited):
        return ""
    if period is not None:
        return "" if any(_is_within(period, passage) for passage in cited) else _when(period)
    named = named_date(question)
    if named is None or not any(pattern.search(question) for pattern in (PAST, DOCUMENTS, _HAPPENED)):
        return ""
    fits = any(passage.get("modified") is None or _is_of(named, passage) or _tells_of(named, passage) for passage in cited)
    return "" if fits else named.said


def _moment(passage: Passage) -> datetime | None:
    given = passage.get("modified")
    moment = datetime.fromisoformat(given) if given else None
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment


def _is_of(named: Named, passage: Passage) -> bool:
    moment = _moment(passage)
    if moment is None or moment.month != named.month:
        return False
    return named.year in (None, moment.year) and named.day in (None, moment.day)


def _tells_of(named: Named, passage: Passage) -> bool:
    """Whether the passage has the month in it; or the year, where that is not the document's own."""
    text = unicodedata.normalize("NFKC", "\n".join([passage["title"], passage["document"], *passage["heading_path"], passage["text"]]))
    moment = _moment(passage)
    year = named.year is not None and moment is not None and moment.year != named.year and str(named.year) in text
    written = rf"\b{MONTHS[named.month - 1][:3]}|(?<!\d)0?{named.month}月|\d{{4}}[-/.]0?{named.month}(?!\d)|(?<!\d)0?{named.month}/\d"
    return year or re.search(written, text, re.IGNORECASE) is not None


def _is_within(period: Period, passage: Passage) -> bool:
    moment = _moment(passage)
    if moment is None:
        return False
    since, until = (datetime.fromisoformat(edge) if edge else None for edge in (period["since"], period["until"]))
    return (since is None or moment >= since) and (until is None or moment < until)


def _when(period: Period) -> str:
    """Its words, where they can be said again, and its first and last day."""
    since, until = (datetime.fromisoformat(edge) if edge else None for edge in (period["since"], period["until"]))
    last = f"{until - timedelta(microseconds=1):%Y-%m-%d}" if until else ""
    first = f"{since:%Y-%m-%d}" if since else ""
    days = first if first == last else f"{first}–{last}"
    return f"{period['said']} ({days})" if _OF_A_MONTH.search(period["said"]) else days
