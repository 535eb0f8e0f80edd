"""Embeds the query of a search: checked against the collection's model, taken from the cache where it is kept.

Used by retrievers/hybrid.py; ingestion embeds passages in retrievers/ingest/embed.py.
"""

import asyncio

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
        # In a thread: an embedder may have to ask its server for the dimensions first.
        spec = await asyncio.to_thread(lambda: self._embedder.spec)
        check_model(collection, spec)
        vector = (await self._cache.get(self._scope, spec, "query", [query]))[0]
        if vector is None:
            vector = await self._embedder.embed_query(query)
            await self._cache.put(self._scope, spec, "query", [query], [vector])
        if self._cache.fault:
            degraded.append((self._cache.fault, "the query was embedded without a cache"))
        return vector


def check_model(collection: Collection, spec: EmbeddingSpec) -> None:
    """Raise EmbeddingMismatch when the collection was built with another model, of the same size or not."""
    built = collection.embedding
    if (built.model, built.dims) != (spec.model, spec.dims):
        raise EmbeddingMismatch.of(collection.name, (built.model, built.dims), (spec.model, spec.dims))
