"""Reranking by a chat model: one call rates all passages, by number.

An adapter of the Reranker protocol; chosen by `TADORI_RERANKER=chat`. How the model is asked is given: the prompt and the ways of
getting JSON stand on the floor above.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from retrievers.errors import ProviderReplyInvalid
from retrievers.relevance import Rated, Reranked, RerankedText
from retrievers.text.clean import clean
from retrievers.text.fit import fitted

Rate = Callable[[str, Sequence[str]], Awaitable[Rated]]
"""Asks for ratings of the texts, which are numbered from 1. Raises ProviderError."""

PROMPT_TOKENS = 12_000
"""Of all texts together: within the 16k that small models have at least, with room for the reply."""
TEXT_TOKENS = 512
"""Of one text: a chunk has no more."""
QUERY_TOKENS = 512

_HIGHEST = 10.0
_SAID_CHARS = 80


class ChatReranker:
    """Scores on the scale `rating`: what the model gave from 0 to 10, divided by ten, so many passages tie."""

    def __init__(self, rate: Rate, *, prepare: Callable[[], Awaitable[None]], name: str, count: Callable[[str], int]) -> None:
        self._rate = rate
        self._prepare = prepare
        self._name = name
        self._count = count

    @property
    def name(self) -> str:
        return f"chat:{self._name}"

    async def prepare(self) -> None:
        """Makes the model's client, whose import takes seconds."""
        await self._prepare()

    async def rerank(self, query: str, texts: Sequence[str]) -> Reranked:
        """Raises ProviderReplyInvalid unless every text has exactly one rating."""
        if not texts:
            return Reranked("rating", [])
        rated = await self._rate(*await asyncio.to_thread(self._fitted, query, texts))
        if rated.ratings is None:
            raise ProviderReplyInvalid(f"{self.name} gave no ratings that can be read, but {rated.said[:_SAID_CHARS]!r}")
        numbers = sorted(number for number, _ in rated.ratings)
        if numbers != list(range(1, len(texts) + 1)):
            raise ProviderReplyInvalid(f"{self.name} rated {len(numbers)} passages where {len(texts)} were given, or some twice")
        scores = [RerankedText(index=number - 1, score=rating / _HIGHEST) for number, rating in rated.ratings]
        return Reranked("rating", sorted(scores, key=lambda entry: (-entry["score"], entry["index"])), rated.spent)

    def _fitted(self, query: str, texts: Sequence[str]) -> tuple[str, list[str]]:
        room = min(TEXT_TOKENS, PROMPT_TOKENS // len(texts))
        return self._cut(query, QUERY_TOKENS), [self._cut(text, room) for text in texts]

    def _cut(self, text: str, tokens: int) -> str:
        return fitted(clean(text).text, tokens, self._count)
