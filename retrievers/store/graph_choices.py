"""What a person decides of two entities: that they are one, or that they are not, and each takes the other back.

Used by graph.py inside a writing transaction.
"""

from retrievers.errors import InvalidArgument
from retrievers.neighbourhoods import Choice
from retrievers.store.graph_reading import group_of, require_key
from retrievers.store.pools import Connection
from retrievers.store.sql import statement
from retrievers.types import Collection


async def decide(conn: Connection, collection: Collection, names: tuple[str, str], *, same: bool) -> Choice:
    """Make the two the same entity, or two. First the opposite decision is taken back; only where that is not enough, one is kept.

    Raises InvalidArgument for a name that no entity has, and for two spellings that are always one.
    """
    one, other = [await require_key(conn, collection, name) for name in names]
    if one == other:
        raise InvalidArgument(
            f"{names[0]!r} and {names[1]!r} are two spellings of {one!r}, which are never told apart: nothing can be merged or split there"
        )
    if await _are_one(conn, collection, one, other) == same:
        return Choice(keys=(one, other), same=same, changed=False)
    first, second = sorted((one, other))
    values = {"tid": collection.tid, "coll": collection.coll, "key": first, "other": second}
    await conn.execute(statement("graph_unchoose.sql"), {**values, "same": not same})
    if await _are_one(conn, collection, one, other) != same:
        await conn.execute(statement("graph_choose.sql"), {**values, "same": same})
    return Choice(keys=(one, other), same=same, changed=True)


async def _are_one(conn: Connection, collection: Collection, one: str, other: str) -> bool:
    return other in await group_of(conn, collection, [one])
