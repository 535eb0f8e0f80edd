"""Gives a collection the vectors of another embedding model: built beside the old ones, exchanged when complete.

Used by the composition root for `tadori reindex`; the old vectors are searched until the exchange.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NotRequired

from typing_extensions import TypedDict

from retrievers.caching import VectorCache
from retrievers.documents import ChunkDraft
from retrievers.errors import CollectionRebuilt
from retrievers.ingest.chunk import Chunker
from retrievers.ingest.embed import PassageEmbedder
from retrievers.ingest.report import Progress
from retrievers.ingest.windows import ChunkVectors, embed_chunks
from retrievers.scope import Scope
from retrievers.store.collections import get_collection
from retrievers.store.database import Database
from retrievers.store.indexing import build_index
from retrievers.store.rebuild import MissingChunk, Rebuild, remove_unfinished
from retrievers.store.spaces import ensure_space
from retrievers.store.statistics import refresh
from retrievers.store.writing import require_operator
from retrievers.types import Collection, Embedder, EmbeddingSpec

_ROUNDS = 5
"""Of catching up with writers before the rest is embedded while they wait."""


class ReindexReport(TypedDict):
    """`chunks` that have vectors of `model` now; `embedded` is how many texts the model embedded, the cache's not.

    `cut` is there when texts are longer than the model's window: how many, of which it saw the beginning alone.
    """

    collection: str
    model: str
    chunks: int
    embedded: int
    seconds: float
    cut: NotRequired[int]


class Reindexing:
    """Safe to run twice at once, and to kill: every batch that was written stays, and the next run goes on behind it."""

    def __init__(self, db: Database, cache: VectorCache, embedder: Embedder) -> None:
        self._db = db
        self._cache = cache
        self._embedder = embedder

    async def reindex(self, scope: Scope, name: str, progress: Progress | None = None) -> ReindexReport:
        """Change the collection to the embedder's model; nothing is embedded where it has that one.

        Searches with the old model work to the end, and documents may be written meanwhile. What `tadori tune` stored is forgotten.
        Raises UnknownCollection, ProviderError, and CollectionRebuilt when it was changed to a third model meanwhile.
        """
        started = time.monotonic()
        require_operator(scope)
        spec = await asyncio.to_thread(lambda: self._embedder.spec)
        collection = await get_collection(self._db, scope, name)
        report = ReindexReport(collection=name, model=spec.model, chunks=0, embedded=0, seconds=0.0)
        if _has_model(collection, spec):
            await remove_unfinished(self._db, scope, collection)
        else:
            await self._change(scope, collection, spec, report, progress)
        report["chunks"] = (await get_collection(self._db, scope, name)).chunk_count
        report["seconds"] = round(time.monotonic() - started, 3)
        return report

    async def _change(
        self, scope: Scope, collection: Collection, spec: EmbeddingSpec, report: ReindexReport, progress: Progress | None
    ) -> None:
        # Stored and indexed the way the collection's vectors are.
        built = collection.embedding
        spec = replace(spec, column_type=built.column_type, index_kind=built.index_kind)
        space = await ensure_space(self._db, spec)
        rebuild = Rebuild(self._db, scope, collection, spec, space)
        work = _Work(rebuild, PassageEmbedder(self._embedder, self._cache, scope), Chunker(self._embedder.count_tokens, spec.max_tokens))
        try:
            await work.run(collection.chunk_count, progress)
        except CollectionRebuilt:
            # Another run of the same command was first; any other model is not ours to undo.
            if not _has_model(await get_collection(self._db, scope, collection.name), spec):
                raise
        finally:
            report["embedded"] = work.passages.embedded
        if work.cut:
            report["cut"] = work.cut
        changed = await get_collection(self._db, scope, collection.name)
        await refresh(self._db, changed)
        await build_index(self._db, scope, changed)


class _Work:
    """One run over the chunks that lack a vector; `cut` counts the texts that are longer than the model's window."""

    def __init__(self, rebuild: Rebuild, passages: PassageEmbedder, chunker: Chunker) -> None:
        self._rebuild = rebuild
        self._chunker = chunker
        self.passages = passages
        self.cut = 0

    async def run(self, chunks: int, progress: Progress | None) -> None:
        done, after = await self._rebuild.built(), 0
        for round_ in range(1, _ROUNDS + 1):
            while missing := await self._rebuild.missing(after):
                if progress:
                    progress(done, max(chunks, done + len(missing)))
                await self._rebuild.add(missing, await self._embed(missing))
                done, after = done + len(missing), missing[-1].chunk
            if await self._rebuild.exchange(self._embed, at_once=round_ == _ROUNDS):
                break
            after = 0
        if progress:
            progress(done, done)

    async def _embed(self, chunks: Sequence[MissingChunk]) -> list[ChunkVectors]:
        texts = await asyncio.to_thread(lambda: [self._chunker.window_texts(chunk.title, _draft(chunk)) for chunk in chunks])
        self.cut += await asyncio.to_thread(lambda: sum(not self._chunker.fits(text) for own in texts for text in own))
        return await embed_chunks(self.passages, texts, lambda _: None)


def _draft(chunk: MissingChunk) -> ChunkDraft:
    return ChunkDraft(chunk.ordinal, chunk.body, tuple(chunk.heading_path), chunk.char_start, chunk.char_end, chunk.token_count)


def _has_model(collection: Collection, spec: EmbeddingSpec) -> bool:
    return (collection.embedding.model, collection.embedding.dims) == (spec.model, spec.dims)
