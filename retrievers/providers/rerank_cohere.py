"""Reranking by Cohere's rerank API, or any server that speaks it.

An adapter of the Reranker protocol; the address and the key are given, never looked up.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import httpx

from retrievers.errors import MissingKey, ProviderRejected, ProviderReplyInvalid
from retrievers.providers.faults import from_status, retrying, unreachable
from retrievers.relevance import Reranked, RerankedText
from retrievers.text.clean import clean
from retrievers.text.fit import fitted_pair
from retrievers.text.script import is_latin

TIMEOUT_S = 5.0
"""With retries: a question waits for it, and the base order is a good answer already."""

WINDOW_TOKENS = 4096
"""Query and text together: what rerank-v3.5 reads at once. A longer text would be scored in pieces, a longer query refused."""

_NO_KEY = "none"
"""A server of one's own needs no key, but the client insists on a string."""


class CohereReranker:
    """`POST /v2/rerank`; scores come back by index, on the scale `relevance`.

    `count` is the tokeniser by which texts are cut: Cohere's own is not to be had without the network.
    """

    def __init__(
        self,
        model: str,
        *,
        count: Callable[[str], int],
        api_key: str | None,
        base_url: str | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        if not api_key and not base_url:
            raise MissingKey(f"the reranker {model!r} needs COHERE_API_KEY: set it, or leave TADORI_RERANKER unset to keep the base order")
        self._model = model
        self._count = count
        self._api_key = api_key or _NO_KEY
        self._base_url = base_url
        self._timeout_s = timeout_s
        # A connection belongs to the event loop that opened it, and a notebook or a server has more than one.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

    @property
    def name(self) -> str:
        return f"cohere:{self._model}"

    async def prepare(self) -> None:
        """Makes the client, in a thread: importing it takes seconds and would block the loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = await asyncio.to_thread(self._client)

    async def rerank(self, query: str, texts: Sequence[str]) -> Reranked:
        """Nothing is asked for no texts. Raises ProviderRejected for another script where the model is an English one."""
        if not texts:
            return Reranked("relevance", [])
        if "english" in self._model and not await asyncio.to_thread(lambda: all(map(is_latin, (query, *texts)))):
            raise ProviderRejected(
                f"{self.name} reads English only, and the query or a passage is in another script: use a multilingual model"
            )
        await self.prepare()
        query, texts = await asyncio.to_thread(self._fitted, query, texts)
        reply = await retrying(self.name, lambda: self._ask(query, texts), timeout_s=self._timeout_s)
        return Reranked("relevance", self._checked(reply, len(texts)))

    async def _ask(self, query: str, texts: Sequence[str]) -> Any:
        from cohere.core import ApiError

        client = self._clients[asyncio.get_running_loop()]
        try:
            return await client.rerank(model=self._model, query=query, documents=texts, top_n=len(texts), max_tokens_per_doc=WINDOW_TOKENS)
        except ApiError as exc:
            if exc.status_code is not None and exc.status_code < 300:
                raise self._unreadable() from exc
            raise from_status(self.name, exc.status_code or 500, str(exc.body or ""), exc.headers) from exc
        except httpx.HTTPError as exc:
            raise unreachable(self.name, exc) from exc
        except (ValueError, TypeError) as exc:
            # How the client fails on JSON of another form.
            raise self._unreadable() from exc

    def _client(self) -> Any:
        from cohere import AsyncClientV2

        http = httpx.AsyncClient(timeout=self._timeout_s)
        return AsyncClientV2(self._api_key, base_url=self._base_url, timeout=self._timeout_s, max_retries=0, httpx_client=http)

    def _fitted(self, query: str, texts: Sequence[str]) -> tuple[str, list[str]]:
        return fitted_pair(clean(query).text, [clean(text).text for text in texts], WINDOW_TOKENS, self._count)

    def _unreadable(self) -> ProviderReplyInvalid:
        return ProviderReplyInvalid(f"{self.name} answered with something that is not a rerank reply: check TADORI_COHERE_URL")

    def _checked(self, reply: Any, expected: int) -> list[RerankedText]:
        try:
            scores = [RerankedText(index=int(result.index), score=float(result.relevance_score)) for result in reply.results or []]
        except (AttributeError, TypeError, ValueError) as exc:
            # The client checks nothing of what it hands over.
            raise self._unreadable() from exc
        if sorted(score["index"] for score in scores) != list(range(expected)):
            raise ProviderReplyInvalid(f"{self.name} scored {len(scores)} of {expected} texts, or some twice")
        if any(not 0.0 <= score["score"] <= 1.0 for score in scores):
            raise ProviderReplyInvalid(
                f"{self.name} gave scores outside 0-1: a server of one's own has to put its logits through a sigmoid"
            )
        return sorted(scores, key=lambda score: (-score["score"], score["index"]))
