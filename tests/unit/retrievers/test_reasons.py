"""The reasons that are told of candidates and of named passages."""

from datetime import UTC, datetime

import pytest
from turns import passage

from retrievers.reasons import Found, candidates_of, decide, not_found, stated
from retrievers.request import Request
from retrievers.types import NO_FILTERS, Filters


def candidate(id, absolute=0.9, *, lexical=None, vector=None, **fields):
    scores = {"bm25": absolute * 10, "cosine": absolute, "fused": absolute}
    return passage(id, absolute=absolute, scores=scores, ranks={"lexical": lexical, "vector": vector}, **fields)


def found(fused, ordered=None, *, k=2, reranked=0, fetch=100, no_answer=0.6):
    request = Request("backups", k, "hybrid", None, None, NO_FILTERS)
    return Found(fused, ordered or fused, reranked, request, ("backup",), fetch, no_answer)


def told(*given, **more):
    return [(entry["id"], entry["kept"], entry["why"]) for entry in candidates_of(found(*given, **more))]


def test_hits_are_kept_and_the_others_are_below_k():
    assert told([candidate("a"), candidate("b"), candidate("c")]) == [
        ("a", True, "hit 1"),
        ("b", True, "hit 2"),
        ("c", False, "below k: rank 3 of 3, and k is 2"),
    ]


@pytest.mark.rule("no-answer")
def test_a_hit_below_the_threshold_is_listed_but_not_kept():
    """no-answer: both figures are shown."""
    assert told([candidate("a", 0.7), candidate("b", 0.5)])[1] == ("b", False, "hit 2, but below the no-answer threshold: 0.500 < 0.600")


@pytest.mark.rule("T10")
def test_a_passage_without_an_absolute_score_is_not_below_a_threshold():
    """T10: in a mode of one arm there is nothing that could be compared."""
    assert told([candidate("a", 0.7) | {"absolute": None}]) == [("a", True, "hit 1")]


def test_what_a_reranker_moved_says_from_where():
    a, b, c, d = (candidate(id) for id in "abcd")
    assert told([a, b, c, d], [b, c, a, d], reranked=3) == [
        ("b", True, "hit 1, up from 2 by the reranker"),
        ("c", True, "hit 2, up from 3 by the reranker"),
        ("a", False, "reranked down: rank 3 of 4, down from 1 by the reranker, and k is 2"),
        ("d", False, "below k: rank 4 of 4, and k is 2, and only the first 3 were reranked"),
    ]


@pytest.mark.rule("F18")
def test_a_rerankers_threshold_belongs_to_its_own_scale():
    """F18: the scale is named beside the figures."""
    low = candidate("a", reranked={"scale": "sigmoid", "score": 0.1, "threshold": 0.3, "parts": {}})
    assert told([low]) == [("a", False, "hit 1, but below the reranker's threshold: sigmoid 0.100 < 0.300")]


def test_the_last_candidate_of_an_arm_is_the_last_that_the_arm_itself_brought():
    """One that only the other arm brought has a score too, but did not make it there."""
    passages = [candidate("a", 0.9, lexical=1, vector=2), candidate("b", 0.8, vector=1), candidate("c", 0.7, lexical=3, vector=9)]
    assert found(passages, fetch=2).last() == {"bm25": 9.0, "cosine": 0.9}
    assert found([]).last() == {"bm25": None, "cosine": None}


def test_the_conditions_that_were_set_are_named():
    filters = Filters((("year", "2026"), ("kind", "memo")), since=datetime(2026, 1, 1, tzinfo=UTC))
    assert stated(filters, [True, True, False, True]) == [
        {"condition": "since 2026-01-01T00:00:00+00:00", "met": True},
        {"condition": "year=2026", "met": False},
        {"condition": "kind=memo", "met": True},
    ]


@pytest.mark.parametrize(
    ("scores", "why"),
    [
        ({"bm25": 0.0, "cosine": 0.7}, "it holds no word of the query; by meaning its cosine is 0.700, and the last candidate has 0.800"),
        ({"bm25": 1.5, "cosine": None}, "by words its bm25 is 1.500, and the last candidate has 2.000"),
    ],
)
def test_what_no_arm_brought_is_told_against_the_last_that_it_did(scores, why):
    assert decide(None, scores, {"bm25": 2.0, "cosine": 0.8}, []) == ("not_candidate", f"in neither arm's candidates: {why}")


def test_a_filter_that_is_not_met_comes_before_every_other_reason():
    conditions = [{"condition": "year=2026", "met": False}, {"condition": "kind=memo", "met": True}]
    assert decide(None, {"bm25": 0.0, "cosine": 0.7}, {"bm25": None, "cosine": None}, conditions) == (
        "filtered",
        "its document does not meet the filter year=2026",
    )


@pytest.mark.rule("F9")
def test_an_unknown_name_is_told_nothing_but_that():
    """F9: no figure, no condition, no word of what may not be read."""
    reason = not_found("x")
    assert {name for name, value in reason.items() if value and value != {"bm25": None, "cosine": None}} == {"name", "verdict", "why"}
    assert reason["why"] == "there is no passage 'x' here, or it may not be read: use an id that a search has shown"
