"""The reranking stage: it reorders, keeps what it is told, and on any failure leaves the order and says so."""

import asyncio
from datetime import UTC, datetime

import pytest
from turns import passage

from retrievers.errors import ConfigurationError, ProviderRejected, ProviderUnavailable
from retrievers.providers.fakes import FixedReranker
from retrievers.relevance import Reranked
from retrievers.reranking import Reranking, Threshold

NOW = datetime(2026, 11, 30, tzinfo=UTC)
THREE = [passage(name, f"text {name}", absolute=0.9 - 0.1 * number) for number, name in enumerate("abc")]


def nothing_yet():
    return {"degraded": []}


async def applied(reranker, passages=THREE, **given):
    result = nothing_yet()
    return await Reranking(reranker, **given).apply("q", list(passages), result), result


def ids(passages):
    return [entry["id"] for entry in passages]


class Replying(FixedReranker):
    """Gives the reply it was given."""

    def __init__(self, *scores, scale="relevance", spent=None):
        super().__init__()
        self._reply = Reranked(scale, [{"index": index, "score": score} for index, score in scores], spent)

    async def rerank(self, query, texts):
        return self._reply


class Hanging(FixedReranker):
    """Never answers."""

    async def rerank(self, query, texts):
        await asyncio.sleep(60)


@pytest.mark.rule("rr-cross", "T14")
async def test_the_best_score_comes_first_and_ties_keep_their_order():
    """rr-cross, T14: by index; the fused score stays beside the new one, with the name of its scale."""
    found, result = await applied(FixedReranker({"text c": 0.9, "text a": 0.2, "text b": 0.2}))
    assert ids(found) == ["c", "a", "b"]
    assert (found[0]["score"], found[0]["scores"]["fused"]) == (0.9, pytest.approx(0.7))
    assert found[0]["reranked"] == {"scale": "relevance", "score": 0.9, "threshold": None, "parts": {}}
    assert result == nothing_yet()


async def test_it_reads_title_and_headings_before_the_text():
    reranker = FixedReranker()
    await applied(reranker, [passage("a", "text", title="Operations", heading_path=["Operations", "Backups"]), passage("b", "b", title="")])
    assert reranker.texts == ["Operations > Backups\ntext", "Backups\nb"]


@pytest.mark.rule("T16")
@pytest.mark.parametrize("number", [1, 2])
async def test_few_passages_are_scored_like_many(number):
    """T16: nothing is skipped because nothing would be dropped, so the threshold always has a score."""
    found, _ = await applied(FixedReranker({"text a": 0.1}), THREE[:number], threshold=Threshold("relevance", 0.5))
    assert [entry["reranked"]["threshold"] for entry in found] == [0.5] * number


async def test_a_threshold_travels_with_the_score_and_drops_nothing_here():
    found, _ = await applied(FixedReranker({"text c": 0.9}), threshold=Threshold("relevance", 0.5))
    assert [(entry["id"], entry["reranked"]["score"]) for entry in found] == [("c", 0.9), ("a", 0.0), ("b", 0.0)]


@pytest.mark.rule("F18")
async def test_a_threshold_on_another_scale_is_refused_and_never_compared():
    """F18: 0.3 of relevance is no 0.3 of a sigmoid, and the operator has to know."""
    with pytest.raises(
        ConfigurationError, match=r"is on the scale 'relevance', but 'fixed' scores on 'sigmoid': set one as sigmoid:NUMBER"
    ):
        await applied(FixedReranker(scale="sigmoid"), threshold=Threshold("relevance", 0.3))


@pytest.mark.rule("F18")
async def test_scores_of_six_thousandths_are_an_order_and_cost_no_passage():
    """F18: small scores are no verdict."""
    found, result = await applied(Replying((0, 0.001), (1, 0.006), (2, 0.002)))
    assert ids(found) == ["b", "c", "a"]
    assert result == nothing_yet()


@pytest.mark.rule("F18", "core-pipeline", "rr-llm")
@pytest.mark.parametrize(
    ("reranker", "cause"),
    [
        (FixedReranker(error=ProviderRejected("401")), "401"),
        (FixedReranker(error=ProviderUnavailable("500")), "500"),
        (Hanging(), "no reply within 0.05 s"),
        (Replying(), "0 scores for 3 passages"),
        (Replying((0, 0.5), (1, 0.5)), "2 scores for 3 passages"),
        (Replying((0, 0.5), (0, 0.5), (0, 0.5)), "3 scores for 3 passages, or not one for each"),
        (Replying((0, 0.5), (1, 0.5), (2, 0.5), (3, 0.5)), "4 scores for 3 passages"),
        (Replying((0, -11.0), (1, 0.5), (2, 11.0)), "outside 0-1"),
        (Replying((0, float("nan")), (1, 0.5), (2, 0.5)), "outside 0-1"),
    ],
    ids=["401", "500", "time-out", "none", "too few", "one thrice", "too many", "logits", "no number"],
)
async def test_a_failure_leaves_the_order_and_every_passage_and_says_so(reranker, cause):
    """F18, core-pipeline, rr-llm: it never looks like nothing relevant."""
    found, result = await applied(reranker, timeout_s=0.05)
    assert found == THREE
    ((what, instead),) = result["degraded"]
    assert what.startswith("reranker fixed: ")
    assert cause in what
    assert instead == "the passages keep the order of the fusion"


async def test_loading_is_not_part_of_the_time_a_query_has():
    class Slow(FixedReranker):
        async def prepare(self):
            await asyncio.sleep(0.2)

    found, result = await applied(Slow({"text c": 1.0}), timeout_s=0.1)
    assert (ids(found)[0], result["degraded"]) == ("c", [])


@pytest.mark.rule("T15", "rr-combined")
async def test_the_combined_order_weighs_three_parts_and_keeps_them():
    """T15, rr-combined: the passage that the model and the calendar prefer overtakes the fusion's best."""
    old, new = {"modified": "2020-01-01T00:00:00+00:00"}, {"modified": "2026-11-30T00:00:00+00:00"}
    passages = [passage("a", "text a", absolute=0.032, **old), passage("b", "text b", absolute=0.016, **new)]
    found, _ = await applied(FixedReranker({"text a": 0.001, "text b": 0.006}), passages, combine=True, now=lambda: NOW)
    assert [(entry["id"], round(entry["score"], 3)) for entry in found] == [("b", 0.7), ("a", 0.3)]
    assert found[0]["reranked"] == {
        "scale": "relevance",
        "score": 0.006,
        "threshold": None,
        "parts": {"base": 0.0, "model": 1.0, "recency": 1.0},
    }


@pytest.mark.rule("rr-combined")
async def test_a_combined_order_without_its_model_is_the_base_order():
    """rr-combined: no recency without the model either."""
    found, result = await applied(Hanging(), combine=True, timeout_s=0.05)
    assert found == THREE
    assert result["degraded"][0][0].startswith("reranker combined:fixed: ")


async def test_what_a_chat_model_spent_is_counted():
    spent = {"calls": 1, "input_tokens": 900, "output_tokens": 40}
    _, result = await applied(Replying((0, 0.5), (1, 0.5), (2, 0.5), spent=spent))
    assert result["spent"] == spent
