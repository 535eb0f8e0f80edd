"""Reads what the graph says of an entity: by which keys it goes, how it is spelt, and what is nearest to it.

Used by graph.py inside a transaction; the policies hide what its reader may not see.
"""

from collections.abc import Sequence
from typing import Any, LiteralString

from psycopg.rows import dict_row

from retrievers.errors import InvalidArgument
from retrievers.neighbourhoods import Entity, Neighbour, Neighbourhood
from retrievers.store.graph_near_names import near_names
from retrievers.store.graph_rows import storable
from retrievers.store.pools import Connection
from retrievers.store.sql import statement
from retrievers.text.spelling import name_key, term_key, title_key
from retrievers.types import Collection

_STEPS = 3
_MOST_KEYS = 20
"""Bounds of what one entity may be by hearsay: chains of aliases lead astray."""

_MOST_MENTIONS = 10_000
_MOST_LOOKED_AT = 500
"""Chunks and relations by which neighbours are weighed: what stands everywhere would else take seconds."""

_MOST_NAMES = 20
_MOST_RELATIONS = 3
_LONGEST_EVIDENCE = 400
_SHOWN = 100


async def find_keys(conn: Connection, collection: Collection, text: str) -> list[str]:
    """The keys of the entity that `text` names, its own first; empty where there is none."""
    key = await _known_key(conn, collection, text)
    return [] if key is None else await group_of(conn, collection, [key])


async def group_of(conn: Connection, collection: Collection, keys: Sequence[str]) -> list[str]:
    """All keys of the entity that these name, the nearest first."""
    values = {"tid": collection.tid, "coll": collection.coll, "keys": list(keys), "steps": _STEPS, "most": _MOST_KEYS}
    rows = await conn.execute(statement("graph_group.sql"), values)
    return [key for (key,) in await rows.fetchall()]


async def require_key(conn: Connection, collection: Collection, text: str) -> str:
    """The key of the entity that `text` names. Raises InvalidArgument where there is none."""
    key = await _known_key(conn, collection, text)
    if key is None:
        raise InvalidArgument(_unknown(text, collection.name, await near_names(conn, collection, text)))
    return key


def _unknown(text: str, collection: str, near: Sequence[str]) -> str:
    there_is_none = f"there is no entity {text[:_SHOWN]!r} in the graph of collection {collection!r}"
    if near:
        return f"{there_is_none}: did you mean {', '.join(map(repr, near))}?"
    built = f"run `tadori graph build --collection {collection}` where the graph was never built"
    return f"{there_is_none}: write a name as a document has it, or {built}"


async def read_neighbourhood(conn: Connection, collection: Collection, text: str, limit: int) -> Neighbourhood:
    """The entity and its neighbours, the nearest first. Raises InvalidArgument where there is no such entity."""
    keys = await group_of(conn, collection, [await require_key(conn, collection, text)])
    values = {"tid": collection.tid, "coll": collection.coll, "keys": keys}
    bounds = {"most": _MOST_LOOKED_AT, "most_neighbours": limit, "most_relations": _MOST_RELATIONS, "longest": _LONGEST_EVIDENCE}
    [entity] = await _rows(conn, "graph_entity.sql", {**values, "most": _MOST_MENTIONS, "most_names": _MOST_NAMES})
    neighbours = await _rows(conn, "graph_neighbours.sql", {**values, **bounds})
    return Neighbourhood(
        entity=Entity(key=keys[0], keys=keys, names=entity["names"], kinds=entity["kinds"], passages=entity["passages"]),
        neighbours=[_neighbour(row) for row in neighbours],
    )


async def _known_key(conn: Connection, collection: Collection, text: str) -> str | None:
    """The key that an entity has of those that `text` may be written down under: as a name, a title or a term."""
    given = storable(text)
    keys = [storable(key(given)) for key in (name_key, title_key, term_key)]
    values = {"tid": collection.tid, "coll": collection.coll, "keys": keys}
    known = {key for (key,) in await (await conn.execute(statement("graph_known.sql"), values)).fetchall()}
    return next((key for key in keys if key in known), None)


async def _rows(conn: Connection, file: LiteralString, values: dict[str, object]) -> list[dict[str, Any]]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(statement(file), values)
        return await cursor.fetchall()


def _neighbour(row: dict[str, Any]) -> Neighbour:
    return Neighbour(
        key=row["key"], name=row["name"], kind=row["kind"], weight=row["weight"], passages=row["passages"], relations=row["relations"]
    )
