"""Searches a collection the way every door does: analyse and embed the query, one statement, perhaps a reranker.

`HybridSearch` is the PassageSearch of the graphs; below it lies retrievers/store.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from retrievers.answerable import curve_of, probability
from retrievers.boosting import BOOSTED, Boosts, boosted
from retrievers.caching import VectorCache
from retrievers.errors import CollectionRebuilt, ProviderError, UnknownCollection
from retrievers.fusion import DEFAULT_WEIGHTS
from retrievers.imagining import joined
from retrievers.query_embedding import QueryEmbedder
from retrievers.request import MAX_WORDS, Request, check_request, cleaned_query
from retrievers.reranking import RERANK_CANDIDATES, Reranking
from retrievers.scope import Scope
from retrievers.store.collections import find_collection
from retrievers.store.common_words import DEFAULT_BUDGET, Budget, CommonWord, find_common
from retrievers.store.database import Database
from retrievers.store.search import HINT_CHUNKS, Query, find_hints, find_passages
from retrievers.store.writing import require_unchanged
from retrievers.text.analysers import Analyser, analyser, analyser_of, default_analyser
from retrievers.text.language import Language, language_of, other_scripts
from retrievers.text.terms import has_code
from retrievers.types import (
    DEFAULT_COLLECTION,
    NO_FILTERS,
    Collection,
    CorpusHints,
    Embedder,
    Filters,
    Fusion,
    Mode,
    Passage,
    SearchResult,
)


class HybridSearch:
    """A PassageSearch over the store, for one reader. Safe to share between tasks."""

    def __init__(
        self,
        db: Database,
        embedder: Embedder,
        cache: VectorCache,
        scope: Scope,
        reranking: Reranking | None = None,
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        self._db = db
        self._embedder = embedder
        self._queries = QueryEmbedder(embedder, cache, scope)
        self._scope = scope
        self._reranking = reranking
        self._budget = budget

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
        """At most `k` (1-200) passages, best first, ties by id; a blank query finds nothing.

        Where `hypothetical` (at most 8, not in mode lexical) has imagined passages, what is near to their mean comes beside what the
        query finds: every passage has the query's own `absolute`, `score` is by its places in both rankings (0-1, mostly under .04).

        The default collection is empty until something is ingested; any other that does not exist raises UnknownCollection.
        With a reranker, `score` is the reranker's or the combined one (0-1), and `scores.fused` stays what it was.
        """
        imagined = tuple(dict.fromkeys(text for text in map(cleaned_query, hypothetical) if text))
        request = Request(cleaned_query(query), k, mode, fusion, weights, filters, imagined)
        check_request(request)
        try:
            return await self._search(collection, request)
        except CollectionRebuilt:
            # Its vectors were exchanged between the look at the collection and the search.
            return await self._search(collection, request)

    async def _search(self, collection: str, request: Request) -> SearchResult:
        found = await self._find(collection)
        result = self._nothing(found, request)
        if found is not None and request.query:
            wanted = await self._query(found, request, result)
            passages = await self._found(found, wanted, result)
            if request.hypothetical and request.mode != "lexical":
                passages = await self._with_imagined(found, request, wanted, passages, result)
            result["passages"] = (await self._reranked(request, passages, result))[: request.k]
        return result

    async def hints(self, query: str, *, collection: str = DEFAULT_COLLECTION) -> CorpusHints:
        """Words and headings that a rewrite can use."""
        found = await self._find(collection)
        words = tuple((await _cut(found, cleaned_query(query)))[:MAX_WORDS])
        if found is None:
            return {"words": [{"word": word, "df": 0} for word in sorted(words)], "headings": []}
        async with self._db.transaction(self._scope) as conn:
            common = await find_common(conn, found, words, HINT_CHUNKS, self._budget)
            return await find_hints(conn, found, words, tuple(word.term for word in common))

    async def _find(self, name: str) -> Collection | None:
        collection = await find_collection(self._db, self._scope, name)
        if collection is None and name != DEFAULT_COLLECTION:
            raise UnknownCollection(name)
        return collection

    def _nothing(self, collection: Collection | None, request: Request) -> SearchResult:
        return {
            "passages": [],
            "no_answer": collection.no_answer if collection else self._embedder.spec.no_answer,
            "fusion": request.fusion or (collection.fusion if collection else "absolute"),
            "answerable": None,
            "analyser": collection.analyser if collection else default_analyser(),
            "chunk_count": collection.chunk_count if collection else 0,
            "timings_ms": {"embed": 0.0, "search": 0.0},
            "degraded": [],
        }

    async def _query(self, collection: Collection, request: Request, result: SearchResult) -> Query:
        started = time.perf_counter()
        vector = await self._queries.embed(collection, request.query, result["degraded"]) if request.mode != "lexical" else None
        result["timings_ms"]["embed"] = _ms(time.perf_counter() - started)
        return Query(
            words=await _words(collection, request, result),
            vector=vector,
            k=max(request.k, RERANK_CANDIDATES) if self._reranking else request.k,
            mode=request.mode,
            fusion=result["fusion"],
            weights=request.weights or collection.weights or DEFAULT_WEIGHTS,
            filters=request.filters,
            apart=_apart(request),
            technical=has_code(request.query),
        )

    async def _found(self, collection: Collection, query: Query, result: SearchResult) -> list[Passage]:
        started = time.perf_counter()
        async with self._db.transaction(self._scope) as conn:
            common = await find_common(conn, collection, query.words, query.k, self._budget)
            unread = tuple(word.term for word in common)
            wanted = query.limit or query.k
            found = await find_passages(conn, collection, replace(query, unread=unread, limit=max(wanted, BOOSTED)))
            await require_unchanged(conn, collection)
        result["timings_ms"]["search"] = _ms(time.perf_counter() - started)
        if common:
            result["degraded"].append(_unread(common))
        # Before anything is cut off, so that it does not depend on how many results were asked for.
        scores = [passage["absolute"] for passage in found if passage["absolute"] is not None]
        result["answerable"] = probability(max(scores, default=None), curve_of(collection, self._embedder))
        return (await asyncio.to_thread(_boosted, collection, query, found))[:wanted]

    async def _with_imagined(
        self, collection: Collection, request: Request, query: Query, plain: list[Passage], result: SearchResult
    ) -> list[Passage]:
        """What the query and the imagined passages found; the query's own passages where those cannot be embedded."""
        started = time.perf_counter()
        try:
            vector = await self._queries.embed_imagined(collection, request.hypothetical)
        except ProviderError as exc:
            result["degraded"].append((str(exc), "searched without the imagined passages"))
            return plain
        result["timings_ms"]["embed"] += _ms(time.perf_counter() - started)
        if vector is None:
            return plain
        started = time.perf_counter()
        # The same search twice more: what it says of itself was said already.
        aside = self._nothing(collection, request)
        imagined = await self._found(collection, replace(query, vector=vector), aside)
        known = {passage["id"] for passage in plain}
        new = tuple(passage["id"] for passage in imagined if passage["id"] not in known)
        measured = await self._found(collection, replace(query, only=new, limit=len(new)), aside) if new else []
        result["timings_ms"]["search"] += _ms(time.perf_counter() - started)
        return joined(plain, imagined, measured, query.limit or query.k)

    async def _reranked(self, request: Request, passages: list[Passage], result: SearchResult) -> list[Passage]:
        if self._reranking is None or not passages:
            return passages
        started = time.perf_counter()
        ordered = await self._reranking.apply(request.query, passages, result)
        result["timings_ms"]["rerank"] = _ms(time.perf_counter() - started)
        return ordered


