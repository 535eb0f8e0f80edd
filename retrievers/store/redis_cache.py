"""Embeddings kept in Redis for a day, where several machines share one cache (extra `redis`).

The VectorCache of TADORI_REDIS_URL; without that setting embeddings are kept in PostgreSQL.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import numpy as np

from retrievers.caching import Side, packed, text_hash, unpacked
from retrievers.errors import ConfigurationError, MissingExtra
from retrievers.scope import Scope
from retrievers.types import EmbeddingSpec, Vector

if TYPE_CHECKING:
    from redis.asyncio import Redis

_T = TypeVar("_T")
_LOG = logging.getLogger(__name__)

TTL_S = 86_400
"""Of an embedding after it was last written: a day of questions, and a Redis never fills up with what nobody asks."""
TIMEOUT_S = 1.0
"""Of one call: embedding the query itself takes less."""
PAUSE_S = 10.0
"""Without a try after a failure, so that not every search waits for a Redis that is down."""


class RedisEmbeddingCache:
    """Keys start with the tenant. A Redis that fails is left alone for ten seconds: nothing is found or kept then.

    `failures` counts the calls that failed since the start; each is logged.
    """

    def __init__(self, url: str, *, ttl_s: int = TTL_S, timeout_s: float = TIMEOUT_S) -> None:
        self._url, self._ttl_s, self._timeout_s = url, ttl_s, timeout_s
        self._where = _without_secrets(url)
        self._rest_until = 0.0
        # A connection belongs to the event loop that opened it, and a notebook or a server has more than one.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Redis] = WeakKeyDictionary()
        self.failures = 0
        self.fault: str | None = None

    async def get(self, scope: Scope, spec: EmbeddingSpec, side: Side, texts: Sequence[str]) -> list[Vector | None]:
        """The embedding of each text in order, None for one that is not kept or is no vector of the model's."""
        keys = [_key(scope, spec, side, text) for text in texts]
        if not keys:
            return []
        found = await self._tried(lambda redis: redis.mget(keys))
        return [_vector(data, spec) for data in found or [None] * len(keys)]

    async def put(self, scope: Scope, spec: EmbeddingSpec, side: Side, texts: Sequence[str], vectors: Sequence[Vector]) -> None:
        """Keep one vector for each text for a day."""
        entries = {_key(scope, spec, side, text): packed(vector) for text, vector in zip(texts, vectors, strict=True)}
        if not entries:
            return

        async def write(redis: "Redis") -> None:
            async with redis.pipeline(transaction=False) as pipeline:
                for key, data in entries.items():
                    pipeline.set(key, data, ex=self._ttl_s)
                await pipeline.execute()

        await self._tried(write)

    async def _tried(self, call: Callable[["Redis"], Awaitable[_T]]) -> _T | None:
        """The result of a call; None while the cache rests after a failure, and for a failure."""
        if time.monotonic() < self._rest_until:
            return None
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = await asyncio.to_thread(self._connect)
        from redis.exceptions import RedisError

        try:
            result = await call(self._clients[loop])
        except (RedisError, OSError, TimeoutError) as exc:
            self._rest_until = time.monotonic() + PAUSE_S
            self.failures += 1
            said = " ".join(str(exc).split())[:200] or type(exc).__name__
            self.fault = f"the embedding cache in {self._where} cannot be used ({said}): check that it runs, and TADORI_REDIS_URL"
            _LOG.warning("%s; failure %d", self.fault, self.failures)
            return None
        self.fault = None
        return result

    def _connect(self) -> "Redis":
        try:
            from redis.asyncio import Redis
            from redis.asyncio.retry import Retry
            from redis.backoff import NoBackoff
        except ImportError as exc:
            raise MissingExtra("TADORI_REDIS_URL", "redis") from exc
        try:
            return Redis.from_url(
                self._url, socket_timeout=self._timeout_s, socket_connect_timeout=self._timeout_s, retry=Retry(NoBackoff(), 0)
            )
        except ValueError as exc:
            raise ConfigurationError(f"TADORI_REDIS_URL cannot be used ({exc}): write redis://HOST:PORT/0 or unix:///PATH") from exc


def _key(scope: Scope, spec: EmbeddingSpec, side: Side, text: str) -> str:
    """Tenant first. Only the model's name is free, and it lies between parts that hold no colon."""
    return f"{scope.tenant}:tadori-embedding:{spec.dims}:{side}:{spec.model}:{text_hash(text).hex()}"


def _vector(data: object, spec: EmbeddingSpec) -> Vector | None:
    """The vector, if it is one of the model's dimensions and of unit length: others may write to the same Redis."""
    if not isinstance(data, bytes) or len(data) != 4 * spec.dims:
        return None
    vector = unpacked(data)
    return vector if abs(float(np.linalg.norm(vector)) - 1) < 1e-2 else None


def _without_secrets(url: str) -> str:
    parts = urlsplit(url)
    return f"Redis {parts.hostname or parts.path or '?'}" + (f":{parts.port}" if parts.hostname and parts.port else "")
