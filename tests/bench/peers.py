"""How well this product and its peers rank the same passages with the same embeddings.

`python -m tests.bench.peers FOLDER [--only NAME ...] [--systems NAME ...] [--limit N] [--results FOLDER]`. Vectors are those given in
e5.npz beside each corpus; ours as shipped go through HybridSearch, and have windows embedded by the same model. Every mean is computed
twice, by our metrics and by ir-measures.
"""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import ir_measures
import numpy as np
from ir_measures import RR, Qrel, R, ScoredDoc, nDCG

from graphs.evals import metrics
from graphs.evals.cases import Case
from retrievers.hybrid import HybridSearch
from retrievers.ranking import Ranking
from retrievers.store.database import Database
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.store.search import Query, find_passages
from retrievers.text.analysis import query_words
from retrievers.types import Collection, Mode
from tests.bench._collections import LANGUAGES, SCOPE, GivenEmbedder, TestCollection, crossed, own_database, read_collection, settle, store
from tests.bench._peers import CACHE, DEPTHS, PEERS, own_postgres, rankings
from tests.bench._results import RESULTS, load, read_results, write_results
from tests.bench._windows import windowed

CROSSED = "xquad_en-zh"
"""English questions over Chinese passages; not in the mean of the six."""
OURS = {
    "bm25": "tadori, BM25 alone",
    "vector": "tadori, vectors alone",
    "plain": "tadori, plain absolute fusion",
    "default": "tadori, as shipped",
}
EVERY = [*OURS, *(peer.name for peer in PEERS)]
MEASURES = {"ndcg@10": nDCG @ 10, "recall@10": R @ 10, "recall@100": R @ 100, "mrr@10": RR @ 10}
SAME = 1e-9
"""How far two implementations of a mean may differ: rounding alone."""

Ranked = Mapping[str, Sequence[str]]
Ask = Callable[[Case], Awaitable[list[str]]]
Figures = dict[str, dict[str, dict[str, float]]]


def scores(asked: Sequence[Case], found: Ranked) -> dict[str, list[float]]:
    """Each measure of each question, in the order of the questions."""
    each = [(found[case.id], case.gold) for case in asked]
    return {
        "ndcg@10": [metrics.ndcg(ranking, gold, 10) for ranking, gold in each],
        "recall@10": [metrics.recall(ranking, gold, 10) for ranking, gold in each],
        "recall@100": [metrics.recall(ranking, gold, 100) for ranking, gold in each],
        "mrr@10": [metrics.reciprocal_rank(ranking, gold, 10) for ranking, gold in each],
    }


def means(asked: Sequence[Case], found: Ranked) -> dict[str, float]:
    """The mean of each measure; raises AssertionError where ir-measures comes to another."""
    ours = {name: float(np.mean(values)) for name, values in scores(asked, found).items()}
    qrels = [Qrel(case.id, document, grade) for case in asked for document, grade in case.gold.items()]
    run = [ScoredDoc(case.id, document, -place) for case in asked for place, document in enumerate(found[case.id])]
    theirs = ir_measures.calc_aggregate(MEASURES.values(), qrels, run)
    for name, measure in MEASURES.items():
        assert abs(ours[name] - theirs[measure]) < SAME, f"{name}: {ours[name]} here, {theirs[measure]} by ir-measures"
    return {name: round(value, 4) for name, value in ours.items()}


def default(database: Database, collection: Collection, given: TestCollection, depth: int) -> Ask:
    """The product's own search with vectors that were made beforehand, whatever it does by default."""
    search = HybridSearch(database, GivenEmbedder(given.vectors()), EmbeddingCache(database), SCOPE)

    async def ask(case: Case) -> list[str]:
        found = await search.search(case.text, collection=collection.name, k=depth)
        return metrics.collapse([passage["document"] for passage in found["passages"]])

    return ask


def plain(database: Database, collection: Collection, given: TestCollection, mode: Mode) -> Ask:
    """One arm, or both under absolute fusion without anything that came to it later: the yardstick of what did."""
    bare = replace(collection, ranking=PLAIN)

    async def ask(case: Case) -> list[str]:
        query = Query(tuple(query_words(case.text)), given.queries[case.id], max(DEPTHS), mode, "absolute")
        async with database.transaction(SCOPE) as conn:
            return metrics.collapse([passage["document"] for passage in await find_passages(conn, bare, query)])

    return ask


PLAIN = Ranking(lexical=0.25, near=0.0, title=1.0, heading=1.0, code=1.0, derived=1.0)
"""BM25 over its bound plus cosine, at the weight that is best for whole passages, and no factor after it."""
MODES: dict[str, Mode] = {"bm25": "lexical", "vector": "vector", "plain": "hybrid"}
"""The ways that are one statement; `default` is the product's search."""


async def stored(database: Database, name: str, given: TestCollection) -> Collection:
    """The collection in the database, ready to be searched."""
    collection = await store(database, f"{name}-{given.name.replace('_', '-')}", given.rows)
    await settle(database, collection, index=False)
    return collection


