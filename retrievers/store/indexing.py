"""Gives a growing collection the part of its vector index that an empty table cannot have: IVFFlat's lists, the centre of binary codes.

Used by documents.py after a write, and by whoever else fills a space. Until then, and in small collections always, vectors are compared
one by one.

Both are made once FIRST_CHUNKS are there, and looked at again whenever those have grown by GROWTH: lists cut for a tenth of the rows are
too long, and a mean taken over a tenth may be that of another subject. HNSW needs none of this: it is built row by row.
"""

import math
from dataclasses import dataclass

from psycopg.sql import SQL, Identifier, Literal

from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.pools import Connection
from retrievers.store.spaces import bits_table, operators, vector_table
from retrievers.store.sql import statement
from retrievers.store.writing import writing
from retrievers.types import Collection

FIRST_CHUNKS = 5_000
"""Half of what is compared one by one anyway: the index is there before it is needed."""

GROWTH = 10
"""How many times as many rows call for lists and a centre anew."""

LISTS_MOST = 1_000
"""Clustering takes memory and time by the square of the lists: 0.3 GB at a thousand."""

DRIFT = 0.05
"""The share of signs that a newer mean has to change before all of them are taken anew: writing a million codes holds up writers."""

_LOCK = 0x7AD0_0003_0000_0000  # and the space's number: one builder for each


@dataclass(frozen=True)
class Lists:
    """The rows of a space, as far as the planner knows, and the IVFFlat index that it has, if any."""

    rows: float
    lists: int | None


async def index_is_due(conn: Connection, collection: Collection) -> bool:
    """Whether the collection's index is to be made, or made anew. Costs one statement, for HNSW and exact search none."""
    kind = collection.embedding.index_kind
    if kind not in ("ivfflat", "binary"):
        return False
    found = await conn.execute(
        "select chunk_count, centred_chunks from tadori.collection where tid = %s and coll = %s", (collection.tid, collection.coll)
    )
    row = await found.fetchone()
    chunks, centred = row or (0, None)
    if chunks < FIRST_CHUNKS:
        return False
    if kind == "binary":
        return centred is None or chunks >= GROWTH * centred
    return _outgrown(await _lists(conn, collection.space), chunks)


async def build_index(db: Database, scope: Scope, collection: Collection) -> None:
    """Make what is due, if anything is; the collection is searched as before meanwhile. Whoever comes second finds nothing to do."""
    if collection.embedding.index_kind == "binary":
        await _centre(db, scope, collection)
        await _look_at(db, bits_table(collection.space))
    elif collection.embedding.index_kind == "ivfflat":
        await _cluster(db, collection)


def lists_for(rows: float) -> int:
    """How many lists so many rows are cut into: with less than 4 times the square root a search reads more rows for the same recall."""
    return min(LISTS_MOST, max(1, round(4 * math.sqrt(rows))))


def _outgrown(found: Lists, chunks: int) -> bool:
    """The number of lists tells how many rows they were cut for."""
    wanted = lists_for(max(found.rows, chunks))
    return found.lists is None or wanted >= found.lists * math.sqrt(GROWTH)


async def _lists(conn: Connection, space: int) -> Lists:
    row = await (await conn.execute(statement("index_lists.sql"), {"vectors": f"tadori.vector_{space:d}"})).fetchone()
    assert row is not None
    return Lists(*row)


async def _centre(db: Database, scope: Scope, collection: Collection) -> None:
    """One transaction under the collection's lock: at no moment do some codes belong to another centre than the rest."""
    names = {"vectors": vector_table(collection.space), "signs": bits_table(collection.space)}
    key = {"tid": collection.tid, "coll": collection.coll}
    async with writing(db, scope, collection) as conn:
        if not await index_is_due(conn, collection):
            return
        await conn.execute("set local statement_timeout = 0")  # a million codes take longer than any search may
        found = await (await conn.execute(SQL(statement("centre_drift.sql")).format(**names), key)).fetchone()
        if found is not None and found[0] is not None and found[0] < DRIFT:
            await conn.execute("update tadori.collection set centred_chunks = chunk_count where tid = %(tid)s and coll = %(coll)s", key)
        else:
            await conn.execute(SQL(statement("centre_vectors.sql")).format(**names), key)


async def _look_at(db: Database, table: Identifier) -> None:
    """Let the planner know what is in the table; without, it reads the whole of it."""
    async with db.owner() as owner:
        await owner.execute(SQL("analyze (skip_locked) tadori.{}").format(table))


async def _cluster(db: Database, collection: Collection) -> None:
    """Build the new index beside the old one, then drop that; both concurrently, so that reading and writing go on."""
    table = vector_table(collection.space)
    async with db.owner() as owner:
        locked = await (await owner.execute("select pg_try_advisory_lock(%s)", (_LOCK + collection.space,))).fetchone()
        if locked is None or not locked[0]:
            return  # another process is building it; the lock goes with its connection
        await owner.execute(SQL("analyze tadori.{}").format(table))
        found = await _lists(owner, collection.space)
        if found.rows < FIRST_CHUNKS or not _outgrown(found, 0):
            return
        lists = lists_for(found.rows)
        name = f"vector_{collection.space:d}_ivfflat_{lists:d}"
        await owner.execute("select set_config('maintenance_work_mem', %s, false)", (f"{_memory_kb(lists, collection.embedding.dims)}kB",))
        await _drop(owner, name)  # what a killed builder left is not valid
        names = {"vector_table": table, "vector_index": Identifier(name), "lists": Literal(lists)}
        await owner.execute(SQL(statement("build_lists.sql")).format(operators=operators(collection.embedding.column_type), **names))
        values = {"vectors": f"tadori.vector_{collection.space:d}", "name": name}
        for (other,) in await (await owner.execute(statement("other_lists.sql"), values)).fetchall():
            await _drop(owner, other)


async def _drop(owner: Connection, index: str) -> None:
    await owner.execute(SQL("drop index concurrently if exists tadori.{}").format(Identifier(index)))


def _memory_kb(lists: int, dims: int) -> int:
    """What clustering needs at most, and pgvector refuses to go beyond: 50 samples a list, and a bound for each sample and list."""
    samples = max(50 * lists, 10_000)
    vectors = (samples + 2 * lists) * (4 * dims + 64)
    bounds = 4 * (samples * lists + lists * lists + 4 * samples)
    return max(65_536, (vectors + bounds) // 1024 * 5 // 4)
