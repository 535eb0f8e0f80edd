"""What the knowledge graph adds to the search, what it costs to build, and how long a walk takes as the collection grows.

`python -m tests.bench.graph FOLDER [--parts quality speed] [--chunks N ...] [--questions N] [--results FOLDER] [--keep FOLDER]`. The
graph is built by rules, without a model, from the very rows that the search has; vectors are those given beside each corpus, with
windows embedded by the same model. lancedb's hybrid search ranks the same passages with the same vectors beside it.
"""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from psycopg.sql import SQL

from graphs.evals import metrics
from graphs.evals.cases import Case
from nodes.concepts import concepts_of
from nodes.hops import is_nested
from retrievers.hybrid import HybridSearch
from retrievers.ingest.graph import GraphBuilder, GraphReport
from retrievers.knowledge import GraphSearch
from retrievers.providers.names_rules import RuleExtractor
from retrievers.store.collections import get_collection
from retrievers.store.database import Database
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.store.graph import GraphStore
from retrievers.types import Collection, SearchResult
from tests.bench._collections import LANGUAGES, SCOPE, GivenEmbedder, TestCollection, own_database, read_collection, settle, store
from tests.bench._peers import CACHE, PEERS, rankings
from tests.bench._results import RESULTS, load, read_results, write_results
from tests.bench._synthetic import questions, read_sets
from tests.bench._windows import windowed
from tests.bench.search_latency import COLLECTION, filled

SETS = ("multihop", "squad2", "jsquad")
"""The first asks over several passages; in the others the graph has little to say, and must not harm."""
SIZES = (3_000, 100_000)
DEPTH = 10
WARM = 10
TABLES = ("mention", "relation", "alias", "extraction")
MEASURES: Mapping[str, Callable[[Sequence[str], Mapping[str, int]], float]] = {
    "recall@5": lambda ranking, gold: metrics.recall(ranking, gold, 5),
    "recall@10": lambda ranking, gold: metrics.recall(ranking, gold, 10),
    "all_gold@10": lambda ranking, gold: metrics.all_gold(ranking, gold, 10),
    "ndcg@10": lambda ranking, gold: metrics.ndcg(ranking, gold, 10),
}
Ask = Callable[[Case], Awaitable[list[str]]]


def is_walked(question: str) -> bool:
    """Whether the router walks the graph for it: as nodes/route.py decides, which decomposes what has parts."""
    several = concepts_of(question)
    if several is not None and not several.relates:
        return False
    return several is not None or is_nested(question)


def searched(search: HybridSearch, collection: Collection) -> Ask:
    """The first documents that a search finds."""

    async def ask(case: Case) -> list[str]:
        return documents(await search.search(case.text, collection=collection.name, k=DEPTH))

    return ask


def reached(search: GraphSearch, collection: Collection) -> Ask:
    """The first documents that the graph alone gives: the seed, then what the walk led to."""

    async def ask(case: Case) -> list[str]:
        found = await search.search(case.text, collection=collection.name, k=200)
        by_graph = [passage for number, passage in enumerate(found["passages"]) if number == 0 or "path" in passage]
        return metrics.collapse([passage["document"] for passage in by_graph])[:DEPTH]

    return ask


def routed(walk: Ask, plain: Ask) -> Ask:
    """As a turn goes: the walk where the router chooses it."""

    async def ask(case: Case) -> list[str]:
        return await (walk if is_walked(case.text) else plain)(case)

    return ask


def documents(found: SearchResult) -> list[str]:
    """Each once, best first."""
    return metrics.collapse([passage["document"] for passage in found["passages"]])


async def means(ask: Ask, cases: Sequence[Case]) -> dict[str, float]:
    """Each measure over the questions."""
    rankings = [(await ask(case), case.gold) for case in cases]
    return {name: round(float(np.mean([measure(ranking, gold) for ranking, gold in rankings])), 4) for name, measure in MEASURES.items()}


async def quality(database: Database, given: TestCollection) -> dict[str, Any]:
    """Every way of searching one collection, and what its graph took to build."""
    collection = await store(database, given.name, (await windowed(given, CACHE)).rows)
    report = await built(database, collection)
    await settle(database, collection, index=False)
    embedder, cache = GivenEmbedder(given.vectors()), EmbeddingCache(database)
    hybrid = searched(HybridSearch(database, embedder, cache, SCOPE), collection)
    walking = GraphSearch(database, embedder, cache, SCOPE)
    both, cases = searched(walking, collection), given.cases.answerable
    ways = {"hybrid": hybrid, "graph alone": reached(walking, collection), "both": both, "as routed": routed(both, hybrid)}
    figures: dict[str, Any] = {}
    for name, ask in ways.items():
        figures[name] = await means(ask, cases)
        print(f"{given.name} {name}: {figures[name]}", flush=True)
    walked = sum(is_walked(case.text) for case in cases) / len(cases)
    return {"ways": figures, "walked": round(walked, 3), "questions": len(cases), "build": report}


