"""Searches a collection the way every door does: analyse and embed the query, one statement, perhaps a reranker.

`HybridSearch` is the PassageSearch of the graphs, `HybridRetriever` the same for LangChain; below them lies retrievers/store.
"""

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field, SkipValidation

from retrievers.blocking import wait_for
from retrievers.errors import EmbeddingMismatch, InvalidArgument, ProviderError, StorageError, UnknownCollection
from retrievers.fusion import DEFAULT_WEIGHTS
from retrievers.scope import Scope
from retrievers.store.collections import find_collection
from retrievers.store.database import Database
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.store.search import Query, find_hints, find_passages
from retrievers.text.analysis import ANALYSER, query_words
from retrievers.text.clean import clean
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
    PassageSearch,
    RerankedText,
    Reranker,
    SearchResult,
    Vector,
)

MAX_K = 200
"""Results of one search: more than anything reads, and the statement's cost is bounded by it."""

MAX_CHARS = 20_000
"""Of a query: more than any question, less than what would hold up the event loop while it is cut into words."""

MAX_WORDS = 256
"""Distinct words of a query that are looked up: the statement's cost grows with each."""

MAX_FILTERS = 32
"""Metadata conditions of one search: each adds to the statement that is planned."""

RERANK_CANDIDATES = 50
"""Passages a reranker looks at: from 50 to 10 is where rerankers earn their cost."""

RERANK_TIMEOUT_S = 5.0
"""After this the order of the fusion is shown instead; a person waits for the answer behind it."""


@dataclass(frozen=True)
class _Request:
    """What was asked for, checked."""

    query: str
    k: int
    mode: Mode
    fusion: Fusion | None
    weights: tuple[float, float] | None
    filters: Filters


class HybridSearch:
    """A PassageSearch over the store, for one reader. Safe to share between tasks."""

    def __init__(self, db: Database, embedder: Embedder, cache: EmbeddingCache, scope: Scope, reranker: Reranker | None = None) -> None:
        self._db = db
        self._embedder = embedder
        self._cache = cache
        self._scope = scope
        self._reranker = reranker

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
    ) -> SearchResult:
        """At most `k` (1-200) passages, best first, ties by id; a blank query finds nothing.

        The default collection is empty until something is ingested; any other that does not exist raises UnknownCollection.
        With a reranker, `score` is the reranker's (0-1) and `scores.fused` stays what it was.
        """
        request = _Request(_cleaned(query), k, mode, fusion, weights, filters)
        _check(request)
        found = await self._find(collection)
        result = self._nothing(found, request)
        if found is not None and request.query:
            result["passages"] = await self._passages(found, request, result)
        return result

    async def hints(self, query: str, *, collection: str = DEFAULT_COLLECTION) -> CorpusHints:
        """Words and headings that a rewrite can use."""
        found, words = await self._find(collection), tuple(query_words(_cleaned(query)))[:MAX_WORDS]
        if found is None:
            return {"words": [{"word": word, "df": 0} for word in sorted(words)], "headings": []}
        async with self._db.transaction(self._scope) as conn:
            return await find_hints(conn, found, words)

    async def _find(self, name: str) -> Collection | None:
        collection = await find_collection(self._db, self._scope, name)
        if collection is None and name != DEFAULT_COLLECTION:
            raise UnknownCollection(name)
        if collection is not None and collection.analyser != ANALYSER:
            raise StorageError(
                f"collection {name!r} was analysed by {collection.analyser!r}, not by {ANALYSER!r}: ingest it again into a new collection"
            )
        return collection

    def _nothing(self, collection: Collection | None, request: _Request) -> SearchResult:
        return {
            "passages": [],
            "no_answer": collection.no_answer if collection else self._embedder.spec.no_answer,
            "fusion": request.fusion or (collection.fusion if collection else "absolute"),
            "chunk_count": collection.chunk_count if collection else 0,
            "timings_ms": {"embed": 0.0, "search": 0.0},
            "degraded": [],
        }

    async def _passages(self, collection: Collection, request: _Request, result: SearchResult) -> list[Passage]:
        started = time.perf_counter()
        vector = await self._embed(collection, request.query) if request.mode != "lexical" else None
        embedded = time.perf_counter()
        query = Query(
            words=_words(request, result),
            vector=vector,
            k=max(request.k, RERANK_CANDIDATES) if self._reranker else request.k,
            mode=request.mode,
            fusion=result["fusion"],
            weights=request.weights or collection.weights or DEFAULT_WEIGHTS,
            filters=request.filters,
        )
        async with self._db.transaction(self._scope) as conn:
            passages = await find_passages(conn, collection, query)
        searched = time.perf_counter()
        result["timings_ms"] = {"embed": _ms(embedded - started), "search": _ms(searched - embedded)}
        if self._reranker and passages:
            passages = await self._rerank(self._reranker, request.query, passages, result)
            result["timings_ms"]["rerank"] = _ms(time.perf_counter() - searched)
        return passages[: request.k]

    async def _embed(self, collection: Collection, query: str) -> Vector:
        stored, spec = collection.embedding, self._embedder.spec
        if (stored.model, stored.dims) != (spec.model, spec.dims):
            raise EmbeddingMismatch(
                f"collection {collection.name!r} was built with the embedding model {stored.model!r} ({stored.dims} dimensions), "
                f"and {spec.model!r} ({spec.dims}) is set: set TADORI_EMBEDDING_MODEL back, or ingest into a new collection"
            )
        cached = (await self._cache.get(self._scope, spec.model, "query", [query]))[0]
        if cached is not None:
            return cached
        vector = await self._embedder.embed_query(query)
        await self._cache.put(self._scope, spec.model, "query", [query], [vector])
        return vector

    async def _rerank(self, reranker: Reranker, query: str, passages: list[Passage], result: SearchResult) -> list[Passage]:
        try:
            async with asyncio.timeout(RERANK_TIMEOUT_S):
                scored = await reranker.rerank(query, [passage["text"] for passage in passages])
            return _reordered(passages, scored)
        except (ProviderError, TimeoutError, _WrongScores) as exc:
            cause = f"no reply within {RERANK_TIMEOUT_S:g} s" if isinstance(exc, TimeoutError) else str(exc)
            result["degraded"].append((f"reranker {reranker.name}: {cause}", "the passages keep the order of the fusion"))
            return passages


