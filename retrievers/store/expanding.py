"""Runs the statement that finds what lies around a few passages in the knowledge graph.

Between retrievers/knowledge.py, which walks over it, and retrievers/sql/graph_expand.sql.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import LiteralString

from psycopg.rows import class_row
from psycopg.sql import SQL, Composed, Identifier

from retrievers.store.filtering import by_label, eligible, filter_parameters
from retrievers.store.pools import Connection
from retrievers.store.search import K1, B
from retrievers.store.sql import statement
from retrievers.types import Collection, Filters

MOST_PASSAGES_OF_AN_ENTITY = 60
"""What more passages hold ties nothing together: with 150 the walks found the same and took half as long again (measured)."""

MOST_SEEDS = 12
"""Passages whose title the question names: a comparison names two, a list a handful."""

MOST_PASSAGES = 300
"""Passages around the seeds; on 2,900 there were 90 (measured)."""


@dataclass(frozen=True)
class Around:
    """A passage near the seeds, itself one perhaps. `titled`: the question names its title; `adds` is the share (0-1) of the query's words
    that it has and the best seed lacks. `entities` are keys, each with its spelling there (`names`), whether it is the title (`titles`)
    and how many passages hold it (`counts`).
    """

    id: str
    titled: bool
    adds: float
    entities: list[str]
    names: list[str]
    titles: list[bool]
    counts: list[int]


@dataclass(frozen=True)
class Start:
    """Where a question's walk begins: `seeds` by id, the best first, keys it may name (`asked`) or surely names (`named`), its words."""

    seeds: Sequence[str]
    asked: Sequence[str]
    named: Sequence[str]
    words: Sequence[str]


async def find_around(conn: Connection, collection: Collection, start: Start, filters: Filters) -> list[Around]:
    """The seeds and what lies around them, as far as the transaction's reader may see it, ordered by id."""
    values = {
        "tid": collection.tid,
        "coll": collection.coll,
        "seeds": list(start.seeds),
        "asked": list(start.asked),
        "named": list(start.named),
        "words": list(start.words),
        "k1": K1,
        "b": B,
        "most": MOST_PASSAGES_OF_AN_ENTITY,
        "most_seeds": MOST_SEEDS,
        "most_passages": MOST_PASSAGES,
        **filter_parameters(filters),
    }
    async with conn.cursor(row_factory=class_row(Around)) as cursor:
        await cursor.execute(_expand(len(filters.metadata), by_label=by_label(filters)), values, prepare=False)
        return await cursor.fetchall()


@cache
def _expand(pairs: int, *, by_label: bool) -> Composed:
    same = SQL(_part("graph_same.sql"))
    return SQL(statement("graph_expand.sql")).format(
        corpus_words=SQL(_part("corpus_words.sql")).format(),
        eligible=eligible(pairs, False, by_label=by_label),
        same_as_spoken=same.format(keys=Identifier("spoken")),
        same_as_held=same.format(keys=Identifier("held")),
    )


def _part(file: LiteralString) -> LiteralString:
    """A part of a statement without the newline at its end."""
    return statement(file).rstrip("\n")
