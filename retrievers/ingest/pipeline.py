"""Ingestion: from paths or texts to stored documents that both arms find, and a report that leaves nothing out.

The door of this package; used by the composition root for the command line, notebooks and the served graph.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from retrievers.caching import VectorCache
from retrievers.ingest.chunk import Chunker
from retrievers.ingest.discover import discover
from retrievers.ingest.embed import PassageEmbedder
from retrievers.ingest.entries import Entry, count_documents, entries_of, entries_of_content
from retrievers.ingest.graph import GraphBuilder
from retrievers.ingest.outcomes import Outcomes
from retrievers.ingest.report import FileReport, IngestReport, Progress, Tracker
from retrievers.ingest.run import Run
from retrievers.ingest.writing import Writer
from retrievers.scope import Scope, check_readers
from retrievers.store.collections import ensure_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.text.analysers import analyser, analyser_of, default_analyser
from retrievers.types import NO_CHOICE, Embedder, VectorChoice

__all__ = ["FileReport", "IngestReport", "Ingestion", "Progress"]

_BATCH_ENTRIES = 128
_BATCH_BYTES = 16 * 2**20
"""Read ahead at most: bounds memory, and a look-up of what is stored serves many."""


class Ingestion:
    """Safe to run several times at once, in this process and in others; a run that was killed goes on where it was."""

    def __init__(
        self,
        db: Database,
        store: DocumentStore,
        cache: VectorCache,
        embedder: Embedder,
        analyser: str | None = None,
        graph: GraphBuilder | None = None,
    ) -> None:
        """`analyser` is what new collections are made with, by default the fullest that is installed; without `graph` none is built."""
        self._db = db
        self._store = store
        self._cache = cache
        self._embedder = embedder
        self._analyser = analyser
        self._graph = graph

    async def ingest(
        self,
        scope: Scope,
        collection: str,
        paths: Sequence[Path],
        *,
        readers: Sequence[str] = ("tenant",),
        prune: bool = False,
        progress: Progress | None = None,
        root: Path | None = None,
        choice: VectorChoice = NO_CHOICE,
    ) -> IngestReport:
        """Bring files and folders into the collection, which is made where it is new.

        A document that fails has its reason in the report and leaves its stored version as it was. `prune` deletes the collection's
        documents that are not among the paths. Sources are relative to `root`, by default to each folder that is given. `choice` is for
        a new collection; one that is there must agree. Raises InvalidArgument for that, for a path that does not exist or unknown
        readers, EmbeddingMismatch, StorageError.
        """
        found = await asyncio.to_thread(discover, paths, root)
        documents = await asyncio.to_thread(count_documents, found)
        return await self._run(scope, collection, entries_of(found), Tracker(progress, documents), readers, prune, choice)

    async def ingest_content(
        self, scope: Scope, collection: str, items: Sequence[Mapping[str, object]], *, readers: Sequence[str] = ("tenant",)
    ) -> IngestReport:
        """As `ingest`, for texts: `{source, text, title?, metadata?}` each."""
        return await self._run(scope, collection, entries_of_content(items), Tracker(None, len(items)), readers, prune=False)

    async def _run(
        self,
        scope: Scope,
        collection: str,
        entries: Iterator[Entry],
        tracker: Tracker,
        readers: Sequence[str],
        prune: bool,
        choice: VectorChoice = NO_CHOICE,
    ) -> IngestReport:
        started = time.monotonic()
        known = check_readers(readers)
        # In a thread: an embedder may have to load a model or ask a server for its dimensions.
        spec = await asyncio.to_thread(lambda: self._embedder.spec)
        wanted = await asyncio.to_thread(analyser, self._analyser or default_analyser())
        target = await ensure_collection(self._db, scope, collection, spec, wanted.name, choice)
        kept = await asyncio.to_thread(analyser_of, target)
        outcomes = Outcomes(self._store, scope, target, known, tracker)
        passages = PassageEmbedder(self._embedder, self._cache, scope)
        run = Run(outcomes, Writer(Chunker(self._embedder.count_tokens, spec.max_tokens), passages, outcomes, kept))
        while batch := await asyncio.to_thread(_next_batch, entries):
            await run.take(batch)
        await run.finish()
        report = IngestReport(files=run.files, embedded=passages.embedded, seconds=0.0)
        if prune:
            report["deleted"] = await run.prune()
        if self._graph:
            report["graph"] = await self._graph.read_new(scope, target, tracker.reading)
        report["seconds"] = round(time.monotonic() - started, 3)
        return report


def _next_batch(entries: Iterator[Entry]) -> list[Entry]:
    batch: list[Entry] = []
    size = 0
    for entry in islice(entries, _BATCH_ENTRIES):
        batch.append(entry)
        size += entry.size
        if size >= _BATCH_BYTES:
            break
    return batch
