"""Searches by words and meaning, then walks from the best passages to others that hold the same entities.

`GraphSearch` is the knowledge graph's PassageSearch: what the hybrid search finds is in it, so that it can take its place.
"""

import asyncio
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from retrievers.boosting import BOOSTED
from retrievers.entities import GraphText
from retrievers.errors import CollectionRebuilt
from retrievers.hybrid import HybridSearch
from retrievers.request import Request, check_request, cleaned_query
from retrievers.store.expanding import Around, Start, find_around
from retrievers.store.search import Query
from retrievers.text.language import language_of
from retrievers.text.names import names, names_in_question
from retrievers.types import (
    DEFAULT_COLLECTION,
    NO_FILTERS,
    Collection,
    Filters,
    Fusion,
    Hop,
    Mode,
    Passage,
    SearchResult,
)
from retrievers.walking import Link, walk, weight

SEEDS = 3
"""Passages of the hybrid search that a walk begins at: with five, weaker ones lead astray (measured)."""

SHARPNESS = 0.01
"""How far below the best seed's score a seed counts 1/e of it: what scores much less says little about where to go."""

TITLED = 0.3
"""What a passage counts as a seed whose title the question names, beside 1 for the best one."""

LIFT = 0.1
"""The most that the graph adds to a score, in absolute terms: what a cosine rises by from an unrelated passage to one on the topic."""

ANYWAY = 0.3
"""The share of it for a passage that has no word of the question which the best seed lacks; the rest comes with such words."""

ENOUGH = 0.3
"""The share of the question's words, by what they are worth, from which a passage is held to add what was missing."""

BEHIND = 0.001
"""By how much a passage stays below the one it was reached from: the graph never pushes a found passage off its place."""


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
        result["passages"] = await asyncio.to_thread(_lifted, plain, reached, around, found.chunk_count, request.k)
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


def _lifted(plain: Sequence[Passage], reached: Sequence[Passage], around: Sequence[Around], chunk_count: int, k: int) -> list[Passage]:
    """At most `k` of the passages, in their new order."""
    seeds = _seeds(plain, around)
    best = max(plain, key=lambda passage: passage["score"], default=None)
    if best is None or not around:
        return [*plain[:k]]
    ranks = walk([*_links(around)], seeds, chunk_count)
    highest = max((rank for name, rank in ranks.items() if name != best["id"]), default=0.0)
    near = {passage.id: passage for passage in around}
    moved = [*plain, *reached]
    paths = _paths({passage["id"]: passage for passage in moved}, around, seeds, chunk_count)
    if highest > 0:
        shares = {name: math.sqrt(rank / highest) for name, rank in ranks.items() if name != best["id"]}
        moved = [_moved(passage, near.get(passage["id"]), shares, best, paths) for passage in moved]
    return sorted(moved, key=lambda passage: (-passage["score"], passage["id"]))[:k]


def _seeds(plain: Sequence[Passage], around: Sequence[Around]) -> dict[str, float]:
    """Where the walk begins, by id, with weights of 0-1."""
    best = plain[0]["score"] if plain else 0.0
    found = {passage["id"]: math.exp((passage["score"] - best) / SHARPNESS) for passage in plain[:SEEDS]}
    titled = {passage.id: max(TITLED, found.get(passage.id, 0.0)) for passage in around if passage.titled}
    return {**found, **titled}


def _links(around: Iterable[Around]) -> Iterable[Link]:
    for passage in around:
        for entity, titled, count in zip(passage.entities, passage.titles, passage.counts, strict=True):
            yield Link(passage.id, entity, count, titled)


def _moved(passage: Passage, near: Around | None, shares: Mapping[str, float], best: Passage, paths: Mapping[str, list[Hop]]) -> Passage:
    share = shares.get(passage["id"], 0.0)
    if near is None or share <= 0 or passage["id"] not in paths:
        return passage
    lift = LIFT * share * (ANYWAY + (1 - ANYWAY) * min(1.0, near.adds / ENOUGH))
    score = max(passage["score"], min(passage["score"] + lift, best["score"] - BEHIND))
    moved: Passage = {**passage, "score": score, "path": paths[passage["id"]]}
    if passage["absolute"] is not None and best["absolute"] is not None:
        moved["lifted"] = max(passage["absolute"], min(passage["absolute"] + lift, best["absolute"] - BEHIND))
    return moved


def _paths(passages: Mapping[str, Passage], around: Sequence[Around], seeds: Mapping[str, float], chunk_count: int) -> dict[str, list[Hop]]:
    """How each passage was reached: by its title, which the question names, or over the entity that binds it closest to a seed."""
    holders: dict[str, list[tuple[float, str]]] = {}
    for link in _links(passage for passage in around if passage.id in seeds):
        holders.setdefault(link.entity, []).append((seeds[link.passage] * weight(link, chunk_count), link.passage))
    paths: dict[str, list[Hop]] = {}
    for passage in around:
        if passage.id not in passages:
            continue
        if passage.titled:
            paths[passage.id] = [{"entity": passages[passage.id]["title"], "id": None, "document": None, "title": None}]
            continue
        steps = [
            (strength * weight(link, chunk_count), link.entity, seed)
            for link in _links([passage])
            for strength, seed in holders.get(link.entity, ())
            if seed != passage.id and seed in passages
        ]
        if steps:
            _, entity, seed = max(steps)
            name, source = passage.names[passage.entities.index(entity)], passages[seed]
            paths[passage.id] = [{"entity": name, "id": seed, "document": source["document"], "title": source["title"]}]
    return paths
