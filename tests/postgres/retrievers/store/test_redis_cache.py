"""The cache in Redis: its keys and their life, and what happens when Redis is down. A real redis-server; skipped where there is none."""

import logging
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import redis
from seeding import Text, seed
from servers.redis import RedisServer

from retrievers.errors import ConfigurationError
from retrievers.hybrid import HybridSearch
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store import redis_cache
from retrievers.store.redis_cache import RedisEmbeddingCache
from retrievers.types import EmbeddingSpec

M = EmbeddingSpec("m", 4, 512, 0.3, 0.6)
UNIT = np.full(4, 0.5, np.float32)
PAGES = [Text("pump", "the pump moves water"), Text("valve", "the valve stops water")]


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with RedisServer() as running:
        yield running


def client(server: RedisServer) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(server.socket))


@pytest.mark.rule("emb-advanced", "F9")
async def test_a_key_starts_with_the_tenant_and_lives_for_a_day(server: RedisServer) -> None:
    """emb-advanced, F9: 86,400 seconds; model, dimensions and side are in it, the text as its hash alone."""
    await RedisEmbeddingCache(server.url).put(Scope.operator("acme"), M, "query", ["secret words"], [UNIT])
    [key] = client(server).keys()
    assert key.startswith(b"acme:tadori-embedding:4:query:m:")
    assert b"secret" not in key
    assert 86_390 <= client(server).ttl(key) <= 86_400
    assert client(server).get(key) == UNIT.tobytes()


async def test_what_is_no_vector_of_the_model_is_not_taken_for_one(server: RedisServer) -> None:
    scope, cache = Scope.operator("acme"), RedisEmbeddingCache(server.url)
    await cache.put(scope, M, "query", ["text"], [UNIT])
    [key] = client(server).keys()
    for wrong in (b"", b"short", np.zeros(4, "<f4").tobytes(), np.full(4, np.nan, "<f4").tobytes(), np.full(5, 0.4, "<f4").tobytes()):
        client(server).set(key, wrong)
        assert await cache.get(scope, M, "query", ["text"]) == [None]
    assert cache.fault is None


@pytest.mark.rule("emb-advanced", "embed-first")
async def test_a_query_is_embedded_once(database, scope: Scope, server: RedisServer) -> None:
    """emb-advanced, embed-first: the second time its vector comes from Redis, in another process as well."""
    await seed(database, scope, PAGES)
    first, second = HashEmbedder(), HashEmbedder()
    for embedder in (first, second):
        found = await HybridSearch(database, embedder, RedisEmbeddingCache(server.url), scope).search("pump water")
        assert found["degraded"] == []
    assert (first.queries, second.queries) == (["pump water"], [])


@pytest.mark.rule("R13", "emb-advanced")
async def test_a_redis_that_is_down_costs_the_cache_and_says_so_but_no_search(
    database, scope: Scope, server: RedisServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R13, emb-advanced: degraded, logged and counted; when Redis is back, so is the cache."""
    await seed(database, scope, PAGES)
    embedder, cache = HashEmbedder(), RedisEmbeddingCache(server.url)
    search = HybridSearch(database, embedder, cache, scope)
    await search.search("pump")
    server.stop()
    with caplog.at_level(logging.WARNING):
        found = await search.search("pump")
    assert [passage["document"] for passage in found["passages"]] == ["pump", "valve"]
    [(cause, fallback)] = found["degraded"]
    assert cause.startswith("the embedding cache in Redis ")
    assert "check that it runs, and TADORI_REDIS_URL" in cause
    assert fallback == "the query was embedded without a cache"
    assert (cache.failures, embedder.queries) == (1, ["pump", "pump"])
    assert "failure 1" in caplog.text
    server.start()
    assert (await search.search("pump"))["degraded"] != []  # it is left alone for a while
    monkeypatch.setattr(cache, "_rest_until", 0.0)
    assert (await search.search("pump"))["degraded"] == []
    assert cache.failures == 1


@pytest.mark.rule("R13")
async def test_a_redis_that_hangs_is_waited_for_once_and_then_left_alone(server: RedisServer) -> None:
    """R13: within the time given, and not by every search."""
    scope, cache = Scope.operator("acme"), RedisEmbeddingCache(server.url, timeout_s=0.3)
    await cache.put(scope, M, "query", ["text"], [UNIT])
    client(server).execute_command("CLIENT", "PAUSE", "3000", "ALL")
    started = time.monotonic()
    for _ in range(50):
        assert await cache.get(scope, M, "query", ["text"]) == [None]
        await cache.put(scope, M, "query", ["text"], [UNIT])
    assert time.monotonic() - started < 2
    assert cache.failures == 1


@pytest.mark.rule("S11")
async def test_a_wrong_password_is_a_fault_that_does_not_repeat_it() -> None:
    """S11: neither the fault nor the log holds the password."""
    with RedisServer(password="right-one") as server:
        good = RedisEmbeddingCache(server.url)
        await good.put(Scope.operator("acme"), M, "query", ["text"], [UNIT])
        assert good.fault is None
        cache = RedisEmbeddingCache(server.url.replace("right-one", "wrong-secret"))
        assert await cache.get(Scope.operator("acme"), M, "query", ["text"]) == [None]
        assert cache.fault is not None
        assert "invalid username-password pair" in cache.fault
        assert "secret" not in cache.fault


async def test_an_address_that_is_none_is_a_mistake_in_the_settings() -> None:
    with pytest.raises(ConfigurationError, match="TADORI_REDIS_URL cannot be used"):
        await RedisEmbeddingCache("http://somewhere").get(Scope.operator("acme"), M, "query", ["text"])


async def test_two_models_with_colons_in_their_names_never_share_a_key(server: RedisServer) -> None:
    scope, cache = Scope.operator("acme"), RedisEmbeddingCache(server.url)
    for number, model in enumerate(("a:b", "a", "b:a")):
        await cache.put(scope, replace(M, model=model), "query", ["text"], [np.roll(np.array([1, 0, 0, 0], np.float32), number)])
    assert len(client(server).keys()) == 3


def test_the_pause_and_the_time_of_a_call_are_short_beside_a_search() -> None:
    assert (redis_cache.TTL_S, redis_cache.TIMEOUT_S, redis_cache.PAUSE_S) == (86_400, 1.0, 10.0)
