"""One suite over every Reranker: the adapter speaks to a server on loopback, the fake stands beside it."""

from contextlib import contextmanager

import pytest
from servers.cohere import RerankServer, rerank_reply
from servers.loopback import Reply

from retrievers.errors import MissingKey, ProviderRateLimited, ProviderRejected, ProviderReplyInvalid, ProviderUnavailable
from retrievers.providers.fakes import FixedReranker
from retrievers.providers.rerank_cohere import CohereReranker

TEXTS = ["a cat", "the torque is twelve", "torque"]
QUERY = "the torque"


@contextmanager
def cohere(*first, timeout_s=3.0):
    with RerankServer(*first) as server:
        yield CohereReranker("rerank-test", api_key="key", base_url=server.url, timeout_s=timeout_s), server


@contextmanager
def fixed():
    yield FixedReranker({TEXTS[1]: 1.0, TEXTS[2]: 0.5}), None


@pytest.mark.rule("rr-llm", "T14")
@pytest.mark.parametrize("adapter", [cohere, fixed])
async def test_every_text_gets_one_score_by_its_index_best_first(adapter):
    """rr-llm, T14: scores come by index, not by line."""
    with adapter() as (reranker, _):
        assert await reranker.rerank(QUERY, TEXTS) == [{"index": 1, "score": 1.0}, {"index": 2, "score": 0.5}, {"index": 0, "score": 0.0}]


@pytest.mark.parametrize("adapter", [cohere, fixed])
async def test_no_texts_have_no_scores(adapter):
    with adapter() as (reranker, _):
        assert await reranker.rerank(QUERY, []) == []


async def test_cohere_is_asked_for_all_texts():
    with cohere() as (reranker, server):
        await reranker.rerank(QUERY, TEXTS)
    assert server.asked[0].body == {"model": "rerank-test", "query": QUERY, "documents": TEXTS, "top_n": 3}


@pytest.mark.rule("F18", "rr-llm")
@pytest.mark.parametrize(
    "reply",
    [
        Reply({"id": "r", "results": []}),
        rerank_reply([(0, 0.5), (1, 0.4)]),
        rerank_reply([(0, 0.5), (1, 0.4), (1, 0.3)]),
        rerank_reply([(0, 0.5), (1, 0.4), (7, 0.3)]),
        rerank_reply([(0, -11.0), (1, 0.4), (2, 11.0)]),
        Reply("nothing like JSON"),
        Reply({"unexpected": True}),
    ],
    ids=["empty", "one missing", "one twice", "out of range", "logits", "no JSON", "other form"],
)
async def test_cohere_with_scores_that_cannot_be_used_is_an_error_and_not_an_order(reply):
    """F18, rr-llm: a wrong count of scores, or another scale, never ranks anything."""
    with cohere(reply) as (reranker, _):
        with pytest.raises(ProviderReplyInvalid):
            await reranker.rerank(QUERY, TEXTS)


@pytest.mark.rule("F18")
async def test_cohere_with_a_wrong_key_is_rejected_at_once():
    """F18: 401 is no reason to try again, and no empty result."""
    with cohere(Reply({"message": "invalid api token"}, status=401)) as (reranker, server):
        with pytest.raises(ProviderRejected):
            await reranker.rerank(QUERY, TEXTS)
    assert len(server.asked) == 1


@pytest.mark.rule("F18")
async def test_cohere_that_hangs_is_unavailable_within_the_time():
    """F18: a time-out is an error of its own."""
    with cohere(Reply(hang=True), timeout_s=0.4) as (reranker, _):
        with pytest.raises(ProviderUnavailable):
            await reranker.rerank(QUERY, TEXTS)


@pytest.mark.rule("F27")
async def test_cohere_over_its_rate_limit_is_waited_for():
    """F27: Retry-After is honoured, then the scores come."""
    with cohere(Reply({"message": "slow down"}, status=429, headers={"retry-after": "0.05"})) as (reranker, server):
        assert len(await reranker.rerank(QUERY, TEXTS)) == 3
    assert len(server.asked) == 2


async def test_cohere_asked_to_wait_longer_than_the_answer_may_take_gives_up_at_once():
    with cohere(Reply({"message": "slow down"}, status=429, headers={"retry-after": "60"})) as (reranker, server):
        with pytest.raises(ProviderRateLimited) as caught:
            await reranker.rerank(QUERY, TEXTS)
    assert caught.value.retry_after_s == 60
    assert len(server.asked) == 1


def test_cohere_without_key_and_address_names_the_variable_and_the_keyless_choice():
    with pytest.raises(MissingKey, match=r"COHERE_API_KEY.*TADORI_RERANKER unset"):
        CohereReranker("rerank-v3.5", api_key=None)
