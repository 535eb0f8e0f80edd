"""Embeds the query of a search and passages imagined for it: checked against the collection's model, cached where they are kept.

Used by retrievers/hybrid.py; ingestion embeds passages in retrievers/ingest/embed.py.
"""

import asyncio
from collections.abc import Sequence

import numpy as np

from retrievers.caching import VectorCache
from retrievers.errors import EmbeddingMismatch
from retrievers.scope import Scope
from retrievers.types import Collection, Embedder, EmbeddingSpec, Vector


class QueryEmbedder:
    """Embeds for one scope."""

    def __init__(self, embedder: Embedder, cache: VectorCache, scope: Scope) -> None:
        self._embedder = embedder
        self._cache = cache
        self._scope = scope

    async def embed(self, collection: Collection, query: str, degraded: list[tuple[str, str]]) -> Vector:
        """The query's vector; a cache that could not be used is named in `degraded`. Raises EmbeddingMismatch, ProviderError."""
        spec = await self._spec(collection)
        vector = (await self._cache.get(self._scope, spec, "query", [query]))[0]
        if vector is None:
            vector = await self._embedder.embed_query(query)
            await self._cache.put(self._scope, spec, "query", [query], [vector])
        if self._cache.fault:
            degraded.append((self._cache.fault, "the query was embedded without a cache"))
        return vector

    async def embed_imagined(self, collection: Collection, texts: Sequence[str]) -> Vector | None:
        """The mean of the texts' vectors, as passages, of unit length; None where they cancel out. Raises as `embed` does."""
        spec = await self._spec(collection)
        kept = dict(zip(texts, await self._cache.get(self._scope, spec, "passage", texts), strict=True))
        missing = [text for text, vector in kept.items() if vector is None]
        if missing:
            made = [*await self._embedder.embed_passages(missing)]
            await self._cache.put(self._scope, spec, "passage", missing, made)
            kept |= dict(zip(missing, made, strict=True))
        mean: Vector = np.mean([vector for vector in kept.values() if vector is not None], axis=0, dtype=np.float32)
        length = float(np.linalg.norm(mean))
        return mean / length if length > 0 else None

    async def _spec(self, collection: Collection) -> EmbeddingSpec:
        # In a thread: an embedder may have to ask its server for the dimensions first.
        spec = await asyncio.to_thread(lambda: self._embedder.spec)
        check_model(collection, spec)
        return spec


def check_model(collection: Collection, spec: EmbeddingSpec) -> None:
    """Raise EmbeddingMismatch when the collection was built with another model, of the same size or not."""
    built = collection.embedding
    if (built.model, built.dims) != (spec.model, spec.dims):
        raise EmbeddingMismatch.of(collection.name, (built.model, built.dims), (spec.model, spec.dims))
