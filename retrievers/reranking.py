"""Puts what a search found in a reranker's order, or keeps the order and says why.

Called by retrievers/hybrid.py; the rerankers are adapters in retrievers/providers.
"""

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from retrievers.combining import combined, parts_of
from retrievers.errors import ConfigurationError, ProviderError, ProviderReplyInvalid, ProviderUnavailable
from retrievers.relevance import Reranked, Reranker, RerankScale
from retrievers.types import Passage, SearchResult

RERANK_CANDIDATES = 50
"""Passages a reranker looks at: from 50 to 10 is where rerankers earn their cost."""

RERANK_TIMEOUT_S = 5.0
"""After this the order of the fusion is shown instead; a person waits for the answer behind it."""


@dataclass(frozen=True)
class Threshold:
    """The least score that counts as relevant, on the scale that it names and on no other."""

    scale: RerankScale
    score: float


@dataclass(frozen=True)
class Reranking:
    """How candidates are reordered: by the reranker alone, or combined with the fusion's order and how new a document is."""

    reranker: Reranker
    combine: bool = False
    threshold: Threshold | None = None
    timeout_s: float = RERANK_TIMEOUT_S
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    @property
    def name(self) -> str:
        return f"combined:{self.reranker.name}" if self.combine else self.reranker.name

    async def apply(self, query: str, passages: list[Passage], result: SearchResult) -> list[Passage]:
        """All the passages, reordered, however few; on any failure as they came, with an entry in the result's `degraded`.

        No passage is ever dropped here. Raises ConfigurationError for a threshold on another scale.
        """
        try:
            reply = await self.score(query, [_shown(passage) for passage in passages])
        except ProviderError as exc:
            result["degraded"].append((f"reranker {self.name}: {exc}", "the passages keep the order of the fusion"))
            return passages
        if reply.spent is not None:
            result["spent"] = reply.spent
        return self._ordered(passages, reply)

    async def score(self, query: str, texts: Sequence[str]) -> Reranked:
        """One score in 0-1 for each text. Raises ProviderError for a failure, a time-out, another count and other numbers."""
        await self.reranker.prepare()
        try:
            async with asyncio.timeout(self.timeout_s):
                reply = await self.reranker.rerank(query, texts)
        except TimeoutError as exc:
            raise ProviderUnavailable(f"no reply within {self.timeout_s:g} s") from exc
        if sorted(entry["index"] for entry in reply.scores) != list(range(len(texts))):
            raise ProviderReplyInvalid(f"{len(reply.scores)} scores for {len(texts)} passages, or not one for each")
        if not all(math.isfinite(entry["score"]) and 0 <= entry["score"] <= 1 for entry in reply.scores):
            raise ProviderReplyInvalid(f"scores outside 0-1, which are not on its scale {reply.scale!r}")
        if self.threshold is not None and self.threshold.scale != reply.scale:
            raise ConfigurationError(
                f"TADORI_RERANK_THRESHOLD is on the scale {self.threshold.scale!r}, but {self.reranker.name!r} scores on {reply.scale!r}: "
                f"set one as {reply.scale}:NUMBER, or none"
            )
        return reply

    def _ordered(self, passages: Sequence[Passage], reply: Reranked) -> list[Passage]:
        """Best first, ties in the order they came; each keeps the model's own score beside what it is ordered by."""
        model = [entry["score"] for entry in sorted(reply.scores, key=lambda entry: entry["index"])]
        parts: list[dict[str, float]] = [{} for _ in passages]
        if self.combine:
            dates = [passage.get("modified") for passage in passages]
            parts = parts_of([passage["score"] for passage in passages], model, dates, self.now())
        threshold = self.threshold.score if self.threshold else None
        scored: list[Passage] = [
            {
                **passage,
                "score": combined(part) if part else score,
                "reranked": {"scale": reply.scale, "score": score, "threshold": threshold, "parts": part},
            }
            for passage, score, part in zip(passages, model, parts, strict=True)
        ]
        return sorted(scored, key=lambda passage: -passage["score"])


def _shown(passage: Passage) -> str:
    """What the reranker reads: title and headings as they were embedded, then the text."""
    place = " > ".join(dict.fromkeys(part for part in (passage["title"], *passage["heading_path"]) if part))
    return f"{place}\n{passage['text']}" if place else passage["text"]
