"""Cuts the stored texts of a collection into words again, by the analyser that new collections get.

The second half of `tadori reindex`, with `--words`; vectors stay as they are.
"""

import asyncio
import time
from collections.abc import Sequence

from typing_extensions import TypedDict

from retrievers.documents import ChunkDraft
from retrievers.ingest.chunk import Chunker
from retrievers.ingest.report import Progress
from retrievers.scope import Scope
from retrievers.store.collections import get_collection
from retrievers.store.database import Database
from retrievers.store.reanalysis import exchange_words
from retrievers.store.rebuild import MissingChunk
from retrievers.text.analysers import Analyser, analyser, default_analyser
from retrievers.types import Embedder


class ReanalysisReport(TypedDict):
    """`analyser` is the one that the collection has now; `words` counts them all, repeats too."""

    collection: str
    analyser: str
    chunks: int
    words: int
    seconds: float


async def reanalyse(
    db: Database, scope: Scope, name: str, embedder: Embedder, wanted: str | None = None, progress: Progress | None = None
) -> ReanalysisReport:
    """Give the collection the words of the analyser `wanted`, by default the fullest that is installed, also where it has them already.

    Searches go on meanwhile, writers wait. `embedder` counts the tokens that a long title may have. Raises UnknownCollection,
    ConfigurationError for an analyser that is not known or not installed, CollectionRebuilt.
    """
    started = time.monotonic()
    made = await asyncio.to_thread(analyser, wanted or default_analyser())
    spec = await asyncio.to_thread(lambda: embedder.spec)
    collection = await get_collection(db, scope, name)
    cutter = _Cutter(made, Chunker(embedder.count_tokens, spec.max_tokens), collection.chunk_count, progress)
    await exchange_words(db, scope, collection, made.name, cutter.cut)
    changed = await get_collection(db, scope, name)
    seconds = round(time.monotonic() - started, 3)
    return ReanalysisReport(
        collection=name, analyser=changed.analyser, chunks=changed.chunk_count, words=changed.token_count, seconds=seconds
    )


class _Cutter:
    """Cuts one batch after the other, and reports how far it has come."""

    def __init__(self, made: Analyser, chunker: Chunker, chunks: int, progress: Progress | None) -> None:
        self._analyser = made
        self._chunker = chunker
        self._chunks = chunks
        self._progress = progress
        self._done = 0

    async def cut(self, chunks: Sequence[MissingChunk]) -> list[list[str]]:
        words = await asyncio.to_thread(lambda: [self._words(chunk) for chunk in chunks])
        self._done += len(chunks)
        if self._progress:
            self._progress(self._done, max(self._chunks, self._done))
        return words

    def _words(self, chunk: MissingChunk) -> list[str]:
        draft = ChunkDraft(chunk.ordinal, chunk.body, tuple(chunk.heading_path), chunk.char_start, chunk.char_end, chunk.token_count)
        return self._analyser.words(self._chunker.indexed_text(chunk.title, draft))
