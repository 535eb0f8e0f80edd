"""The conditions that a caller sets on documents, as part of a statement.

Shared by the statements that search and those that read; what a caller writes is bound, only the number of parameters depends on it.
"""

from collections.abc import Sequence
from functools import cache
from typing import LiteralString

from psycopg.sql import SQL, Composed, Placeholder

from retrievers.store.sql import statement
from retrievers.types import Filters

_PAIR = ("key", "value")
"""The placeholders of metadata_filter.sql."""


@cache
def conditions(pairs: int) -> tuple[Composed, ...]:
    """The condition on dates, then one for each pair of key and value, on a document `d`."""
    pair = SQL(statement("metadata_filter.sql"))
    named = [pair.format(**{name: Placeholder(f"{name}_{number}") for name in _PAIR}) for number in range(pairs)]
    return (SQL(statement("date_filter.sql")).format(), *named)


@cache
def passes(pairs: int, named: bool = False) -> Composed:
    """All of them, joined by `and`: what the statements call {passes}. With `named` a chunk `c` must be one of those that are named."""
    return SQL("and ").join([*conditions(pairs), *([SQL("c.id = any (%(only)s::text[])")] if named else [])])


@cache
def eligible(pairs: int, named: bool, *, by_label: bool) -> Composed:
    """The chunks that pass: by their documents, or where `by_label` the filter is of metadata alone, by labels."""
    if not by_label:
        return SQL(_part("eligible.sql")).format(passes=passes(pairs, named))
    other = SQL(_part("other_label.sql"))
    others = [other.format(**{name: Placeholder(f"{name}_{number}") for name in _PAIR}) for number in range(1, pairs)]
    return SQL(_part("eligible_by_label.sql")).format(others=Composed(others))


def by_label(filters: Filters, only: Sequence[str] | None = None) -> bool:
    """Whether the filter is of metadata alone."""
    return bool(filters.metadata) and filters.since is None and filters.until is None and only is None


def filter_parameters(filters: Filters, only: Sequence[str] | None = None) -> dict[str, object]:
    """The parameters of `passes`, and `filtered`: whether there is any condition."""
    pairs = {f"{name}_{number}": text for number, pair in enumerate(filters.metadata) for name, text in zip(_PAIR, pair, strict=True)}
    named = {} if only is None else {"only": list(only)}
    return {"filtered": bool(filters) or only is not None, **named, "since": filters.since, "until": filters.until, **pairs}


def _part(file: LiteralString) -> LiteralString:
    """A part of a statement without the newline at its end."""
    return statement(file).rstrip("\n")
