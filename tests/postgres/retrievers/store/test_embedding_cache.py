"""The embedding cache: exact, apart for tenant, model, side and text."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from drafting import make_collection, rows, vector_of

from retrievers.scope import Scope
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.types import EmbeddingSpec

M = EmbeddingSpec("m", 8, 512, 0.3, 0.6)


@pytest.fixture
async def cache(database, scope):
    await make_collection(database, scope)  # makes the tenant
    return EmbeddingCache(database)


@pytest.mark.rule("emb-advanced")
async def test_a_vector_comes_back_bit_by_bit_and_in_order(cache, scope):
    """emb-advanced: what was embedded once is not embedded again."""
    vectors = [vector_of("one"), vector_of("二つ目")]
    await cache.put(scope, M, "passage", ["one", "二つ目"], vectors)
    found = await cache.get(scope, M, "passage", ["二つ目", "unknown", "one", "one"])
    assert found[1] is None
    for vector, expected in zip((found[0], found[2], found[3]), (vectors[1], vectors[0], vectors[0]), strict=True):
        assert vector is not None
        assert vector.dtype == np.float32
        assert vector.tobytes() == expected.tobytes()
        assert vector.flags.writeable


@pytest.mark.rule("emb-advanced", "F14", "T24")
@pytest.mark.parametrize(
    ("changes", "side", "text"),
    [
        ({"model": "other"}, "passage", "text"),
        ({"dims": 4}, "passage", "text"),
        ({}, "query", "text"),
        ({}, "passage", "text "),
    ],
)
async def test_model_dimensions_side_and_exact_text_are_the_key(cache, scope, changes, side, text):
    """F14, T24, emb-advanced: neither another model's vector, nor a longer one, nor the query side's is ever taken for this one."""
    await cache.put(scope, M, "passage", ["text"], [vector_of("text")])
    assert await cache.get(scope, replace(M, **changes), side, [text]) == [None]


@pytest.mark.rule("F9", "S1")
async def test_tenants_do_not_see_each_others_embeddings(database, cache, scope):
    """F9, S1: the key starts with the tenant; not even the time of a look-up tells what another tenant has."""
    stranger = Scope.operator(f"{scope.tenant}-stranger")
    await make_collection(database, stranger)
    await cache.put(scope, M, "query", ["text"], [vector_of("text")])
    assert await cache.get(stranger, M, "query", ["text"]) == [None]
    await cache.put(stranger, M, "query", ["text"], [vector_of("other")])
    assert (await cache.get(scope, M, "query", ["text"]))[0].tobytes() == vector_of("text").tobytes()


async def test_members_use_the_cache_too(cache, scope):
    member = Scope.member(scope.tenant)
    await cache.put(member, M, "query", ["text"], [vector_of("text")])
    assert (await cache.get(member, M, "query", ["text"]))[0] is not None


async def test_a_tenant_that_has_stored_nothing_has_no_cache(database, tenant):
    cache, scope = EmbeddingCache(database), Scope.operator(tenant)
    await cache.put(scope, M, "query", ["text"], [vector_of("text")])
    assert await cache.get(scope, M, "query", ["text"]) == [None]


async def test_nothing_is_asked_of_nothing(cache, scope):
    await cache.put(scope, M, "query", [], [])
    assert await cache.get(scope, M, "query", []) == []


@pytest.mark.rule("S15")
async def test_any_text_can_be_a_key(cache, scope):
    """S15: the text itself does not go to the database, only its hash."""
    texts = ["", "\0", "\ud800", "'; drop table tadori.chunk; --"]
    odd = replace(M, model="m'\"%s")
    await cache.put(scope, odd, "query", texts, [vector_of(text) for text in texts])
    assert [vector is not None for vector in await cache.get(scope, odd, "query", texts)] == [True] * 4


async def test_the_first_vector_of_a_text_stays(cache, scope):
    await cache.put(scope, M, "query", ["text"], [vector_of("text")])
    await cache.put(scope, M, "query", ["text"], [vector_of("other")])
    assert (await cache.get(scope, M, "query", ["text"]))[0].tobytes() == vector_of("text").tobytes()


async def test_writers_of_the_same_texts_in_any_order_do_not_deadlock(cache, scope):
    texts = [f"text {number}" for number in range(300)]
    orders = [texts, texts[::-1], texts[150:] + texts[:150], texts[::2] + texts[1::2]] * 2
    await asyncio.gather(*(cache.put(scope, M, "passage", order, [vector_of(text) for text in order]) for order in orders))
    assert all(vector is not None for vector in await cache.get(scope, M, "passage", texts))


async def test_use_is_noted_once_a_day(database, cache, scope):
    await cache.put(scope, M, "query", ["old", "new"], [vector_of("old"), vector_of("new")])
    stale = "update tadori.embedding_cache set used = now() - interval '3 days' where embedding = %s returning 1"
    await rows(database, scope, stale, vector_of("old").tobytes())
    await cache.get(scope, M, "query", ["old"])
    assert await rows(database, scope, "select count(*) from tadori.embedding_cache where used < now() - interval '1 day'") == [(0,)]


async def age(database, scope, days, *texts):
    query = "update tadori.embedding_cache set used = now() - make_interval(days => %s) where embedding = any (%s) returning 1"
    assert len(await rows(database, scope, query, days, [vector_of(text).tobytes() for text in texts])) == len(texts)


@pytest.mark.rule("emb-advanced")
async def test_what_was_not_used_for_ninety_days_goes_with_the_next_write(database, cache, scope):
    """emb-advanced: the cache does not grow for ever; what is in use stays."""
    texts = ["forgotten", "old", "recent"]
    await cache.put(scope, M, "query", texts, [vector_of(text) for text in texts])
    await age(database, scope, 91, "forgotten", "old")
    await age(database, scope, 89, "recent")
    await cache.get(scope, M, "query", ["old"])
    await cache.put(scope, M, "query", ["new"], [vector_of("new")])
    assert [vector is not None for vector in await cache.get(scope, M, "query", [*texts, "new"])] == [False, True, True, True]


@pytest.mark.rule("emb-advanced")
async def test_a_write_removes_at_most_twice_what_it_adds(database, cache, scope):
    """emb-advanced: in small steps, so that no question waits for a great removal."""
    texts = [f"text {number}" for number in range(100)]
    await cache.put(scope, M, "passage", texts, [vector_of(text) for text in texts])
    await age(database, scope, 100, *texts)
    await cache.put(scope, M, "query", ["new"], [vector_of("new")])
    assert await rows(database, scope, "select count(*) from tadori.embedding_cache") == [(81,)]
    await cache.put(scope, M, "query", [f"new {number}" for number in range(30)], [vector_of("new")] * 30)
    assert await rows(database, scope, "select count(*) from tadori.embedding_cache") == [(51,)]


async def test_an_old_text_that_is_written_again_is_kept(database, cache, scope):
    await cache.put(scope, M, "query", ["text"], [vector_of("text")])
    await age(database, scope, 100, "text")
    await cache.put(scope, M, "query", ["text"], [vector_of("text")])
    assert (await cache.get(scope, M, "query", ["text"]))[0] is not None


@pytest.mark.rule("F14")
async def test_a_model_that_has_other_dimensions_now_takes_the_place_of_the_old_one(cache, scope):
    """F14: behind an address the model may change under the same name."""
    await cache.put(scope, M, "query", ["text"], [vector_of("text")])
    narrow = replace(M, dims=4)
    await cache.put(scope, narrow, "query", ["text"], [np.full(4, 0.5, np.float32)])
    assert (await cache.get(scope, narrow, "query", ["text"]))[0].tolist() == [0.5] * 4
    assert await cache.get(scope, M, "query", ["text"]) == [None]