async def measure_ours(database: Database, given: TestCollection, ways: Sequence[str], cache: Path) -> Figures:
    """{way: {depth: means}}. Under absolute fusion the first ten of a hundred are the ten, so the plain ways are asked once.

    The plain ways have the vectors of whole passages that the peers have, the product the windows that it would embed.
    """
    collections = {way: await stored(database, "plain", given) for way in ways if way in MODES}
    if "default" in ways:
        collections["default"] = await stored(database, "eval", await windowed(given, cache))
    cases = given.cases.answerable
    figures: Figures = {}
    for way in ways:
        if way in MODES:
            found = means(cases, await ranked(plain(database, collections[way], given, MODES[way]), cases))
            figures[way] = dict.fromkeys(map(str, DEPTHS), found)
        else:
            asked = {depth: await ranked(default(database, collections[way], given, depth), cases) for depth in DEPTHS}
            figures[way] = {str(depth): means(cases, found) for depth, found in asked.items()}
    return figures


async def ranked(ask: Ask, cases: Sequence[Case]) -> dict[str, list[str]]:
    """Every question asked, one after the other."""
    return {case.id: await ask(case) for case in cases}


def read_all(folder: Path, names: Sequence[str], limit: int | None) -> list[tuple[TestCollection, str]]:
    """The collections that are there, each with the language of its passages."""
    found = []
    for name in names:
        given = crossed(folder, "xquad_en", "xquad_zh", limit) if name == CROSSED else read_collection(folder / name, limit)
        if given is None:
            print(f"{name}: not in {folder}, passed over")
        else:
            found.append((replace(given, name=name), LANGUAGES["xquad_zh" if name == CROSSED else name]))
    return found


async def run(options: argparse.Namespace) -> None:
    """Measure system by system on each collection, keep what was measured before of the others, write and print."""
    results = read_results(options.results / "peers.json") if options.keep else {}
    systems = results.setdefault("systems", {})
    async with own_database() as database:
        postgres = await own_postgres(database, "peer") if "langchain_postgres" in options.systems else None
        for given, language in read_all(options.folder, options.only, options.limit or None):
            counts = {"documents": len(given.rows), "questions": len(given.cases.answerable), "language": language}
            results["collections"] = in_order(results.get("collections", {}) | {given.name: counts})
            ways = [way for way in OURS if way in options.systems]
            for way, by_depth in (await measure_ours(database, given, ways, options.cache)).items() if ways else ():
                system(systems, way, OURS[way], ())["figures"][given.name] = by_depth
            for peer in PEERS:
                if peer.name in options.systems:
                    found = rankings(peer, given, language, postgres, options.cache)
                    by_depth = {str(depth): means(given.cases.answerable, ranking) for depth, ranking in found.items()}
                    system(systems, peer.name, peer.title, peer.notes)["figures"][given.name] = by_depth
            write_results(options.results / "peers.json", results | {"load": load(), "limit": options.limit or None})
            print(f"{given.name}: {counts['documents']} documents, {counts['questions']} questions", flush=True)
    show(results)


def in_order(collections: dict[str, dict]) -> dict[str, dict]:
    """In the order of the collections, whichever was measured first."""
    return {name: collections[name] for name in (*LANGUAGES, CROSSED) if name in collections}


def system(systems: dict[str, dict], name: str, title: str, notes: Sequence[str]) -> dict:
    """The system's entry in the results."""
    entry = systems.setdefault(name, {"figures": {}})
    entry.update(title=title, notes=list(notes))
    return entry


def macro(figures: Mapping[str, Mapping[str, Mapping[str, float]]], names: Sequence[str], depth: str, measure: str) -> float:
    """The mean over these collections."""
    return float(np.mean([figures[name][depth][measure] for name in names]))


def best_depth(figures: Mapping[str, Mapping[str, Mapping[str, float]]], names: Sequence[str]) -> str:
    """The depth at which the system ranks its first ten better: the figures shown are the better ones."""
    return max(map(str, DEPTHS), key=lambda depth: macro(figures, names, depth, "ndcg@10"))


def systems_in_order(results: dict) -> list[dict]:
    """The systems that were measured on every collection, ours first."""
    names = results["collections"]
    found = [results["systems"][name] for name in EVERY if name in results["systems"]]
    return [entry for entry in found if all(name in entry["figures"] for name in names)]


def show(results: dict) -> None:
    """A table for each measure."""
    names = list(results["collections"])
    six = [name for name in names if name != CROSSED]
    for measure in MEASURES:
        print(f"\n{measure:<36}" + "".join(f"{name:>12}" for name in names) + f"{'mean':>10}{'depth':>7}")
        for entry in systems_in_order(results):
            figures = entry["figures"]
            depth = "100" if measure == "recall@100" else best_depth(figures, six)
            row = "".join(f"{figures[name][depth][measure]:>12.4f}" for name in names)
            print(f"{entry['title']:<36}{row}{macro(figures, six, depth, measure):>10.4f}{depth:>7}")


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of test collections with e5.npz")
    parser.add_argument("--limit", type=int, default=0, help="questions of each set (default 0: all)")
    parser.add_argument("--only", nargs="+", default=[*LANGUAGES, CROSSED], help="sets to measure")
    parser.add_argument("--systems", nargs="+", default=EVERY, choices=EVERY, help="which to measure (default all)")
    parser.add_argument("--keep", action="store_true", help="keep the figures of systems that are not measured now")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the result files")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of the peers' environments")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
