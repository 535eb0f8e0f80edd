"""The usual way to search words and meaning in PostgreSQL: OR of tsquery by ts_rank_cd over GIN, HNSW, reciprocal ranks fused in SQL.

It has the same words, the same vectors and the same HNSW index as ours, and runs as the owner, whom no policy holds back.
"""

import time
from collections.abc import Sequence

from psycopg.sql import SQL

from retrievers.store.database import Database
from retrievers.store.pools import Connection
from retrievers.store.spaces import vector_table
from retrievers.text.analysis import query_words
from retrievers.types import Collection
from tests.bench._collections import SCOPE
from tests.bench._synthetic import Question

STATEMENT = SQL("""
with
words as (
    select b.chunk, rank() over (order by ts_rank_cd(b.words, q.query) desc, b.chunk) as rank
    from tadori.bench_words b, to_tsquery('simple', %(words)s) q (query)
    where b.words @@ q.query
    order by ts_rank_cd(b.words, q.query) desc, b.chunk
    limit 30
),
near as (
    select n.chunk, row_number() over (order by n.distance) as rank
    from (select v.chunk, v.embedding <=> %(embedding)s::halfvec as distance from tadori.{vectors} v order by distance limit 30) n
),
fused as (
    select coalesce(w.chunk, n.chunk) as chunk, coalesce(1.0 / (60 + w.rank), 0) + coalesce(1.0 / (60 + n.rank), 0) as score
    from words w full join near n on n.chunk = w.chunk
)
select f.score, c.body from fused f join tadori.chunk c on c.tid = %(tid)s and c.chunk = f.chunk order by f.score desc limit 10
""")
AT_ONCE = 5_000
"""Rows in one statement."""


class Usual:
    """The statement over the chunks of `collection`, on one open connection."""

    def __init__(self, database: Database, collection: Collection, connection: Connection) -> None:
        self._connection = connection
        self._database = database
        self._collection = collection
        self._statement = STATEMENT.format(vectors=vector_table(collection.space))

    async def prepare(self, words: Sequence[tuple[str, str]]) -> None:
        """A tsvector of each chunk with its GIN index; `words` are sources, each with the words of its chunk in their order."""
        chunks = await self._chunks()
        async with self._database.owner() as owner:
            await owner.execute("create table tadori.bench_words (chunk integer primary key, words tsvector not null)")
            for start in range(0, len(words), AT_ONCE):
                some = words[start : start + AT_ONCE]
                await owner.execute(
                    "insert into tadori.bench_words select c, to_tsvector('simple', w) from unnest(%s::int[], %s::text[]) as g (c, w)",
                    ([chunks[source] for source, _ in some], [line for _, line in some]),
                )
            await owner.execute("set maintenance_work_mem = '1GB'")
            await owner.execute("create index on tadori.bench_words using gin (words)")
            await owner.execute("vacuum (analyze) tadori.bench_words")

    async def ask(self, question: Question) -> float:
        """Milliseconds of the statement on a connection that is open already."""
        text, vector = question
        words = " | ".join(f"'{word}'" for word in query_words(text) if "'" not in word and "\\" not in word)
        values = {"tid": self._collection.tid, "words": words, "embedding": str(vector.tolist())}
        started = time.perf_counter()
        await (await self._connection.execute(self._statement, values, prepare=False)).fetchall()
        return (time.perf_counter() - started) * 1000

    async def _chunks(self) -> dict[str, int]:
        key = (self._collection.tid, self._collection.coll)
        async with self._database.transaction(SCOPE) as conn:
            found = await conn.execute(
                "select source, chunk from tadori.document join tadori.chunk using (tid, coll, content) where tid = %s and coll = %s",
                key,
            )
            return dict(await found.fetchall())
