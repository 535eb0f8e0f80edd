"""Builds a collection's vectors in a second space, beside those it is searched by, and exchanges the two in one transaction.

The store's side of `tadori reindex`; what is embedded, and with which model, is decided in retrievers/ingest/reindex.py.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from typing import LiteralString

import numpy as np
from numpy.typing import NDArray
from psycopg.rows import class_row
from psycopg.sql import SQL, Composed, Identifier

from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.pools import Connection
from retrievers.store.rows import VectorArray, VectorArrayDumper, window_columns
from retrievers.store.spaces import column_type, vector_table, window_table
from retrievers.store.sql import statement
from retrievers.store.writing import reading, writing
from retrievers.types import Collection, EmbeddingSpec, Vector

BATCH = 64
"""Chunks embedded and written together: what a kill can lose, and how long the collection's lock is held."""


@dataclass(frozen=True)
class MissingChunk:
    """A stored chunk without a vector in the new space, and what its text is put together from."""

    chunk: int
    ordinal: int
    body: str
    heading_path: list[str]
    char_start: int
    char_end: int
    token_count: int
    title: str


VectorsOfChunk = tuple[Vector, NDArray[np.float32] | None]
"""A chunk's own vector, and those of its windows where it has several."""

Embed = Callable[[Sequence[MissingChunk]], Awaitable[Sequence[VectorsOfChunk]]]


class Rebuild:
    """The vectors of `collection` in `space`, which is one of the model `spec`.

    Every method raises CollectionRebuilt when another process has exchanged the collection's vectors meanwhile.
    """

    def __init__(self, db: Database, scope: Scope, collection: Collection, spec: EmbeddingSpec, space: int) -> None:
        self._db = db
        self._scope = scope
        self._collection = collection
        self._spec = spec
        self._space = space
        self._key = {"tid": collection.tid, "coll": collection.coll}

    async def built(self) -> int:
        """How many vectors are there from before."""
        async with reading(self._db, self._scope, self._collection) as conn:
            row = await (await conn.execute(self._statement("count_vectors.sql"), self._key)).fetchone()
        return int(row[0]) if row else 0

    async def missing(self, after: int) -> list[MissingChunk]:
        """The next chunks to embed, by number; empty where there is none with a higher one."""
        async with reading(self._db, self._scope, self._collection) as conn:
            return await self._missing(conn, after, BATCH)

    async def add(self, chunks: Sequence[MissingChunk], vectors: Sequence[VectorsOfChunk]) -> None:
        """Keep vectors of chunks, for good: a killed run goes on behind them. Writers wait for as long as that takes."""
        # Under the lock, though nobody reads these rows yet: deleting a chunk and giving it a vector could wait for each other.
        async with writing(self._db, self._scope, self._collection) as conn:
            await self._write(conn, chunks, vectors)

    async def exchange(self, embed: Embed, *, at_once: bool) -> bool:
        """Let the collection be searched by the new vectors, and remove all others of it. What was written last is embedded first.

        False, with nothing changed, where that is more than one batch; with `at_once` it is embedded all the same, while writers wait.
        """
        async with writing(self._db, self._scope, self._collection) as conn:
            left = await self._missing(conn, 0, BATCH + 1)
            if len(left) > BATCH and not at_once:
                return False
            while left:
                await self._write(conn, left, await embed(left))
                left = await self._missing(conn, left[-1].chunk, BATCH)
            await conn.execute("set local statement_timeout = 0")  # removing a million vectors takes longer than any search may
            await conn.execute(self._statement("change_space.sql"), self._key | asdict(self._spec) | {"space": self._space})
            await _remove_others(conn, self._key, self._space)
        return True

    async def _missing(self, conn: Connection, after: int, rows: int) -> list[MissingChunk]:
        async with conn.cursor(row_factory=class_row(MissingChunk)) as cursor:
            await cursor.execute(self._statement("missing_vectors.sql"), self._key | {"after": after, "rows": rows})
            return await cursor.fetchall()

    async def _write(self, conn: Connection, chunks: Sequence[MissingChunk], vectors: Sequence[VectorsOfChunk]) -> None:
        conn.adapters.register_dumper(VectorArray, VectorArrayDumper)
        kind = column_type(self._spec)
        row = await (await conn.execute("select %s::regtype::oid::integer", (kind,))).fetchone()
        assert row is not None
        numbers = [chunk.chunk for chunk in chunks]
        values = {"chunks": numbers, "embeddings": VectorArray.of([own for own, _ in vectors], kind, row[0])}
        await conn.execute(self._statement("build_vectors.sql"), self._key | values)
        if windows := window_columns(numbers, [parts for _, parts in vectors]):
            parts = windows.keys | {"embeddings": VectorArray.of(windows.vectors, kind, row[0])}
            await conn.execute(self._statement("add_windows.sql"), self._key | parts)

    def _statement(self, file: LiteralString) -> Composed:
        return SQL(statement(file)).format(
            vectors=vector_table(self._space), windows=window_table(self._space), type=Identifier(column_type(self._spec))
        )


async def remove_unfinished(db: Database, scope: Scope, collection: Collection) -> None:
    """Remove the collection's vectors from every space but its own: what builds left that were killed and never finished."""
    async with writing(db, scope, collection) as conn:
        await conn.execute("set local statement_timeout = 0")
        await _remove_others(conn, {"tid": collection.tid, "coll": collection.coll}, collection.space)


async def _remove_others(conn: Connection, key: dict[str, int], space: int) -> None:
    rows = await (await conn.execute("select space from tadori.embedding_space where space <> %s order by space", (space,))).fetchall()
    for (other,) in rows:
        await conn.execute(SQL(statement("delete_vectors.sql")).format(vectors=vector_table(other)), key)
