"""The planner's picture of a growing collection: taken when it has doubled, and not at every write."""

import pytest
from drafting import draft, make_collection

from retrievers.scope import Scope
from retrievers.store import statistics
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore


@pytest.fixture
async def fresh(home):
    """A server of this test alone: what the planner knows is the whole server's."""
    database = Database(None, home=home)
    yield database
    await database.close()


async def known_chunks(database):
    async with database.owner() as conn:
        [(rows,)] = await (await conn.execute("select reltuples from pg_class where oid = 'tadori.chunk'::regclass")).fetchall()
    return rows


async def test_statistics_are_taken_when_the_collection_has_doubled(fresh, monkeypatch):
    monkeypatch.setattr(statistics, "SMALL", 20)
    scope, store = Scope.operator("growing"), DocumentStore(fresh)
    collection = await make_collection(fresh, scope)
    known = []
    for size in (10, 10, 20, 10, 40):
        taken = len(await store.sources(scope, collection))
        await store.put(scope, collection, [draft(f"{number}", f"text {number}") for number in range(taken, taken + size)])
        known.append(await known_chunks(fresh))
    assert known == [-1, 20, 20, 50, 50]
