"""Runs the statement that says what a search can see in one named passage.

Beside retrievers/store/search.py, whose statement gives the scores; called by retrievers/explaining.py.
"""

from dataclasses import dataclass
from functools import cache

from psycopg.rows import dict_row
from psycopg.sql import SQL, Composed
from typing_extensions import TypedDict

from retrievers.store.filtering import conditions, filter_parameters, passes
from retrievers.store.pools import Connection
from retrievers.store.rows import is_storable
from retrievers.store.search import K1, B
from retrievers.store.sql import statement
from retrievers.types import Collection, Filters

MOST_CHUNKS = 1000
"""Of a source that is named: half a million tokens, a long book."""


class WordSeen(TypedDict):
    """A word of the query: in how many chunks of the collection (None: in none), the most it can add to BM25 there, and how often here."""

    word: str
    df: int | None
    weight: float | None
    tf: int | None


@dataclass(frozen=True)
class Named:
    """A chunk that was named by its id or its source. `conditions` are since, until and the filter's pairs: whether each is met."""

    id: str
    document: str
    title: str
    heading_path: list[str]
    page: int | None
    conditions: list[bool]
    words: list[WordSeen]


async def find_named(conn: Connection, collection: Collection, name: str, words: tuple[str, ...], filters: Filters) -> list[Named]:
    """The chunks that `name` means, in order; empty where it is unknown or may not be read, the one not told from the other."""
    if not is_storable(name):
        return []
    values = {"tid": collection.tid, "coll": collection.coll, "name": name, "words": list(words), "k1": K1, "b": B, "most": MOST_CHUNKS}
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_why(len(filters.metadata)), {**values, **filter_parameters(filters)}, prepare=False)
        return [Named(**row) for row in await cursor.fetchall()]


@cache
def _why(pairs: int) -> Composed:
    dates = [
        SQL("%(since)s::timestamptz is null or coalesce(d.modified >= %(since)s, false)"),
        SQL("%(until)s::timestamptz is null or coalesce(d.modified < %(until)s, false)"),
    ]
    words = SQL(statement("corpus_words.sql").rstrip("\n")).format()
    each = SQL(", ").join([*dates, *conditions(pairs)[1:]])
    return SQL(statement("why.sql")).format(corpus_words=words, conditions=each, passes=passes(pairs))