async def built(database: Database, collection: Collection) -> dict[str, Any]:
    """What the rules read, how fast, and how large it lies in the database."""
    store_, started = GraphStore(database), time.perf_counter()
    report: GraphReport = await GraphBuilder(store_, RuleExtractor()).build(SCOPE, collection)
    seconds = time.perf_counter() - started
    return {
        "chunks": report["chunks"],
        "names": report["names"],
        "relations": report["relations"],
        "seconds": round(seconds, 1),
        "chunks_per_s": round(report["chunks"] / seconds),
        "mb": await megabytes(database),
    }


async def megabytes(database: Database) -> float:
    """Of the graph's tables with their indexes, all collections together."""
    async with database.owner() as owner:
        sizes = [
            (await (await owner.execute(SQL("select pg_total_relation_size(%s::regclass)"), (f"tadori.{table}",))).fetchone() or (0,))[0]
            for table in TABLES
        ]
    return round(sum(sizes) / 2**20, 1)


def beside(given: TestCollection) -> dict[str, float]:
    """lancedb's hybrid search over the same passages."""
    peer = next(peer for peer in PEERS if peer.name == "lancedb")
    found = rankings(peer, given, LANGUAGES[given.name], None, CACHE)[DEPTH]
    each = [(metrics.collapse(found[case.id]), case.gold) for case in given.cases.answerable]
    return {name: round(float(np.mean([measure(ranking, gold) for ranking, gold in each])), 4) for name, measure in MEASURES.items()}


async def speed(folder: Path, chunks: int, asked: int, kept: Path | None) -> dict[str, Any]:
    """Milliseconds of a walk and of the hybrid search before it, in a collection of so many chunks; how long its graph took."""
    sets = read_sets(folder)
    async with own_database(kept / str(chunks) if kept else None) as database:
        await filled(database, sets, chunks, {})
        collection = await get_collection(database, SCOPE, COLLECTION)
        report = await built(database, collection)
        await settle(database, collection, index=False)
        cases = questions(sets, asked + WARM)
        search = GraphSearch(database, GivenEmbedder(dict(cases)), EmbeddingCache(database), SCOPE)
        times: dict[str, list[float]] = {"search": [], "graph": []}
        for number, (text, _) in enumerate(cases):
            found = await search.search(text, collection=COLLECTION)
            if number >= WARM:
                for stage, values in times.items():
                    values.append(found["timings_ms"].get(stage, 0.0))
    stages = {stage: {f"p{share}": round(float(np.percentile(values, share)), 1) for share in (50, 95)} for stage, values in times.items()}
    return {"build": report, "stages": stages, "questions": asked, "load": load()}


async def measured(options: argparse.Namespace) -> None:
    """Every part that is wanted, each kept as soon as it is there."""
    path = options.results / "graph.json"
    if "quality" in options.parts:
        async with own_database() as database:
            for name in options.only:
                given = read_collection(options.folder / name)
                if given is None:
                    print(f"{name}: not in {options.folder}, passed over")
                    continue
                found = await quality(database, given)
                found["ways"]["lancedb hybrid"] = await asyncio.to_thread(beside, given)
                before = read_results(path)
                write_results(path, before | {"sets": before.get("sets", {}) | {name: found}})
                print(f"{name}: {found}", flush=True)
    if "speed" in options.parts:
        for chunks in options.chunks:
            found = await speed(options.folder, chunks, options.questions, options.keep)
            before = read_results(path)
            write_results(path, before | {"sizes": before.get("sizes", {}) | {str(chunks): found}})
            print(f"{chunks} chunks: {found}", flush=True)


def main() -> None:
    """Parse and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of test collections with e5.npz")
    parser.add_argument("--parts", nargs="*", choices=("quality", "speed"), default=["quality", "speed"])
    parser.add_argument("--only", nargs="*", choices=SETS, default=[*SETS], help="collections whose ranking is measured")
    parser.add_argument("--chunks", nargs="*", type=int, default=[*SIZES], help="sizes at which a walk is timed")
    parser.add_argument("--questions", type=int, default=100, help="questions timed at each size")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the result files")
    parser.add_argument("--keep", type=Path, help="folder in which the filled databases stay, search_latency's too")
    asyncio.run(measured(parser.parse_args()))


if __name__ == "__main__":
    main()
