"""Searches a collection under a setting that is not stored, and stores one: what `tadori tune` needs of the store.

Above HybridSearch, whose steps it takes unchanged; reads and writes as the tenant's operator.
"""

from dataclasses import replace

from retrievers.caching import VectorCache
from retrievers.hybrid import HybridSearch
from retrievers.request import Request, cleaned_query
from retrievers.scope import Scope
from retrievers.store.collections import get_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.tuned import store_setting
from retrievers.types import NO_FILTERS, Collection, Embedder, Passage, Setting


class TrialSearch(HybridSearch):
    """A HybridSearch, without a reranker, for which every collection has one given setting."""

    def __init__(self, db: Database, embedder: Embedder, cache: VectorCache, scope: Scope, setting: Setting) -> None:
        super().__init__(db, embedder, cache, scope)
        self._setting = setting

    async def _find(self, name: str) -> Collection | None:
        found = await super()._find(name)
        changed = self._setting
        return found and replace(
            found, fusion=changed.fusion, weights=changed.weights, no_answer=changed.no_answer, ranking=changed.ranking
        )

    async def ranked(self, query: str, collection: str, *, k: int, limit: int) -> list[Passage]:
        """The first `limit` passages of the search for `k`, beyond which it would show none; empty for a blank query.

        Raises UnknownCollection, EmbeddingMismatch, CollectionRebuilt, DatabaseUnavailable.
        """
        request = Request(cleaned_query(query), k, "hybrid", None, None, NO_FILTERS)
        stored = await self._find(collection)
        if stored is None or not request.query:
            return []
        result = self._nothing(stored, request)
        wanted = await self._query(stored, request, result)
        return await self._found(stored, replace(wanted, limit=limit), result)


class Trials:
    """One collection that is tuned."""

    def __init__(self, db: Database, embedder: Embedder, cache: VectorCache, scope: Scope) -> None:
        self._db = db
        self._embedder = embedder
        self._cache = cache
        self._scope = scope

    async def collection(self, name: str) -> Collection:
        """As it is stored now; raises UnknownCollection."""
        return await get_collection(self._db, self._scope, name)

    async def sources(self, collection: Collection) -> list[str]:
        """The sources of its documents, sorted."""
        return await DocumentStore(self._db).sources(self._scope, collection)

    def search(self, setting: Setting) -> TrialSearch:
        """A search under this setting."""
        return TrialSearch(self._db, self._embedder, self._cache, self._scope, setting)

    async def store(self, collection: Collection, setting: Setting) -> None:
        """Make the setting the collection's own."""
        await store_setting(self._db, self._scope, collection, setting)
