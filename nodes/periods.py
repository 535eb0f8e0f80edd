"""Reads the time that a question names as a period on documents: "last month", "documents since 2024", 「先週」.

Shared ground of the nodes; pure. Only a time that is reckoned from now, or said of the documents themselves, is one: in "What happened
in 1998?" the year is what is asked about, and any document may tell of it. In doubt there is no period.
"""

import re
import unicodedata
from collections.abc import Callable
from datetime import datetime, timedelta

from nodes.records import Period
from retrievers.text.terms import content_terms

_Span = tuple[datetime | None, datetime | None]
_Reading = Callable[[re.Match[str], datetime], _Span | None]

MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {word: number for number, word in enumerate(("zero", "one", "two", "three", "four", "five", "six", "seven", "eight"))} | {"a": 1}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
"""The months they begin with, three each, as the weather services of both languages count them."""

_UNITS = {"日": "day", "週": "week", "週間": "week", "か月": "month", "年": "year"}
_FISCAL = 4
"""A Japanese 年度 begins in April."""

_EARLIEST = 1970
"""A year before has no files."""

_FAR_YEARS = 10
"""What is said of the last fifty years is told by documents of any date."""

DOCUMENTS = re.compile(
    r"\b(?:documents?|docs?|files?|notes?|minutes|reports?|articles?|e-?mails?|messages?|posts?|releases?|memos?|tickets?|"
    r"chang(?:es|ed)|new|news|updat(?:es?|ed)|added|published|written|released|announced|modified|revised|decided|decisions?)\b"
    r"|文書|資料|ドキュメント|ファイル|議事録|報告|記事|メモ|メール|更新|変更|変わ|改訂|改定|追加|公開|発表|決ま|決め|決定|お知らせ|リリース",
    re.IGNORECASE,
)
"""What a date of documents is said of; a date of anything else may be what is asked about."""

_CJK = re.compile("[\u3041-\u30ff\u3400-\u9fff]")
PAST = re.compile(r"\b(?:did|was|were|has|have|had|happened)\b|た(?:か|の|こと|もの|っけ|[?。]|$)|でした|ました", re.IGNORECASE)


_LEADING = re.compile(r"^[のにはでを、,\s]+")
"""What the words of a time leave behind: a particle or a comma that has nothing to stand after."""

_BEFORE_MARK = re.compile(r"\s+([?!.,。、])")
_ANYTHING = re.compile(
    r"\b(?:decided|decisions?|agreed|happened|discussed|talked|new|news|changed|changes|meetings?|minutes)\b"
    r"|会議|打ち合わせ|ミーティング|議事録|定例|決まりました|決めました|決ま|決め|決定|事項|話し合|議論|変更点?|変わ|出来事",
    re.IGNORECASE,
)
"""Words that a question for whatever happened has."""


_MEETING = re.compile(r"\bmeetings?\b|会議|打ち合わせ|ミーティング|定例", re.IGNORECASE)
_TO_COME = re.compile(r"\b(?:when|next|will|planned|scheduled|upcoming)\b|予定|いつ|何時|次|これから|どこ", re.IGNORECASE)


def period_of(question: str, now: datetime) -> Period | None:
    """The period that the question names, the last where it names several, in the zone of `now`; None where it names none."""
    text = unicodedata.normalize("NFKC", question)
    rules = _JAPANESE if _CJK.search(text) else _ENGLISH
    try:
        spans = [
            (found.end(), len(found[0]), found[0].strip(), span)
            for pattern, read in rules
            for found in pattern.finditer(text)
            if (span := read(found, now)) is not None
        ]
    except (OverflowError, ValueError):
        # The caller's `now` is at the edge of what a calendar holds.
        return None
    if not spans:
        return None
    *_, said, (since, until) = max(spans, key=lambda span: span[:2])
    return {"since": since.isoformat() if since else None, "until": until.isoformat() if until else None, "said": said}


def without_time(query: str, period: Period) -> str:
    """The query without the period's words, which a filter says better; unchanged where nothing else would be left."""
    text = unicodedata.normalize("NFKC", query)
    parts = [part.strip() for part in text.split(period["said"])]
    rest = " ".join(" ".join([parts[0], *(_LEADING.sub("", part) for part in parts[1:])]).split())
    rest = _LEADING.sub("", _BEFORE_MARK.sub(r"\1", rest))
    return rest if len(parts) > 1 and content_terms(rest) else query


def is_vague(query: str, period: Period) -> bool:
    """Whether the question asks for what happened or was decided in the period and names no subject of its own."""
    whole = unicodedata.normalize("NFKC", query)
    return period["said"] in whole and not content_terms(_ANYTHING.sub(" ", whole.replace(period["said"], " ")))


def _day(moment: datetime, days: int = 0) -> datetime:
    """The first moment of the day so many days later. By the calendar: where clocks change a day is not 24 hours."""
    return (moment + timedelta(days=days)).replace(hour=0, minute=0, second=0, microsecond=0)