def _cleaned(query: str) -> str:
    return clean(query[:MAX_CHARS]).text.strip()


def _words(request: _Request, result: SearchResult) -> tuple[str, ...]:
    words = tuple(query_words(request.query)) if request.mode != "vector" else ()
    if len(words) > MAX_WORDS:
        result["degraded"].append((f"the query has more than {MAX_WORDS} distinct words", f"the first {MAX_WORDS} are looked up"))
    return words[:MAX_WORDS]


class _WrongScores(Exception):
    """A reranker did not score each text exactly once."""


def _reordered(passages: Sequence[Passage], scored: Sequence[RerankedText]) -> list[Passage]:
    if sorted(entry["index"] for entry in scored) != list(range(len(passages))):
        raise _WrongScores(f"{len(scored)} scores for {len(passages)} passages, or not one for each")
    order = sorted(scored, key=lambda entry: (-entry["score"], entry["index"]))
    return [{**passages[entry["index"]], "score": entry["score"]} for entry in order]


def _check(request: _Request) -> None:
    if not 1 <= request.k <= MAX_K:
        raise InvalidArgument(f"k is {request.k}: use 1 to {MAX_K}")
    if request.mode not in get_args(Mode):
        raise InvalidArgument(f"mode {request.mode!r} is not known: use hybrid, lexical or vector")
    if request.fusion is not None and request.fusion not in get_args(Fusion):
        raise InvalidArgument(f"fusion {request.fusion!r} is not known: use absolute, rrf or weighted")
    _check_weights(request.weights)
    if len(request.filters.metadata) > MAX_FILTERS:
        raise InvalidArgument(f"{len(request.filters.metadata)} filters are given: use at most {MAX_FILTERS}")
    for part in (part for pair in request.filters.metadata for part in pair):
        if clean(part).text != part:
            raise InvalidArgument(f"filter {part!r} holds a character that no stored text has: leave it out")


def _check_weights(weights: tuple[float, float] | None) -> None:
    if weights is None:
        return
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights) or sum(weights) == 0:
        raise InvalidArgument(f"weights are {weights!r}: use two numbers from 0 up, not both 0, such as 0.4 and 0.6")


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)


class HybridRetriever(BaseRetriever):
    """A LangChain retriever over a PassageSearch. `ainvoke` is the native entry; `invoke` blocks its thread, so not from a running loop.

    `invoke(query, k=3)` overrides `k` for one call. The documents' metadata are those of the source, then our own keys: id, document,
    title, heading_path, page, url, origin, language, start, end, score, absolute, bm25, cosine.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True)

    search: SkipValidation[PassageSearch] = Field(exclude=True)
    collection: str = DEFAULT_COLLECTION
    k: int = Field(10, ge=1, le=MAX_K)
    mode: Mode = "hybrid"
    fusion: Fusion | None = None
    weights: tuple[float, float] | None = None
    filters: Filters = NO_FILTERS

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None) -> list[Document]:
        return wait_for(self._documents(query, k))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        return await self._documents(query, k)

    async def _documents(self, query: str, k: int | None) -> list[Document]:
        result = await self.search.search(
            query,
            collection=self.collection,
            k=self.k if k is None else k,
            mode=self.mode,
            fusion=self.fusion,
            weights=self.weights,
            filters=self.filters,
        )
        return [_document(passage) for passage in result["passages"]]


_METADATA = ("id", "document", "title", "heading_path", "page", "url", "origin", "language", "start", "end", "score", "absolute")


def _document(passage: Passage) -> Document:
    own: dict[str, Any] = {name: passage[name] for name in _METADATA}  # type: ignore[literal-required]
    scores = {"bm25": passage["scores"]["bm25"], "cosine": passage["scores"]["cosine"]}
    return Document(id=passage["id"], page_content=passage["text"], metadata={**passage["metadata"], **own, **scores})
