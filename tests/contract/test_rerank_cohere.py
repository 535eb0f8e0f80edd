"""Cohere's reranker by the real client, against a server on loopback that fails in every way."""

import pytest
from reranking import cohere, count_words
from servers.cohere import rerank_reply
from servers.loopback import Reply

from retrievers.errors import MissingKey, ProviderRateLimited, ProviderRejected, ProviderReplyInvalid, ProviderUnavailable
from retrievers.providers.rerank_cohere import CohereReranker

TEXTS = ["a cat", "the torque is twelve", "torque"]
QUERY = "the torque"


async def test_it_is_asked_for_all_texts_in_one_call():
    with cohere() as (reranker, server):
        await reranker.rerank(QUERY, TEXTS)
    (asked,) = server.asked
    assert asked.body == {"model": "rerank-test", "query": QUERY, "documents": TEXTS, "top_n": 3, "max_tokens_per_doc": 4096}


@pytest.mark.rule("rr-llm", "T14")
async def test_results_in_any_order_belong_to_their_index():
    """rr-llm, T14: the reply need not be sorted."""
    with cohere(rerank_reply([(2, 0.2), (0, 0.9), (1, 0.5)])) as (reranker, _):
        reply = await reranker.rerank(QUERY, TEXTS)
    assert reply.scores == [{"index": 0, "score": 0.9}, {"index": 1, "score": 0.5}, {"index": 2, "score": 0.2}]


@pytest.mark.rule("F18")
async def test_scores_near_nought_are_scores():
    """F18: 0.006 is what some models give to the best passage."""
    with cohere(rerank_reply([(0, 0.001), (1, 0.006), (2, 0.0)])) as (reranker, _):
        reply = await reranker.rerank(QUERY, TEXTS)
    assert reply.scores == [{"index": 1, "score": 0.006}, {"index": 0, "score": 0.001}, {"index": 2, "score": 0.0}]


@pytest.mark.rule("F18", "rr-llm")
@pytest.mark.parametrize(
    "reply",
    [
        Reply({"id": "r", "results": []}),
        rerank_reply([(0, 0.5), (1, 0.4)]),
        rerank_reply([(0, 0.5), (1, 0.4), (1, 0.3)]),
        rerank_reply([(0, 0.5), (1, 0.4), (7, 0.3)]),
        rerank_reply([(0, -11.0), (1, 0.4), (2, 11.0)]),
        rerank_reply([(0, float("nan")), (1, 0.4), (2, 0.1)]),
        Reply("nothing like JSON"),
        Reply({"unexpected": True}),
        Reply({"id": "r", "results": [{"index": 0}]}),
        Reply([]),
        Reply(""),
    ],
    ids=[
        "empty",
        "one missing",
        "one twice",
        "foreign index",
        "logits",
        "no number",
        "no JSON",
        "other form",
        "no score",
        "a list",
        "nothing",
    ],
)
async def test_scores_that_cannot_be_used_are_an_error_and_not_an_order(reply):
    """F18, rr-llm: a wrong count of scores, or another scale, never ranks anything."""
    with cohere(reply) as (reranker, _):
        with pytest.raises(ProviderReplyInvalid):
            await reranker.rerank(QUERY, TEXTS)


@pytest.mark.rule("F18")
async def test_a_wrong_key_is_rejected_at_once():
    """F18: 401 is no reason to try again, and no empty result."""
    with cohere(Reply({"message": "invalid api token"}, status=401)) as (reranker, server):
        with pytest.raises(ProviderRejected, match="refused the key"):
            await reranker.rerank(QUERY, TEXTS)
    assert len(server.asked) == 1


@pytest.mark.rule("F18")
async def test_a_server_that_hangs_is_unavailable_within_the_time():
    """F18: a time-out is an error of its own."""
    with cohere(Reply(hang=True), timeout_s=0.4) as (reranker, _):
        with pytest.raises(ProviderUnavailable, match=r"did not answer within 0\.4 s"):
            await reranker.rerank(QUERY, TEXTS)


@pytest.mark.rule("F18", "R13")
async def test_a_server_that_fails_once_is_asked_again():
    """F18, R13: 503, then the scores."""
    with cohere(Reply({"message": "busy"}, status=503)) as (reranker, server):
        assert len((await reranker.rerank(QUERY, TEXTS)).scores) == 3
    assert len(server.asked) == 2


@pytest.mark.rule("F18", "R13")
@pytest.mark.parametrize("fault", [Reply({"message": "broken"}, status=500), Reply({"message": "broken"}, cut=True)], ids=["500", "cut"])
async def test_a_server_that_goes_on_failing_is_unavailable(fault):
    """F18, R13: after three times it is down, whether it says so or hangs up in the middle of a reply."""
    with cohere(fault, fault, fault) as (reranker, server):
        with pytest.raises(ProviderUnavailable):
            await reranker.rerank(QUERY, TEXTS)
    assert len(server.asked) == 3


async def test_nobody_at_the_address_is_unavailable():
    with cohere() as (_, server):
        address = server.url
    with pytest.raises(ProviderUnavailable, match="cannot be reached"):
        await CohereReranker("rerank-test", count=count_words, api_key="key", base_url=address).rerank(QUERY, TEXTS)


@pytest.mark.rule("F27")
async def test_a_rate_limit_is_waited_for():
    """F27: Retry-After is honoured, then the scores come."""
    with cohere(Reply({"message": "slow down"}, status=429, headers={"retry-after": "0.05"})) as (reranker, server):
        assert len((await reranker.rerank(QUERY, TEXTS)).scores) == 3
    assert len(server.asked) == 2


async def test_asked_to_wait_longer_than_the_answer_may_take_it_gives_up_at_once():
    with cohere(Reply({"message": "slow down"}, status=429, headers={"retry-after": "60"})) as (reranker, server):
        with pytest.raises(ProviderRateLimited) as caught:
            await reranker.rerank(QUERY, TEXTS)
    assert caught.value.retry_after_s == 60
    assert len(server.asked) == 1


@pytest.mark.rule("rr-cross")
async def test_query_and_text_are_cut_by_tokens_to_what_the_model_reads():
    """rr-cross: 4,096 tokens for both; the query stays whole up to 2,048 of them."""
    with cohere() as (reranker, server):
        await reranker.rerank("why " * 3000, ["bolt " * 5000, "turn " * 2048, "short"])
    body = server.asked[0].body
    assert count_words(body["query"]) == 2048
    assert [count_words(text) for text in body["documents"]] == [2048, 2048, 1]


@pytest.mark.rule("T17")
@pytest.mark.parametrize(
    ("query", "texts"), [("トルクは？", ["torque"]), ("torque", ["bolt", "トルクは12Nmです"])], ids=["query", "passage"]
)
async def test_an_english_model_is_not_shown_another_script(query, texts):
    """T17: rerank-english-v3.0 would order Japanese worse than no model does."""
    with cohere(model="rerank-english-v3.0") as (reranker, server):
        with pytest.raises(ProviderRejected, match="reads English only"):
            await reranker.rerank(query, texts)
    assert server.asked == []


def test_without_key_and_address_the_error_names_the_variable_and_the_keyless_choice():
    with pytest.raises(MissingKey, match=r"COHERE_API_KEY.*TADORI_RERANKER unset"):
        CohereReranker("rerank-v3.5", count=count_words, api_key=None)
