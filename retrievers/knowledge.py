"""Searches by words and meaning, then walks from the best passages to others that hold the same entities.

`GraphSearch` is the knowledge graph's PassageSearch: what the hybrid search finds is in it, so that it can take its place.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from retrievers.boosting import BOOSTED
from retrievers.entities import GraphText
from retrievers.errors import CollectionRebuilt
from retrievers.hybrid import HybridSearch
from retrievers.lifting import SEEDS, lifted
from retrievers.request import Request, check_request, cleaned_query
from retrievers.store.expanding import Around, Start, find_around
from retrievers.store.search import Query
from retrievers.text.language import language_of
from retrievers.text.names import names, names_in_question
from retrievers.types import DEFAULT_COLLECTION, NO_FILTERS, Collection, Filters, Fusion, Mode, Passage, SearchResult


class GraphSearch(HybridSearch):
    """A PassageSearch over documents and knowledge graph, for one reader. Safe to share between tasks."""

    async def search(
        self,
        query: str,
        *,
        collection: str = DEFAULT_COLLECTION,
        k: int = 10,
        mode: Mode = "hybrid",
        fusion: Fusion | None = None,
        weights: tuple[float, float] | None = None,
        filters: Filters = NO_FILTERS,
        hypothetical: Sequence[str] = (),
    ) -> SearchResult:
        """At most `k` (1-200) passages, best first, ties by id; those that the graph led to have a `path`, and `lifted` beside `absolute`.

        `score` is on the absolute scale, whatever the collection's fusion. A reranker does not run: it would judge each passage by the
        whole question, of which a second step answers a part. In a mode of one arm, with imagined passages, or where no graph was built,
        the search is the hybrid one. Raises what that raises.
        """
        if mode != "hybrid" or hypothetical:
            return await super().search(
                query, collection=collection, k=k, mode=mode, fusion=fusion, weights=weights, filters=filters, hypothetical=hypothetical
            )
        request = Request(cleaned_query(query), k, mode, "absolute", weights, filters)
        check_request(request)
        try:
            return await self._walked(collection, request)
        except CollectionRebuilt:
            return await self._walked(collection, request)

    async def _walked(self, collection: str, request: Request) -> SearchResult:
        found = await self._find(collection)
        result = self._nothing(found, request)
        if found is None or not request.query:
            return result
        wanted = replace(await self._query(found, request, result), k=request.k)
        plain = await self._found(found, replace(wanted, limit=max(request.k, BOOSTED)), result)
        started = time.perf_counter()
        around = await self._around(found, wanted, plain, request.query)
        reached = await self._reached(found, request, wanted, plain, around)
        result["passages"] = await asyncio.to_thread(lifted, plain, reached, around, found, request.k)
        result["timings_ms"]["graph"] = round((time.perf_counter() - started) * 1000, 2)
        return result

    async def _around(self, collection: Collection, wanted: Query, plain: Sequence[Passage], query: str) -> list[Around]:
        asked, named = await asyncio.to_thread(_named, query)
        start = Start([passage["id"] for passage in plain[:SEEDS]], asked, named, wanted.words)
        async with self._db.transaction(self._scope) as conn:
            return await find_around(conn, collection, start, wanted.filters)

    async def _reached(
        self, collection: Collection, request: Request, wanted: Query, plain: Sequence[Passage], around: Sequence[Around]
    ) -> list[Passage]:
        """The passages that the graph alone led to, with the scores that the search gives them."""
        known = {passage["id"] for passage in plain}
        new = tuple(passage.id for passage in around if passage.id not in known)
        if not new:
            return []
        return await self._found(collection, replace(wanted, only=new, limit=len(new)), self._nothing(collection, request))


def _named(query: str) -> tuple[list[str], list[str]]:
    """Keys that the question may name, and those of them that it names for sure: proper names, and several words in a row."""
    asked = names_in_question(query)
    proper = {name.key for name in names(GraphText(0, "", (), query, language_of(query))).names}
    return asked, [key for key in asked if key in proper or " " in key]