def _month(moment: datetime, months: int = 0) -> datetime:
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    return _day(moment.replace(year=year, month=month + 1, day=1))


def _start(moment: datetime, unit: str, steps: int = 0) -> datetime:
    """The first moment of the day, week (from Monday), month, quarter, year or fiscal year so many after that of `moment`."""
    match unit:
        case "day":
            return _day(moment, steps)
        case "week":
            return _day(moment, 7 * steps - moment.weekday())
        case "month":
            return _month(moment, steps)
        case "quarter":
            return _month(moment, 3 * steps - (moment.month - 1) % 3)
        case "fiscal":
            return _month(moment, 12 * steps - (moment.month - _FISCAL) % 12)
        case _:
            return _month(moment, 12 * steps - moment.month + 1)


def _whole(now: datetime, unit: str, back: int) -> _Span:
    """The whole unit so many before the present one."""
    return _start(now, unit, -back), _start(now, unit, 1 - back)


def _ago(now: datetime, unit: str, count: int) -> _Span | None:
    return None if unit == "year" and count > _FAR_YEARS else _whole(now, unit, count)


def _recently(now: datetime, unit: str, count: int) -> _Span | None:
    """From the same day so many units ago; of a month the 28th at the latest, which every month has."""
    if unit == "year" and count > _FAR_YEARS:
        return None
    if unit in ("day", "week"):
        return _day(now, -count * (7 if unit == "week" else 1)), None
    return _month(now, -count * {"month": 1, "quarter": 3}.get(unit, 12)).replace(day=min(now.day, 28)), None


def _told(found: re.Match[str]) -> bool:
    """Whether something past or a document is asked for: what is or will be stands in documents of any date."""
    return _of_document(found) or PAST.search(found.string) is not None


def _of_document(found: re.Match[str]) -> bool:
    return DOCUMENTS.search(found.string) is not None


def _told_or_met(found: re.Match[str]) -> bool:
    """Also a meeting, unless it is still to come."""
    return _told(found) or (_MEETING.search(found.string) is not None and not _TO_COME.search(found.string))


def _of_today(found: re.Match[str]) -> bool:
    """ "Today" also means "nowadays": of a document or a meeting it does not."""
    return _of_document(found) or (_MEETING.search(found.string) is not None and not _TO_COME.search(found.string))


def _count(found: re.Match[str]) -> int:
    return int(found["n"]) if found["n"].isdigit() else _NUMBERS[found["n"].casefold()]


def _last(found: re.Match[str], now: datetime) -> _Span | None:
    """ "his last year" and "the last week of the war" are not reckoned from now; "in the last week" means the seven days."""
    whose = (found["whose"] or "").casefold()
    if whose:
        return _recently(now, found["unit"], 1) if whose.split()[0] in ("in", "over", "during", "within") else None
    return _whole(now, found["unit"], 1)


def _last_season(found: re.Match[str], now: datetime) -> _Span:
    start = _start(now, "year").replace(month=_SEASONS[found["season"]])
    while _month(start, 3) > now:
        start = _month(start, -12)
    return start, _month(start, 3)


def _last_weekday(found: re.Match[str], now: datetime) -> _Span:
    back = (now.weekday() - _WEEKDAYS.index(found["weekday"].casefold()) - 1) % 7 + 1
    return _day(now, -back), _day(now, 1 - back)


def _in_month(found: re.Match[str], now: datetime) -> _Span | None:
    """A month without a year is the latest that has begun; a question of what is so every March names none."""
    if not _told(found) or re.search(r"\d{4}", found.string):
        return None
    month = MONTHS.index(found["month"].casefold()) + 1
    start = _month(now, month - now.month - (12 if month > now.month else 0))
    return start, None if found["how"].casefold() == "since" else _month(start, 1)


def _dated(found: re.Match[str], now: datetime) -> _Span | None:
    """A year, or a month of one, said of documents; `how` is the side of it on which they lie."""
    year, name = int(found["year"]), found["month"] or ""
    if not _of_document(found) or not _EARLIEST <= year <= now.year:
        return None
    start, end = _start(now, "year", year - now.year), _start(now, "year", year - now.year + 1)
    if name:
        month = int(name) if name.isdigit() else MONTHS.index(name.casefold()) + 1
        if not 1 <= month <= 12:
            return None
        start, end = _month(start, month - 1), _month(start, month)
    sides: dict[str, _Span] = dict.fromkeys(("since", "以降", "以後", "から"), (start, None))
    sides |= {"after": (end, None), "before": (None, start), "until": (None, start), "より前": (None, start), "以前": (None, end)}
    return sides.get(found["how"].casefold(), (start, end))


def _japanese_part(found: re.Match[str], now: datetime) -> _Span | None:
    """A season or a month of last year or this year."""
    year = _start(now, "year", 0 if found["whose"] == "今年" else -1)
    part = found["part"]
    month, months = (_SEASONS[part], 3) if part in _SEASONS else (int(part.removesuffix("月")), 1)
    if not 1 <= month <= 12 or (start := _month(year, month - 1)) > now:
        return None
    return start, _month(start, months)


