"""Puts what a search found in a reranker's order, or keeps the order and says why.

Called by retrievers/hybrid.py; the rerankers are adapters in retrievers/providers.
"""

import asyncio
from collections.abc import Sequence

from retrievers.errors import ProviderError
from retrievers.types import Passage, RerankedText, Reranker

RERANK_CANDIDATES = 50
"""Passages a reranker looks at: from 50 to 10 is where rerankers earn their cost."""

RERANK_TIMEOUT_S = 5.0
"""After this the order of the fusion is shown instead; a person waits for the answer behind it."""


async def rerank(reranker: Reranker, query: str, passages: list[Passage], degraded: list[tuple[str, str]]) -> list[Passage]:
    """The passages by the reranker's scores; on any failure as they came, with an entry appended to `degraded`."""
    try:
        async with asyncio.timeout(RERANK_TIMEOUT_S):
            scored = await reranker.rerank(query, [passage["text"] for passage in passages])
        return _reordered(passages, scored)
    except (ProviderError, TimeoutError, _WrongScores) as exc:
        cause = f"no reply within {RERANK_TIMEOUT_S:g} s" if isinstance(exc, TimeoutError) else str(exc)
        degraded.append((f"reranker {reranker.name}: {cause}", "the passages keep the order of the fusion"))
        return passages


class _WrongScores(Exception):
    """A reranker did not score each text exactly once."""


def _reordered(passages: Sequence[Passage], scored: Sequence[RerankedText]) -> list[Passage]:
    if sorted(entry["index"] for entry in scored) != list(range(len(passages))):
        raise _WrongScores(f"{len(scored)} scores for {len(passages)} passages, or not one for each")
    order = sorted(scored, key=lambda entry: (-entry["score"], entry["index"]))
    return [{**passages[entry["index"]], "score": entry["score"]} for entry in order]
