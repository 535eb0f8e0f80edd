"""Combines what the fusion, the reranker and the calendar say of each candidate: everything on 0-1 before its weight.

Pure; used by retrievers/reranking.py for `TADORI_RERANKER=combined:...`.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

WEIGHTS: Final = {"base": 0.3, "model": 0.5, "recency": 0.2}
"""The model reads question and passage together, so it weighs most; what is new only decides between near equals."""

HALF_LIFE_DAYS: Final = 180.0
"""A document this old has half the recency of today's: manuals and rules are revised about twice a year."""

NO_DATE: Final = 0.5
"""The recency of a document without a date: as one half-life old, neither new nor stale."""

_DAY_S = 86_400


def parts_of(base: Sequence[float], model: Sequence[float], modified: Sequence[str | None], now: datetime) -> list[dict[str, float]]:
    """The parts of each candidate, in the order given; `modified` are ISO dates with a zone.

    Base and model are spread over 0-1 among these candidates, because a fusion by ranks ends at 0.03 and some models at 0.01.
    """
    recency = [_recency(moment, now) for moment in modified]
    rows = zip(_spread(base), _spread(model), recency, strict=True)
    return [dict(zip(WEIGHTS, row, strict=True)) for row in rows]


def combined(parts: dict[str, float]) -> float:
    """The weighted sum, in 0-1."""
    return sum(weight * parts[name] for name, weight in WEIGHTS.items())


def _spread(values: Sequence[float]) -> list[float]:
    """Least 0, greatest 1; all 1 where they are equal."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    return [(value - low) / (high - low) if high > low else 1.0 for value in values]


def _recency(modified: str | None, now: datetime) -> float:
    """Halves every half-life; a date in the future counts as today."""
    if modified is None:
        return NO_DATE
    age_days = max(0.0, (now - datetime.fromisoformat(modified)).total_seconds() / _DAY_S)
    return float(0.5 ** (age_days / HALF_LIFE_DAYS))
