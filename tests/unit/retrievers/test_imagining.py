"""What imagined passages found joins what the query found, and every passage keeps the query's own score."""

import pytest
from turns import passage

from retrievers.imagining import joined


def ids(passages):
    return [found["id"] for found in passages]


@pytest.mark.rule("hyde")
def test_a_passage_of_both_rankings_comes_first():
    """hyde: by its places in both."""
    plain = [passage("a", absolute=0.9), passage("b", absolute=0.7)]
    imagined = [passage("b", absolute=1.2), passage("c", absolute=1.1)]
    found = joined(plain, imagined, [passage("c", absolute=0.4)], limit=5)
    assert ids(found) == ["b", "a", "c"]
    assert [one["absolute"] for one in found] == [0.7, 0.9, 0.4]
    assert [one.get("hypothetical") for one in found] == [1.2, None, 1.1]
    assert [one["score"] for one in found] == pytest.approx([1 / 61 + 1 / 62, 1 / 61, 1 / 62])


@pytest.mark.rule("hyde", "no-answer")
def test_a_passage_without_the_querys_own_score_is_left_out():
    """hyde, no-answer: nothing gets past the threshold by having no score."""
    assert ids(joined([passage("a")], [passage("gone")], [], limit=5)) == ["a"]


def test_no_more_come_back_than_were_asked_for():
    assert ids(joined([passage("a"), passage("b")], [passage("c")], [passage("c")], limit=2)) == ["a", "c"]


def test_a_search_of_one_arm_has_no_absolute_score_to_keep():
    found = joined([passage("a", absolute=None)], [passage("a", absolute=None)], [], limit=2)
    assert "hypothetical" not in found[0]
