"""Whether mode lexical is BM25 to the last place: its ten best against those of bm25s, on the same words, for every question of a set.

`python -m tests.bench.bm25_identity [FOLDER] [--only NAME ...]`; ends with 1 where one question differs by more than a tie.
"""

import argparse
import asyncio
import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import bm25s
import numpy as np
from numpy.typing import NDArray

from graphs.evals.cases import Case, Unanswerable
from retrievers.store.database import Database
from retrievers.store.search import K1, B, Query, find_passages
from retrievers.text.analysis import ANALYSER, analyse, query_words
from retrievers.types import Collection, Passage
from tests.bench._collections import DATA, SCOPE, TestCollection, own_database, read_collection, settle, store
from tests.bench._results import RESULTS, write_results

NAMES = ("scifact", "multihop", "squad2", "jsquad", "xquad_en", "xquad_zh")
K = 10
TIE = 1e-6
"""Scores lie between 0 and 200; closer than this they are equal, and either order is right."""


@dataclass(frozen=True)
class Outcome:
    """`same_order`: also the documents stand in the same order, as bm25s breaks ties by the corpus and we by id."""

    questions: int
    identical: int
    same_order: int
    largest_difference: float


class Reference:
    """bm25s over the same words: its method lucene has our idf and leaves out the constant factor k1 + 1."""

    def __init__(self, given: TestCollection) -> None:
        logging.getLogger("bm25s").setLevel(logging.WARNING)
        self.places = {row.source: place for place, row in enumerate(given.rows)}
        self._index = bm25s.BM25(method="lucene", k1=K1, b=B, dtype="float64")
        self._index.index([analyse(f"{row.title}\n{row.text}" if row.title else row.text) for row in given.rows], show_progress=False)

    def scores(self, words: Sequence[str]) -> NDArray[np.float64]:
        """One for each document, in the order of the corpus."""
        known = [word for word in words if word in self._index.vocab_dict]
        scores: NDArray[np.float64] = (K1 + 1) * self._index.get_scores(known) if known else np.zeros(len(self.places))
        return scores


async def lexical(database: Database, collection: Collection, words: Sequence[str]) -> list[Passage]:
    """The product's statement in mode lexical."""
    async with database.transaction(SCOPE) as conn:
        return await find_passages(conn, collection, Query(tuple(words), None, K, "lexical", "absolute"))


def compare(found: Sequence[Passage], expected: NDArray[np.float64], places: dict[str, int]) -> tuple[float, bool]:
    """The largest difference of a score, of the same document or of the same rank, and whether the order is the same too."""
    scores = np.array([passage["scores"]["bm25"] for passage in found])
    own = np.array([expected[places[passage["document"]]] for passage in found])
    order = [place for place in np.argsort(-expected, kind="stable")[:K] if expected[place] > 0]
    if len(order) != len(found):
        return float("inf"), False
    difference = max([0.0, *np.abs(scores - own), *np.abs(scores - expected[order])])
    return float(difference), [places[passage["document"]] for passage in found] == order


async def measure(database: Database, given: TestCollection, collection: Collection) -> Outcome:
    """Ask every question, those without an answer too."""
    reference, differences, same_order = Reference(given), [], 0
    questions: list[Case | Unanswerable] = [*given.cases.answerable, *given.cases.unanswerable]
    for case in questions:
        words = query_words(case.text)
        difference, same = compare(await lexical(database, collection, words), reference.scores(words), reference.places)
        differences.append(difference)
        same_order += same
    return Outcome(len(questions), sum(difference <= TIE for difference in differences), same_order, max(differences))


async def run(folder: Path, names: Sequence[str]) -> dict[str, Outcome]:
    """Each set stored in a database of its own."""
    outcomes: dict[str, Outcome] = {}
    async with own_database() as database:
        for name in names:
            given = read_collection(folder / name)
            if given is None:
                print(f"{name}: not in {folder}, passed over")
                continue
            collection = await store(database, f"eval-{name}", given.rows)
            await settle(database, collection, index=False)
            outcomes[name] = await measure(database, given, collection)
    return outcomes


def show(outcomes: dict[str, Outcome]) -> None:
    """One line for each set."""
    print(f"{'top 10 of ' + ANALYSER:<20}{'questions':>10}{'identical':>11}{'same order':>12}{'largest difference':>20}")
    for name, outcome in outcomes.items():
        print(f"{name:<20}{outcome.questions:>10}{outcome.identical:>11}{outcome.same_order:>12}{outcome.largest_difference:>20.1e}")


def main() -> int:
    """Parse, run and print; 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=DATA, help="folder of test collections with e5.npz")
    parser.add_argument("--only", nargs="+", default=NAMES, help="sets to compare")
    options = parser.parse_args()
    outcomes = asyncio.run(run(options.folder, options.only))
    show(outcomes)
    write_results(
        RESULTS / "bm25_identity.json", {"analyser": ANALYSER, "sets": {name: vars(outcome) for name, outcome in outcomes.items()}}
    )
    return int(any(outcome.identical < outcome.questions for outcome in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main())
