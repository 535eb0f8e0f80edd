"""Builds a collection's knowledge graph: reads the chunks that were not read yet, batch by batch, each kept before the next begins.

Run at the end of an ingestion, and by `tadori graph build`; what reads a chunk is handed in.
"""

import time
from collections.abc import Sequence

from retrievers.entities import EntityExtractor, Extraction, GraphText
from retrievers.errors import ProviderError, TadoriError
from retrievers.ingest.report import GraphReport, Progress
from retrievers.scope import Scope
from retrievers.store.graph import GraphStore
from retrievers.store.statistics import SMALL
from retrievers.types import Collection

__all__ = ["GraphBuilder", "GraphReport"]

BATCH = 128
"""Chunks read and kept together: what a kill can lose. Writers wait meanwhile: seconds, where each holds 30 names and 80 relations."""


class GraphBuilder:
    """Safe to run twice at once, and to kill: every batch that was kept stays, and the next run goes on behind it."""

    def __init__(self, store: GraphStore, extractor: EntityExtractor) -> None:
        self._store = store
        self._extractor = extractor

    @property
    def extractor(self) -> EntityExtractor:
        """What reads the chunks."""
        return self._extractor

    async def build(
        self,
        scope: Scope,
        collection: Collection,
        progress: Progress | None = None,
        *,
        max_chunks: int | None = None,
        retry_failed: bool = False,
    ) -> GraphReport:
        """Read at most `max_chunks` of the chunks that this extractor has not read; what another one made of them is replaced.

        `retry_failed`: also those that could not be read. Raises UnknownCollection, CollectionRebuilt, and ProviderError where nothing
        could be read at all.
        """
        run = _Run(self._store, self._extractor, scope, collection, self._extractor.name, retry_failed)
        await run.read_all(max_chunks, progress)
        return run.report

    async def read_new(self, scope: Scope, collection: Collection, progress: Progress) -> GraphReport:
        """As `build`, for the chunks that no extractor has read: a model's work is kept. A fault is told in the report, not raised."""
        run = _Run(self._store, self._extractor, scope, collection, None, retry=False)
        try:
            await run.read_all(None, progress)
        except TadoriError as exc:
            run.report["stopped"] = str(exc)
        return run.report


class _Run:
    def __init__(
        self, store: GraphStore, extractor: EntityExtractor, scope: Scope, collection: Collection, unread_by: str | None, retry: bool
    ) -> None:
        self._store, self._extractor, self._scope, self._collection = store, extractor, scope, collection
        self._unread_by, self._retry = unread_by, retry
        self.report = GraphReport(extractor=extractor.name, chunks=0, failed=0, names=0, relations=0, seconds=0.0)

    async def read_all(self, most: int | None, progress: Progress | None) -> None:
        started = time.monotonic()
        try:
            await self._read_batches(most, progress)
        finally:
            self.report["seconds"] = round(time.monotonic() - started, 3)
        if self.report["chunks"] >= SMALL:
            await self._store.refresh()

    async def _read_batches(self, most: int | None, progress: Progress | None) -> None:
        pending = await self._store.count_pending(self._scope, self._collection, self._unread_by, retry_failed=self._retry)
        total = pending if most is None else min(most, pending)
        after = 0
        while (left := min(total - self.report["chunks"], BATCH)) > 0:
            texts = await self._pending(left, after)
            read = await self._read(texts) if texts else 0
            if not read:
                break
            after = texts[read - 1].chunk
            if progress:
                progress(self.report["chunks"], total)

    async def _pending(self, limit: int, after: int) -> list[GraphText]:
        unread = (self._scope, self._collection, self._unread_by)
        return await self._store.pending(*unread, limit, after=after, retry_failed=self._retry)

    async def _read(self, texts: Sequence[GraphText]) -> int:
        """Read and keep one batch, or its beginning; returns how many texts. An extractor that ended early says why when asked again."""
        try:
            found = await self._extractor.extract(texts)
        except ProviderError as exc:
            if not self.report["chunks"]:
                raise
            self.report["stopped"] = str(exc)
            return 0
        if not found:
            self.report["stopped"] = f"{self._extractor.name} reads no more, by a limit that was given: run it again to go on"
            return 0
        await self._store.put(self._scope, self._collection, self._extractor.name, texts[: len(found)], found)
        self._count(found)
        return len(found)

    def _count(self, found: Sequence[Extraction]) -> None:
        report = self.report
        report["chunks"] += len(found)
        report["failed"] += sum(one.failed is not None for one in found)
        report["names"] += sum(len(one.names) for one in found)
        report["relations"] += sum(len(one.relations) for one in found)
