"""What parallel searches found becomes one ranking, the same whatever order they end in."""

import itertools

import pytest
from langgraph.types import Overwrite
from turns import passage, runtime, turn

from nodes.fuse import fuse, fused
from nodes.records import gather


def found(place, *names, query=None, no_answer=0.6):
    passages = [passage(name, absolute=score) for name, score in names]
    return {"place": place, "query": query or f"q{place}", "passages": passages, "no_answer": no_answer, "chunk_count": 9}


async def test_one_search_is_handed_on_as_it_is():
    update = await fuse(turn(found=[found(0, ("a", 0.9), ("b", 0.7))]), runtime())
    assert [entry["id"] for entry in update["passages"]] == ["a", "b"]
    assert (update["no_answer"], update["chunk_count"], update["tried"], update["found"]) == (0.6, 9, ["q0"], Overwrite([]))
    assert "trail" not in update


@pytest.mark.rule("q-decompose", "core-hybrid")
async def test_a_passage_that_more_searches_found_comes_first_with_its_best_score():
    """q-decompose, core-hybrid: reciprocal rank, by id."""
    searches = [found(0, ("a", 0.7), ("b", 0.6)), found(1, ("b", 0.9), ("c", 0.8))]
    update = await fuse(turn(found=searches), runtime())
    assert [(entry["id"], entry["absolute"]) for entry in update["passages"]] == [("b", 0.9), ("a", 0.7), ("c", 0.8)]
    assert update["tried"] == ["q0", "q1"]
    assert update["trail"][0]["data"]["queries"] == ["q0", "q1"]


@pytest.mark.rule("q-decompose")
def test_the_best_passage_of_each_part_stays_however_few_are_wanted():
    """q-decompose: both sides of a comparison are there."""
    searches = [found(0, ("a", 0.9), ("b", 0.9), ("x", 0.9)), found(1, ("b", 0.9), ("a", 0.9)), found(2, ("c", 0.8))]
    assert [entry["id"] for entry in fused(searches, top_k=2)] == ["a", "b", "c"]


@pytest.mark.rule("hyde")
def test_the_score_with_an_imagined_passage_is_kept_whichever_copy_is_the_best():
    """hyde: the model may judge it by that score."""
    plain, imagined = found(0, ("a", 0.9)), found(1, ("a", 0.4))
    imagined["passages"][0]["hypothetical"] = 1.2
    for searches in ([plain, imagined], [imagined, plain]):
        merged = fused(searches, top_k=5)
        assert [(entry["absolute"], entry["hypothetical"]) for entry in merged] == [(0.9, 1.2)]


@pytest.mark.rule("T1")
def test_the_order_in_which_branches_end_changes_nothing():
    """T1: the reducer sorts by place."""
    parts = [[found(place, (name, 0.9))] for place, name in enumerate("abc")]
    for order in itertools.permutations(parts):
        merged = []
        for part in order:
            merged = gather(merged, part)
        assert [entry["place"] for entry in merged] == [0, 1, 2]
