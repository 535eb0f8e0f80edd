"""What a reranker takes and gives: scores on a scale that has a name, because a number means nothing on another one.

Beside retrievers/types.py, which keeps a passage's score; the adapters are retrievers/providers/rerank_*.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NotRequired, Protocol

from typing_extensions import TypedDict

RerankScale = Literal["relevance", "sigmoid", "probability", "rating"]
"""All lie in 0-1. relevance: of a rerank API. sigmoid: a cross-encoder's logit through a sigmoid. probability: a cross-encoder's own
output. rating: a chat model's 0-10, divided by ten."""


class RerankedText(TypedDict):
    """`index` into the texts given, `score` in 0-1 (large is relevant) on the scale that stands beside it."""

    index: int
    score: float


class Spent(TypedDict):
    """What a chat model was asked on the way: its calls and tokens, and the cost where its price is set."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: NotRequired[float]


@dataclass(frozen=True)
class Reranked:
    """What a reranker gave: one score for each text, best first, ties by index."""

    scale: RerankScale
    scores: Sequence[RerankedText]
    spent: Spent | None = None


class Reranker(Protocol):
    """Scores texts against a query."""

    @property
    def name(self) -> str: ...

    async def prepare(self) -> None:
        """Load what is loaded once, so that no query's time pays for it. Raises ConfigurationError, ProviderError."""
        ...

    async def rerank(self, query: str, texts: Sequence[str]) -> Reranked:
        """What is too long is cut by tokens. Raises ProviderError, also for a query or texts in a script that it cannot read."""
        ...


class RerankScore(TypedDict):
    """A reranker's score of a passage on its named scale, with the operator's threshold on that same scale, None where none is set.

    `parts` are what a combined order was made of, each in 0-1 before its weight: base, model, recency.
    """

    scale: RerankScale
    score: float
    threshold: float | None
    parts: dict[str, float]


def falls_short(reranked: RerankScore | None) -> str:
    """In words, why the operator's threshold turns a passage away; empty where it does not, or where no reranker or threshold is."""
    if reranked is None or reranked["threshold"] is None or reranked["score"] >= reranked["threshold"]:
        return ""
    return f"{reranked['scale']} {reranked['score']:.2f} is below the reranker's threshold {reranked['threshold']:.2f}"


@dataclass(frozen=True)
class Rated:
    """A chat model's ratings of numbered texts: (number from 1, 0-10) each; None where its reply, which began with `said`, has none."""

    ratings: Sequence[tuple[int, float]] | None
    said: str
    spent: Spent
