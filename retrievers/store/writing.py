"""Transactions over one collection: any number of readers, one writer at a time, and that one the tenant's operator.

Used by documents.py and collections.py; the order of locks here is what keeps writers from deadlocking.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from retrievers.errors import CollectionRebuilt, StorageError, UnknownCollection
from retrievers.scope import OPERATOR, Scope
from retrievers.store.database import Database
from retrievers.store.pools import Connection
from retrievers.types import Collection


@asynccontextmanager
async def writing(db: Database, scope: Scope, collection: Collection) -> AsyncIterator[Connection]:
    """A transaction that holds the collection's lock until it ends; waits for the writer before it.

    Every writer takes this lock first and no other collection's after it, so no two can wait for each other. The lock has a
    statement of its own: the next one then sees what the writer before has committed. Raises UnknownCollection when the
    collection is gone or is another tenant's, CollectionRebuilt when it now has another space or analyser than `collection` says:
    a writer would miss its vectors, or add words that no query asks for.
    """
    require_operator(scope)
    async with db.transaction(scope) as conn:
        await conn.execute("select pg_advisory_xact_lock(%s, %s)", (collection.tid, collection.coll))
        await _require(conn, collection)
        await require_unchanged(conn, collection)
        yield conn


@asynccontextmanager
async def reading(db: Database, scope: Scope, collection: Collection) -> AsyncIterator[Connection]:
    """A transaction that reads the collection; raises UnknownCollection when it is gone or is another tenant's."""
    async with db.transaction(scope) as conn:
        await _require(conn, collection)
        yield conn


def require_operator(scope: Scope) -> None:
    """Raise StorageError for anyone else: who cannot see a chunk cannot keep the counts of its words right."""
    if OPERATOR not in scope.principals:
        raise StorageError(f"tenant {scope.tenant!r} is written by its operator alone: use Scope.operator({scope.tenant!r})")


async def require_unchanged(conn: Connection, collection: Collection) -> None:
    """Raise CollectionRebuilt when the collection has another space for its vectors, or another analyser, than `collection` says.

    Called after a search: had the old ones been removed before it, the change would be seen now.
    """
    key = (collection.tid, collection.coll, collection.space, collection.analyser)
    found = await conn.execute("select from tadori.collection where tid = %s and coll = %s and (space <> %s or analyser <> %s)", key)
    if found.rowcount:
        raise CollectionRebuilt(collection.name)


async def _require(conn: Connection, collection: Collection) -> None:
    key = (collection.tid, collection.coll, collection.name)
    found = await conn.execute("select from tadori.collection where tid = %s and coll = %s and name = %s", key)
    if found.rowcount == 0:
        raise UnknownCollection(collection.name)