def _compiled(*rules: tuple[str, _Reading]) -> tuple[tuple[re.Pattern[str], _Reading], ...]:
    return tuple((re.compile(pattern), read) for pattern, read in rules)


def _reading(unit: str, back: int) -> _Reading:
    return lambda found, now: _whole(now, unit, back)


def _present(unit: str | None = None, asked: Callable[[re.Match[str]], bool] = _told_or_met) -> _Reading:
    return lambda found, now: (_start(now, unit or found["unit"]), None) if asked(found) else None


_UNIT = "(?P<unit>day|week|month|quarter|year)"
_N = r"(?P<n>\d{1,3}|(?i:" + "|".join(_NUMBERS) + "))"
_NAME = "(?P<month>(?i:" + "|".join(MONTHS) + "))"
_YEAR = r"(?P<year>\d{4})\b(?!-)"
_KIND = "(?:documents|docs|files|notes|minutes|reports|articles|e-?mails|messages|posts|memos|tickets|releases|news)"
_KIND_JA = "(?:文書|資料|ドキュメント|ファイル|議事録|報告|記事|メモ|メール|お知らせ)"

_ENGLISH = _compiled(
    (r"(?:\byesterday|^Yesterday)\b", _reading("day", 1)),
    (r"\bsince yesterday\b", lambda found, now: (_day(now, -1), None)),
    (r"\b[Tt]oday\b(?!['’])", _present("day", _of_today)),
    (
        rf"(?P<whose>\b(?:(?:in|over|during|within)\s+the|his|her|its|their|your|my|our|the|an?|every|each|very)\s+)?\b[Ll]ast\s+{_UNIT}\b(?!\s+of\b|['’-])",
        _last,
    ),
    (rf"(?P<whose>\b(?:in|over|during|within)\s+the\s+)past\s+{_UNIT}\b(?!\s+of\b)", _last),
    (rf"\bsince\s+last\s+{_UNIT}\b", lambda found, now: (_start(now, found["unit"], -1), None)),
    (rf"\b[Tt]his\s+{_UNIT}\b", _present()),
    (rf"\b(?:last|past|previous)\s+{_N}\s+{_UNIT}s?\b", lambda found, now: _recently(now, found["unit"], _count(found))),
    (rf"\b{_N}\s+{_UNIT}s?\s+ago\b", lambda found, now: _ago(now, found["unit"], _count(found))),
    (r"\b[Ll]ast\s+(?P<season>spring|summer|autumn|fall|winter)\b", _last_season),
    (r"\b[Ll]ast\s+(?P<weekday>(?i:" + "|".join(_WEEKDAYS) + r"))\b", _last_weekday),
    (rf"\b(?P<how>[Ii]n|[Ss]ince|[Dd]uring)\s+{_NAME}\b(?!\s+\d)", _in_month),
    (rf"\b(?P<how>[Ss]ince)\s+(?:{_NAME}\s+)?{_YEAR}", _dated),
    (rf"\b(?i:{_KIND})\s+(?:\w+\s+)?(?P<how>from|of|in|dated|after|before|until)\s+(?:{_NAME}\s+)?{_YEAR}", _dated),
)
_COUNTED = r"(?P<n>\d{1,3})(?P<unit>日|週間|か月|年)"
_JAPANESE = _compiled(
    ("(?<!一)昨日|きのう", _reading("day", 1)),
    ("一昨日|おととい", _reading("day", 2)),
    ("今日|本日", _present("day", _of_today)),
    ("先週", _reading("week", 1)),
    ("先々週", _reading("week", 2)),
    ("今週", _present("week")),
    ("先月", _reading("month", 1)),
    ("先々月", _reading("month", 2)),
    ("今月", _present("month")),
    ("(?<!一)(?:昨年|去年)(?!度)", _reading("year", 1)),
    ("一昨年|おととし", _reading("year", 2)),
    ("(?:今年|本年)(?!度)", _present("year")),
    ("昨年度|前年度|去年度", _reading("fiscal", 1)),
    ("今年度|本年度", _present("fiscal")),
    (r"(?P<whose>昨年|去年|今年)の?(?P<part>[春夏秋冬](?!休)|\d{1,2}月)", _japanese_part),
    (rf"(?:過去|ここ|直近(?:の)?|この){_COUNTED}", lambda found, now: _recently(now, _UNITS[found["unit"]], int(found["n"]))),
    (
        rf"(?<![の\d]){_COUNTED}前(?!まで|から)",
        lambda found, now: _ago(now, _UNITS[found["unit"]], int(found["n"])) if _told(found) else None,
    ),
    (r"(?P<year>\d{4})年(?:(?P<month>\d{1,2})月)?(?P<how>以降|以後|から|以前|より前)", _dated),
    (rf"(?P<year>\d{{4}})年(?:(?P<month>\d{{1,2}})月)?(?P<how>の)(?=[^、。?]{{0,8}}{_KIND_JA})", _dated),
)
