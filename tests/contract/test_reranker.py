"""One suite over every Reranker: real adapters with real clients and a real small model, the fake beside them."""

import asyncio
from contextlib import contextmanager

import pytest
from reranking import chat, cohere, cross_encoder, ratings

from retrievers.errors import ProviderRejected
from retrievers.providers.fakes import FixedReranker

TEXTS = ["a cat", "the torque is twelve", "torque"]
QUERY = "the torque"


@contextmanager
def by_cohere(_folder, _script):
    with cohere() as (reranker, _):
        yield reranker


@contextmanager
def by_cross_encoder(folder, _script):
    yield cross_encoder(folder)


@contextmanager
def by_chat(_folder, script):
    with chat(*script) as (reranker, _):
        yield reranker


@contextmanager
def by_fake(_folder, _script):
    yield FixedReranker({TEXTS[1]: 1.0, TEXTS[2]: 0.5})


@pytest.fixture(params=[by_cohere, by_cross_encoder, by_chat, by_fake], ids=["cohere", "fastembed", "chat", "fixed"])
def made(request, tmp_path):
    """Makes the reranker; a chat model answers by the script that is given."""
    return lambda *script: request.param(tmp_path, script)


@pytest.mark.rule("rr-cross", "rr-llm", "T14")
async def test_every_text_gets_one_score_by_its_index_best_first(made):
    """rr-cross, rr-llm, T14: scores come by index, not by line, and every one lies in 0-1."""
    with made(ratings(0, 10, 5)) as reranker:
        scores = (await reranker.rerank(QUERY, TEXTS)).scores
    assert [entry["index"] for entry in scores] == [1, 2, 0]
    assert all(0 <= entry["score"] <= 1 for entry in scores)


@pytest.mark.rule("F18")
async def test_its_scale_has_a_name(made, request):
    """F18: a number is compared with a threshold of its own scale only, so it says which that is."""
    scales = {"cohere": "relevance", "fastembed": "sigmoid", "chat": "rating", "fixed": "relevance"}
    with made(ratings(0, 10, 5)) as reranker:
        assert (await reranker.rerank(QUERY, TEXTS)).scale == scales[request.node.callspec.id]


async def test_no_texts_have_no_scores(made):
    with made() as reranker:
        assert (await reranker.rerank(QUERY, [])).scores == []


async def test_equal_texts_keep_their_order(made):
    with made(ratings(7, 7, 7)) as reranker:
        assert [entry["index"] for entry in (await reranker.rerank(QUERY, ["torque", "torque", "torque"])).scores] == [0, 1, 2]


async def test_it_is_prepared_as_often_as_one_likes(made):
    with made(ratings(0, 10, 5)) as reranker:
        await reranker.prepare()
        await reranker.prepare()
        assert len((await reranker.rerank(QUERY, TEXTS)).scores) == 3


@pytest.mark.rule("rr-cross")
async def test_what_is_too_long_for_it_is_cut_and_scored(made):
    """rr-cross: a passage or a question of any length has a score."""
    with made(ratings(3, 9)) as reranker:
        scores = (await reranker.rerank(QUERY + " turn" * 5000, ["cat " * 20_000, "torque " * 20_000])).scores
    assert sorted(entry["index"] for entry in scores) == [0, 1]


@pytest.mark.rule("S15")
async def test_a_text_that_no_file_should_hold_is_scored_like_any_other(made):
    """S15: a NUL, a lone surrogate, nothing at all."""
    texts = ["torque\x00", "\ud800 torque", ""]
    with made(ratings(5, 5, 0)) as reranker:
        assert len((await reranker.rerank(QUERY, texts)).scores) == 3


@pytest.mark.rule("T17", "rr-cross")
async def test_japanese_is_scored_or_refused_and_never_guessed(made, request):
    """T17, rr-cross: an English cross-encoder says that it cannot read it; the others read it."""
    with made(ratings(10, 0)) as reranker:
        asked = reranker.rerank("締付けトルクは？", ["トルクは12Nmです", "猫"])
        if request.node.callspec.id == "fastembed":
            with pytest.raises(ProviderRejected, match="not declared multilingual"):
                await asked
        else:
            assert len((await asked).scores) == 2


@pytest.mark.rule("F26")
def test_it_serves_one_event_loop_after_another(made):
    """F26: a notebook, a test and a server each have loops of their own."""
    with made(ratings(0, 10, 5), ratings(0, 10, 5)) as reranker:
        first, second = (asyncio.run(reranker.rerank(QUERY, TEXTS)) for _ in range(2))
    assert first.scores == second.scores
