"""Reads the dates that documents say of themselves.

Pure; used by the loaders.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from retrievers.types import Json

_MODIFIED = ("modified", "updated", "last_modified", "lastmod", "date")
_CREATED = ("created", "published", "date")
_NUMBERS = re.compile(r"(\d{4})(?:\s*[-/.年]\s*(\d{1,2})(?:\s*[-/.月]\s*(\d{1,2})\s*日?)?)?\s*年?月?")
_PDF = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?")


def dates_in(metadata: Mapping[str, Json]) -> tuple[datetime | None, datetime | None]:
    """(modified, created) from metadata with the usual keys, in any case; None where there is none that can be read."""
    values = {key.lower().replace("-", "_"): value for key, value in metadata.items()}
    return _first(values.get(key) for key in _MODIFIED), _first(values.get(key) for key in _CREATED)


def read_date(value: Json) -> datetime | None:
    """ISO 8601, RFC 2822, 2024/5/1, 2024年5月1日, a month or a year alone (its first moment); without a zone it is UTC."""
    text = str(value).strip()
    if not text or isinstance(value, bool | float | list | dict):
        return None
    for read in (datetime.fromisoformat, _from_numbers, parsedate_to_datetime):
        try:
            found = read(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    return None


def read_pdf_date(text: str) -> datetime | None:
    """`D:YYYYMMDDHHmmSS` of a PDF's information, its zone ignored: writers get it wrong too often."""
    found = _PDF.match(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in found.groups())
    try:
        return datetime(year or 1, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=UTC)
    except ValueError:
        return None


def _from_numbers(text: str) -> datetime:
    found = _NUMBERS.fullmatch(text)
    if found is None:
        raise ValueError(text)
    year, month, day = found.groups()
    return datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC)


def _first(values: Iterable[Json]) -> datetime | None:
    return next((date for value in values if value is not None and (date := read_date(value))), None)
