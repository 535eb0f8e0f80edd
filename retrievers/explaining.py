"""Why a search gave what it gave: each candidate with its place in both arms, and a named passage's reason for not being a hit.

`ExplainedSearch` runs the very search that it explains, only that all candidates come back; retrievers/reasons.py words the reasons.
"""

from collections.abc import Sequence
from dataclasses import replace

from retrievers.errors import CollectionRebuilt
from retrievers.hybrid import HybridSearch
from retrievers.reasons import ArmScores, Candidate, Explanation, Found, Why, candidates_of, decide, not_found, stated
from retrievers.request import Request, check_request, cleaned_query
from retrievers.store.explain import Named, find_named
from retrievers.store.search import Query, candidates_wanted, find_passages
from retrievers.types import DEFAULT_COLLECTION, NO_FILTERS, Collection, Filters, Fusion, Mode, Passage, SearchResult


class ExplainedSearch(HybridSearch):
    """A HybridSearch that also tells why. Safe to share between tasks."""

    async def explain(
        self,
        query: str,
        *,
        why: str | None = None,
        collection: str = DEFAULT_COLLECTION,
        k: int = 10,
        mode: Mode = "hybrid",
        fusion: Fusion | None = None,
        weights: tuple[float, float] | None = None,
        filters: Filters = NO_FILTERS,
    ) -> Explanation:
        """The result of `search` with these arguments, all candidates of both arms, and where `why` names a passage its reason.

        `why` is the id of a chunk or the source of a document: of its chunks the best is meant. Raises what `search` raises.
        """
        request = Request(cleaned_query(query), k, mode, fusion, weights, filters)
        check_request(request)
        try:
            return await self._explained(collection, request, why)
        except CollectionRebuilt:
            return await self._explained(collection, request, why)

    async def _explained(self, collection: str, request: Request, why: str | None) -> Explanation:
        stored = await self._find(collection)
        result = self._nothing(stored, request)
        if stored is None or not request.query:
            return _explanation(result, [], None if why is None else not_found(why))
        wanted = await self._query(stored, request, result)
        found = await self._all(stored, request, wanted, result)
        result["passages"] = [*found.ordered[: request.k]]
        candidates = candidates_of(found)
        return _explanation(result, candidates, None if why is None else await self._why(stored, wanted, found, candidates, why))

    async def _all(self, stored: Collection, request: Request, wanted: Query, result: SearchResult) -> Found:
        """The search's own steps; both arms bring what they always bring, and nothing is cut off after the fusion."""
        fetch = candidates_wanted(stored, wanted)
        fused = await self._found(stored, replace(wanted, limit=2 * fetch), result)
        ordered = await self._reranked(request, fused[: wanted.k], result)
        reranked = len(ordered) if self._reranking else 0
        return Found(fused, [*ordered, *fused[wanted.k :]], reranked, request, wanted.words, fetch, result["no_answer"])

    async def _why(self, stored: Collection, wanted: Query, found: Found, candidates: Sequence[Candidate], name: str) -> Why:
        async with self._db.transaction(self._scope) as conn:
            named = {chunk.id: chunk for chunk in await find_named(conn, stored, name, wanted.words, wanted.filters)}
            candidate = next((candidate for candidate in candidates if candidate["id"] in named), None)
            scored = []
            if named and candidate is None:
                # The search's own statement, held to what was named, with no filter, which it may fail.
                scored = await find_passages(conn, stored, replace(wanted, only=tuple(named), filters=NO_FILTERS, limit=1))
        if not named:
            return not_found(name)
        seen: Candidate | Passage | None = candidate or next(iter(scored), None)
        return _reason(name, named[seen["id"]] if seen else next(iter(named.values())), candidate, seen, wanted, found)


def _reason(name: str, chunk: Named, candidate: Candidate | None, seen: Candidate | Passage | None, wanted: Query, found: Found) -> Why:
    """`seen` has the scores: the candidate's, or what the statement gave the passage alone; None where nothing of it fits the query."""
    conditions, last = stated(wanted.filters, chunk.conditions), found.last()
    scores: ArmScores = {"bm25": None if wanted.mode == "vector" else 0.0, "cosine": None}
    if seen is not None:
        scores = {"bm25": seen["scores"]["bm25"], "cosine": seen["scores"]["cosine"]}
    verdict, why = decide(candidate, scores, last, conditions)
    return {
        "name": name,
        "id": chunk.id,
        "document": chunk.document,
        "verdict": verdict,
        "why": why,
        "scores": scores,
        "last": last,
        "absolute": seen["absolute"] if seen else None,
        "no_answer": found.no_answer,
        "candidate": candidate,
        "conditions": conditions,
        "words": [
            {"word": word["word"], "df": word["df"] or 0, "weight": word["weight"] or 0.0, "count": word["tf"] or 0} for word in chunk.words
        ],
    }


def _explanation(result: SearchResult, candidates: list[Candidate], why: Why | None) -> Explanation:
    return Explanation(**result, candidates=candidates, why=why)
