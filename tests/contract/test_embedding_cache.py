"""Every cache of embeddings keeps the same promises: the one in PostgreSQL and the one in a real Redis."""

from collections.abc import AsyncIterator
from dataclasses import replace

import numpy as np
import pytest
from servers.redis import RedisServer

from retrievers.caching import VectorCache
from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.store.redis_cache import RedisEmbeddingCache
from retrievers.types import EmbeddingSpec, Vector

M = EmbeddingSpec("openai:my-model@8", 8, 512, 0.3, 0.6)


def vector_of(number: int) -> Vector:
    """One of eight directions, none of whose numbers is a round one."""
    vector = np.sin(np.arange(8, dtype=np.float32) + number).astype(np.float32)
    unit: Vector = vector / np.linalg.norm(vector)
    return unit


@pytest.fixture(params=["postgres", "redis"])
async def cache(request: pytest.FixtureRequest, database: Database, scope: Scope) -> AsyncIterator[VectorCache]:
    if request.param == "redis":
        with RedisServer() as server:
            yield RedisEmbeddingCache(server.url)
    else:
        for tenant in (scope.tenant, f"{scope.tenant}-stranger"):
            async with database.transaction(Scope.operator(tenant)) as conn:
                await conn.execute("insert into tadori.tenant (name) values (%s)", (tenant,))
        yield EmbeddingCache(database)


@pytest.mark.rule("emb-advanced")
async def test_vectors_come_back_bit_by_bit_and_in_order(cache: VectorCache, scope: Scope) -> None:
    """emb-advanced: what was embedded once is not embedded again."""
    await cache.put(scope, M, "passage", ["one", "二つ目"], [vector_of(1), vector_of(2)])
    found = await cache.get(scope, M, "passage", ["二つ目", "unknown", "one", "one"])
    assert [vector is None for vector in found] == [False, True, False, False]
    assert [vector.tobytes() for vector in found if vector is not None] == [vector_of(number).tobytes() for number in (2, 1, 1)]
    assert all(vector.flags.writeable for vector in found if vector is not None)
    assert cache.fault is None


@pytest.mark.rule("emb-advanced", "F14", "T24")
@pytest.mark.parametrize(
    ("changes", "side", "text"),
    [({"model": "other"}, "passage", "text"), ({"dims": 4}, "passage", "text"), ({}, "query", "text"), ({}, "passage", "text ")],
)
async def test_model_dimensions_side_and_exact_text_are_the_key(cache: VectorCache, scope: Scope, changes, side, text) -> None:
    """F14, T24, emb-advanced: neither another model's vector, nor a longer one, nor the query side's is ever taken for this one."""
    await cache.put(scope, M, "passage", ["text"], [vector_of(1)])
    assert await cache.get(scope, replace(M, **changes), side, [text]) == [None]


@pytest.mark.rule("F9", "S1")
async def test_tenants_do_not_see_each_others_embeddings(cache: VectorCache, scope: Scope) -> None:
    """F9, S1: the key starts with the tenant."""
    stranger = Scope.operator(f"{scope.tenant}-stranger")
    await cache.put(scope, M, "query", ["text"], [vector_of(1)])
    assert await cache.get(stranger, M, "query", ["text"]) == [None]
    await cache.put(stranger, M, "query", ["text"], [vector_of(2)])
    kept = (await cache.get(scope, M, "query", ["text"]))[0]
    assert kept is not None
    assert kept.tobytes() == vector_of(1).tobytes()


async def test_members_use_the_cache_too(cache: VectorCache, scope: Scope) -> None:
    member = Scope.member(scope.tenant)
    await cache.put(member, M, "query", ["text"], [vector_of(1)])
    assert (await cache.get(member, M, "query", ["text"]))[0] is not None


async def test_nothing_is_asked_of_nothing(cache: VectorCache, scope: Scope) -> None:
    await cache.put(scope, M, "query", [], [])
    assert await cache.get(scope, M, "query", []) == []


@pytest.mark.rule("S15")
async def test_any_text_can_be_a_key(cache: VectorCache, scope: Scope) -> None:
    """S15: the text itself is kept nowhere, only its hash."""
    texts = ["", "\0", "\ud800", "'; drop table tadori.chunk; --", "a\r\nFLUSHALL\r\n"]
    odd = replace(M, model="m'\"%s:\r\n")
    await cache.put(scope, odd, "query", texts, [vector_of(number) for number in range(5)])
    found = await cache.get(scope, odd, "query", texts)
    assert [vector.tobytes() for vector in found if vector is not None] == [vector_of(number).tobytes() for number in range(5)]
