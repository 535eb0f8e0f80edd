"""Cuts, embeds, analyses and stores documents whose text is new, in groups that memory holds easily.

The second half of a run.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from retrievers.documents import ChunkDraft, IndexedChunk, IndexedDocument
from retrievers.errors import IngestError, ProviderError
from retrievers.ingest.chunk import Chunker
from retrievers.ingest.document import LoadedDocument
from retrievers.ingest.embed import PassageEmbedder
from retrievers.ingest.outcomes import Item, Outcomes
from retrievers.ingest.windows import ChunkVectors, embed_chunks
from retrievers.store.swap import PutResult
from retrievers.text.analysers import Analyser

_GROUP_CHUNKS = 64
"""Embedded and stored together: small documents share a transaction, and little more than this waits in memory."""
_ONE_TEXT_STATUSES = (400, 413, 422)
"""What a provider answers when one text is at fault, and not the connection, the key or the load."""


class Writer:
    """Brings in new texts of one run. After an outage of the embedding model it asks it nothing more."""

    def __init__(self, chunker: Chunker, passages: PassageEmbedder, outcomes: Outcomes, analyser: Analyser) -> None:
        self._chunker = chunker
        self._passages = passages
        self._outcomes = outcomes
        self._analyser = analyser
        self._outage: str | None = None

    async def write(self, items: Sequence[Item]) -> None:
        """Every item is stored or failed afterwards. Raises StorageError when the database cannot be used."""
        group: list[Item] = []
        for item in items:
            if not await self._cut(item):
                continue
            group.append(item)
            if sum(len(member.drafts) for member in group) >= _GROUP_CHUNKS:
                await self._embed(group)
                group = []
        if group:
            await self._embed(group)

    async def _cut(self, item: Item) -> bool:
        if item.loaded is None:
            raise AssertionError("an item is loaded before it is cut")
        item.drafts, item.windows = await asyncio.to_thread(self._cut_texts, item.loaded)
        if not item.drafts:
            await self._outcomes.failed(item, "chunk", "there is no text in it")
            return False
        self._outcomes.tracker.cut(sum(map(len, item.windows)))
        return True

    def _cut_texts(self, document: LoadedDocument) -> tuple[list[ChunkDraft], list[list[str]]]:
        drafts = self._chunker.cut(document)
        return drafts, [self._chunker.window_texts(document.title, draft) for draft in drafts]

    async def _embed(self, group: Sequence[Item]) -> None:
        if self._outage:
            await self._all_failed(group, self._outage)
            return
        texts = await asyncio.to_thread(lambda: [self._texts(item) for item in group])
        try:
            chunks = [own for item in group for own in item.windows]
            vectors = await embed_chunks(self._passages, chunks, self._outcomes.tracker.advance)
        except ProviderError as exc:
            if exc.status not in _ONE_TEXT_STATUSES:
                self._outage = str(exc)
            if len(group) > 1 and not self._outage:
                for item in group:
                    await self._embed([item])
            else:
                await self._all_failed(group, str(exc))
            return
        await self._store(group, await asyncio.to_thread(_indexed, group, texts, vectors, self._analyser))

    def _texts(self, item: Item) -> list[str]:
        title = item.loaded.title if item.loaded else ""
        return [self._chunker.indexed_text(title, draft) for draft in item.drafts]

    async def _store(self, group: Sequence[Item], documents: Sequence[IndexedDocument]) -> None:
        """In one transaction; where one document cannot be stored, each in its own."""
        outcomes = self._outcomes
        try:
            results: Sequence[PutResult] = await outcomes.store.put(outcomes.scope, outcomes.collection, documents)
        except IngestError as exc:
            if len(group) == 1:
                await outcomes.failed(group[0], "store", str(exc))
                return
            for item, document in zip(group, documents, strict=True):
                await self._store([item], [document])
            return
        for item, result in zip(group, results, strict=True):
            outcomes.stored(item, result, cut=True)

    async def _all_failed(self, group: Sequence[Item], reason: str) -> None:
        for item in group:
            await self._outcomes.failed(item, "embed", reason)


def _indexed(
    group: Sequence[Item], texts: Sequence[Sequence[str]], vectors: Sequence[ChunkVectors], analyser: Analyser
) -> list[IndexedDocument]:
    """The documents with their chunks, words and vectors; `vectors` of all chunks in order."""
    remaining = iter(vectors)
    documents = []
    for item, own in zip(group, texts, strict=True):
        if item.indexed is None:
            raise AssertionError("an item is loaded before it is indexed")
        chunks = tuple(IndexedChunk(draft, analyser.words(text), *next(remaining)) for draft, text in zip(item.drafts, own, strict=True))
        documents.append(replace(item.indexed, chunks=chunks))
    return documents
