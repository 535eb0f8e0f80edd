"""Keeps the planner's picture of the store current while a collection grows quickly.

Used by documents.py and graph.py after a write.
"""

from psycopg.sql import SQL

from retrievers.store.database import Database
from retrievers.store.pools import Connection
from retrievers.store.spaces import vector_table
from retrievers.store.sql import statement
from retrievers.types import Collection

SMALL = 500
"""Chunks up to which any plan is quick."""


async def are_stale(conn: Connection, collection: Collection) -> bool:
    """Whether the collection has grown to more than twice what the planner knows of; true a dozen times on the way to a million chunks."""
    values = {"tid": collection.tid, "coll": collection.coll, "least": SMALL}
    row = await (await conn.execute(statement("stale_statistics.sql"), values)).fetchone()
    return row is not None and bool(row[0])


async def refresh(db: Database, collection: Collection) -> None:
    """Take the picture anew; a table that another process is looking at is passed over."""
    tables = SQL(", ").join(
        [*map(SQL, ("tadori.posting", "tadori.term", "tadori.chunk", "tadori.content", "tadori.document", "tadori.document_label"))]
    )
    async with db.owner() as conn:
        await conn.execute(SQL("analyze (skip_locked) {}, tadori.{}").format(tables, vector_table(collection.space)))


async def refresh_graph(db: Database) -> None:
    """The same for what is kept of entities."""
    async with db.owner() as conn:
        await conn.execute("analyze (skip_locked) tadori.mention, tadori.relation, tadori.alias, tadori.extraction")
