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
from retrievers.store.spaces import vector_table
from retrievers.store.sql import statement
from retrievers.text.analysis import ANALYSER
from retrievers.types import Collection, Json

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
) -> Collection:
    """Row i is the document `row-i` with the text `row number i`; every row holds the words `row` and `number`, each third `third`."""
    spec = HashEmbedder(DIMS).spec
    made = await ensure_collection(database, scope, collection, spec, ANALYSER)
    index = Identifier("tadori", f"vector_{made.space}_hnsw")
    async with database.owner() as owner:
        await owner.execute(SQL("drop index if exists {}").format(index))
    async with database.transaction(scope) as conn:
        for step in _STEPS:
            values = {
                "tid": made.tid,
                "coll": made.coll,
                "rows": len(vectors),
                "readers": list(readers),
                "vectors": [str(row) for row in vectors.tolist()],
                "metadata": [json.dumps(row) for row in metadata],
            }
            await conn.execute(SQL(step).format(vectors=vector_table(made.space)), values)
    async with database.owner() as owner:
        names = {"vector_table": vector_table(made.space), "vector_index": Identifier(f"vector_{made.space}_hnsw")}
        await owner.execute(SQL(statement("index_space.sql")).format(**names, operators=Identifier("halfvec_cosine_ops")))
        for table in (vector_table(made.space), *map(Identifier, ("posting", "chunk", "document", "content", "term"))):
            await owner.execute(SQL("vacuum (analyze) tadori.{}").format(table))
    return await ensure_collection(database, scope, collection, spec, ANALYSER)


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
       select c.tid, c.coll, c.chunk, c.audience, v.embedding::halfvec
       from unnest(%(vectors)s::text[]) with ordinality as v (embedding, i)
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
