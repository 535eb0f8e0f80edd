"""Fills a collection with thousands of rows in a second, set-wise, for tests of limits, plans and filters.

The rows are what the store would write, made by SQL; the vector index is rebuilt at once instead of row by row.
"""

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from psycopg.sql import SQL, Identifier

from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store.collections import ensure_collection
from retrievers.store.database import Database
from retrievers.store.indexing import build_index, index_is_due
from retrievers.store.rows import VectorArray, VectorArrayDumper
from retrievers.store.spaces import bits_table, operators, vector_table
from retrievers.store.sql import statement
from retrievers.text.analysis import ANALYSER
from retrievers.types import NO_CHOICE, Collection, EmbeddingSpec, Json, VectorChoice

DIMS = 32
"""A space of its own, so that its index can be taken down and built again."""


def unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """The rows at unit length."""
    scaled: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return scaled


async def crowd(
    database: Database,
    scope: Scope,
    vectors: NDArray[np.float32],
    metadata: Sequence[dict[str, Json]],
    *,
    collection: str = "default",
    readers: Sequence[str] = ("tenant",),
    spec: EmbeddingSpec | None = None,
    choice: VectorChoice = NO_CHOICE,
    settled: bool = True,
) -> Collection:
    """Row i is the document `row-i` with the text `row number i`; every row holds the words `row` and `number`, each third `third`.

    The space is that of `spec`, by default one of DIMS dimensions. An index that wants rows first is built where it is due. Without
    `settled` the planner is left without statistics, for a crowd that another one follows.
    """
    spec = spec or HashEmbedder(DIMS).spec
    made = await ensure_collection(database, scope, collection, spec, ANALYSER, choice)
    await drop_hnsw(database, made)
    async with database.transaction(scope) as conn:
        conn.adapters.register_dumper(VectorArray, VectorArrayDumper)
        kind = made.embedding.column_type
        type_oid = (await (await conn.execute("select %s::regtype::oid::integer", (kind,))).fetchone())[0]
        values = {
            "tid": made.tid,
            "coll": made.coll,
            "rows": len(vectors),
            "readers": list(readers),
            "vectors": VectorArray.of(list(vectors), kind, type_oid),
            "metadata": [json.dumps(row) for row in metadata],
        }
        for step in _STEPS:
            await conn.execute(SQL(step).format(vectors=vector_table(made.space), type=Identifier(kind)), values)
    await build(database, scope, made)
    if settled:
        await look(database, made)
    return await ensure_collection(database, scope, collection, spec, ANALYSER)


async def drop_hnsw(database: Database, collection: Collection) -> None:
    """Take down the index over the space's vectors or codes, so that rows go in quickly."""
    async with database.owner() as owner:
        await owner.execute(SQL("drop index if exists {}").format(Identifier("tadori", f"vector_{collection.space}_hnsw")))


async def build(database: Database, scope: Scope, collection: Collection) -> None:
    """What is due of the index, and HNSW at once over the rows that are there."""
    async with database.transaction(scope) as conn:
        due = await index_is_due(conn, collection)
    if due:
        await build_index(database, scope, collection)
    names = {"vector_index": Identifier(f"vector_{collection.space}_hnsw"), "operators": operators(collection.embedding.column_type)}
    async with database.owner() as owner:
        match collection.embedding.index_kind:
            case "hnsw":
                await owner.execute(SQL(statement("index_space.sql")).format(vector_table=vector_table(collection.space), **names))
            case "binary":
                line = next(line for line in statement("create_bits.sql").splitlines() if line.startswith("create index"))
                await owner.execute(SQL(line).format(bits_table=bits_table(collection.space), **names))


async def look(database: Database, collection: Collection) -> None:
    """What autovacuum does by itself some time after an ingestion."""
    tables = [vector_table(collection.space), *map(Identifier, ("posting", "chunk", "document", "document_label", "content", "term"))]
    if collection.embedding.index_kind == "binary":
        tables.append(bits_table(collection.space))
    async with database.owner() as owner:
        for table in tables:
            await owner.execute(SQL("vacuum (analyze) tadori.{}").format(table))


_STEPS = (
    "insert into tadori.audience (tid, readers) values (%(tid)s, %(readers)s) on conflict do nothing",
    """insert into tadori.content (tid, coll, content_hash, body, audience)
       select %(tid)s, %(coll)s, 'hash-' || i, 'row number ' || i, a.audience
       from generate_series(0, %(rows)s - 1) i, tadori.audience a where a.tid = %(tid)s and a.readers = %(readers)s""",
    """insert into tadori.document (tid, coll, source, content, content_hash, title, modified, audience, metadata)
       select c.tid, c.coll, 'row-' || m.i - 1, c.content, c.content_hash, 'Row ' || m.i - 1,
              timestamptz '2026-01-01' + (m.i - 1) * interval '1 minute', c.audience, m.metadata::jsonb
       from unnest(%(metadata)s::text[]) with ordinality as m (metadata, i)
       join tadori.content c on c.tid = %(tid)s and c.coll = %(coll)s and c.content_hash = 'hash-' || m.i - 1""",
    """insert into tadori.chunk (tid, coll, content, id, ordinal, body, char_start, char_end, token_count, length, terms, audience)
       select c.tid, c.coll, c.content, lpad(substring(c.content_hash from 6), 24, '0'), 0, c.body, 0, length(c.body), 3, 3,
              '{{}}', c.audience
       from tadori.content c where c.tid = %(tid)s and c.coll = %(coll)s""",
    """insert into tadori.{vectors} (tid, coll, chunk, audience, embedding)
       select c.tid, c.coll, c.chunk, c.audience, v.embedding
       from unnest(%(vectors)s::{type}[]) with ordinality as v (embedding, i)
       join tadori.chunk c on c.tid = %(tid)s and c.coll = %(coll)s and c.id = lpad((v.i - 1)::text, 24, '0')""",
    """insert into tadori.term (tid, coll, word, df)
       select %(tid)s, %(coll)s, w.word, w.df
       from (values ('row', %(rows)s), ('number', %(rows)s), ('third', (%(rows)s + 2) / 3)) w (word, df)""",
    """insert into tadori.posting (tid, coll, term, chunk, tf, dl, audience)
       select c.tid, c.coll, t.term, c.chunk, 1, 3, c.audience
       from tadori.chunk c join tadori.term t on t.tid = c.tid and t.coll = c.coll
       where c.tid = %(tid)s and c.coll = %(coll)s and (t.word <> 'third' or c.id::bigint %% 3 = 0)""",
    """update tadori.collection set chunk_count = %(rows)s, token_count = 3 * %(rows)s where tid = %(tid)s and coll = %(coll)s""",
)
