"""Runs the statements that read stored chunks by their public ids.

Between retrievers/reading.py and the statements in retrievers/sql.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from psycopg.rows import dict_row
from psycopg.sql import SQL, Composed

from retrievers.passages import StoredPassage
from retrievers.store.filtering import filter_parameters, passes
from retrievers.store.pools import Connection
from retrievers.store.sql import statement
from retrievers.types import Filters
from retrievers.widening import Neighbour, Surroundings


async def read_passages(
    conn: Connection, collection: str, ids: Sequence[str], *, before: int, after: int, filters: Filters
) -> list[tuple[str, StoredPassage]] | None:
    """Each passage with the id that brought it, in the order of `ids` and of the text; None where there is no such collection."""
    values = {"collection": collection, "ids": list(ids), "before": before, "after": after, **filter_parameters(filters)}
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_read(len(filters.metadata)), values, prepare=False)
        rows = await cursor.fetchall()
    return [(row["asked"], _stored(row)) for row in rows if row["asked"] is not None] if rows else None


async def read_surroundings(conn: Connection, collection: str, ids: Sequence[str], reach: int) -> dict[str, Surroundings]:
    """What stands around each chunk, by its id; an unknown one is left out."""
    values = {"collection": collection, "ids": list(ids), "reach": reach}
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(SQL(statement("read_surroundings.sql")), values, prepare=False)
        return {row["id"]: _surroundings(row) for row in await cursor.fetchall()}


@cache
def _read(pairs: int) -> Composed:
    return SQL(statement("read_passages.sql")).format(passes=passes(pairs))


def _stored(row: Mapping[str, Any]) -> StoredPassage:
    return {
        "id": row["id"],
        "document": row["document"],
        "title": row["title"],
        "heading_path": row["heading_path"],
        "page": row["page"],
        "url": row["url"],
        "origin": row["origin"],
        "content_type": row["content_type"],
        "language": row["language"],
        "text": row["text"],
        "start": row["start"],
        "end": row["end"],
        "token_count": row["token_count"],
        "metadata": row["metadata"],
    }


def _surroundings(row: Mapping[str, Any]) -> Surroundings:
    chunks = tuple(Neighbour(**{**chunk, "heading_path": tuple(chunk["heading_path"])}) for chunk in row["chunks"])
    return Surroundings(row["content"], row["start"], row["text"], chunks)
