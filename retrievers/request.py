"""What one search asks for, checked before anything is run.

Used by retrievers/hybrid.py; the limits are those that every door shows.
"""

import math
from dataclasses import dataclass
from typing import get_args

from retrievers.errors import InvalidArgument
from retrievers.text.clean import clean
from retrievers.types import Filters, Fusion, Mode

MAX_K = 200
"""Results of one search: more than anything reads, and the statement's cost is bounded by it."""

MAX_CHARS = 20_000
"""Of a query: more than any question, less than what would hold up the event loop while it is cut into words."""

MAX_WORDS = 256
"""Distinct words of a query that are looked up: the statement's cost grows with each."""

MAX_HYPOTHETICAL = 8
"""Imagined passages of one search: one for each part that a question is ever split into, and as many again."""

MAX_FILTERS = 32
"""Metadata conditions of one search: each adds to the statement that is planned."""


@dataclass(frozen=True)
class Request:
    """What was asked for, checked."""

    query: str
    k: int
    mode: Mode
    fusion: Fusion | None
    weights: tuple[float, float] | None
    filters: Filters
    hypothetical: tuple[str, ...] = ()
    """Imagined passages, cleaned."""


def cleaned_query(query: str) -> str:
    return clean(query[:MAX_CHARS]).text.strip()


def check_request(request: Request) -> None:
    if not 1 <= request.k <= MAX_K:
        raise InvalidArgument(f"k is {request.k}: use 1 to {MAX_K}")
    if request.mode not in get_args(Mode):
        raise InvalidArgument(f"mode {request.mode!r} is not known: use hybrid, lexical or vector")
    if request.fusion is not None and request.fusion not in get_args(Fusion):
        raise InvalidArgument(f"fusion {request.fusion!r} is not known: use absolute, rrf or weighted")
    if len(request.hypothetical) > MAX_HYPOTHETICAL:
        raise InvalidArgument(f"{len(request.hypothetical)} imagined passages are given: use at most {MAX_HYPOTHETICAL}")
    _check_weights(request.weights)
    check_filters(request.filters)


def check_filters(filters: Filters) -> None:
    if len(filters.metadata) > MAX_FILTERS:
        raise InvalidArgument(f"{len(filters.metadata)} filters are given: use at most {MAX_FILTERS}")
    for part in (part for pair in filters.metadata for part in pair):
        if clean(part).text != part:
            raise InvalidArgument(f"filter {part!r} holds a character that no stored text has: leave it out")


def _check_weights(weights: tuple[float, float] | None) -> None:
    if weights is None:
        return
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights) or sum(weights) == 0:
        raise InvalidArgument(f"weights are {weights!r}: use two numbers from 0 up, not both 0, such as 0.4 and 0.6")