def _apart(request: Request) -> tuple[Language, ...]:
    """Where the two arms meet, languages whose words the query cannot share; none for one with a code in it, which any text may hold."""
    if request.mode != "hybrid" or has_code(request.query):
        return ()
    return other_scripts(language_of(request.query))


def _boosted(collection: Collection, query: Query, found: list[Passage]) -> list[Passage]:
    if query.mode != "hybrid":
        return found
    floor = collection.embedding.unrelated if query.fusion == "absolute" else 0.0
    boosts = Boosts(frozenset(query.words), query.technical, analyser_of(collection).words, datetime.now(UTC), floor)
    # Those behind stay where they are, so that an explained search, which takes all candidates, has the same order.
    looked_at = max(query.k, BOOSTED)
    return [*boosted(found[:looked_at], collection.ranking, boosts), *found[looked_at:]]


async def _words(collection: Collection, request: Request, result: SearchResult) -> tuple[str, ...]:
    if request.mode == "vector":
        return ()
    words = await _cut(collection, request.query)
    if len(words) > MAX_WORDS:
        result["degraded"].append((f"the query has more than {MAX_WORDS} distinct words", f"the first {MAX_WORDS} are looked up"))
    return tuple(words[:MAX_WORDS])


async def _cut(collection: Collection | None, query: str) -> list[str]:
    """The query's words as the collection's documents were cut. In a thread: a dictionary may have to be read first."""

    def cut() -> list[str]:
        made: Analyser = analyser_of(collection) if collection else analyser(default_analyser())
        return made.query_words(query)

    return await asyncio.to_thread(cut)


def _unread(common: list[CommonWord]) -> tuple[str, str]:
    words = ", ".join(repr(word.word) for word in common)
    return f"too many passages hold the words {words} to look all of them up", "one that holds none of the other words may be missed"


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)
