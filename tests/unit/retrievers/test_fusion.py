"""The three fusions against numbers worked out by hand."""

import pytest

from retrievers.fusion import APART_LIFT, absolute, best_first, fetch_count, min_max, near, rrf, weighted


@pytest.mark.rule("core-hybrid")
def test_reciprocal_rank_counts_from_one_and_adds_the_arms():
    """core-hybrid: k is 60 and the first rank is 1."""
    assert rrf([["a", "b", "c"], ["c", "a"]]) == pytest.approx({"a": 1 / 61 + 1 / 62, "c": 1 / 63 + 1 / 61, "b": 1 / 62})


@pytest.mark.rule("core-hybrid")
def test_a_hit_of_one_arm_keeps_what_that_arm_gave_it():
    """core-hybrid: the other arm's silence adds nothing and takes nothing away."""
    assert rrf([["a"], []]) == rrf([["a"]]) == pytest.approx({"a": 0.016393442622950821})


@pytest.mark.rule("core-hybrid")
def test_an_id_that_a_ranking_repeats_counts_once():
    """core-hybrid: the arms' hits are one by id."""
    assert rrf([["a", "a", "b"]]) == pytest.approx({"a": 1 / 61, "b": 1 / 62})


def test_ties_are_broken_by_id():
    assert list(rrf([["b"], ["a"]])) == ["a", "b"]
    assert list(best_first({"z": 1.0, "y": 2.0, "x": 1.0})) == ["y", "x", "z"]


@pytest.mark.rule("ctx-hybrid", "T15")
def test_weighted_fusion_brings_both_scores_to_one_scale_first():
    """T15, ctx-hybrid: BM25 of 20 and a cosine of 0.9 are stretched to 0-1 before they are added."""
    fused = weighted({"a": 20.0, "b": 10.0, "c": 0.0}, {"a": 0.7, "b": 0.9, "c": 0.8}, (0.4, 0.6))
    assert fused == pytest.approx({"b": 0.4 * 0.5 + 0.6, "a": 0.4, "c": 0.6 * 0.5}, abs=1e-5)
    assert list(fused) == ["b", "a", "c"]


@pytest.mark.rule("ctx-hybrid")
def test_candidates_that_score_alike_do_not_divide_by_zero():
    """ctx-hybrid: +1e-6 keeps min-max finite."""
    assert min_max({"a": 5.0, "b": 5.0}) == {"a": 0.0, "b": 0.0}
    assert weighted({"a": 0.0}, {"a": 0.8}) == {"a": 0.0}
    assert min_max({}) == {}


@pytest.mark.rule("T18")
def test_normalising_keeps_the_order():
    """T18: a higher BM25 stays a higher share, whatever the range."""
    scores = {"rare": 9.3, "middling": 4.1, "common": 0.2}
    assert list(best_first(min_max(scores))) == ["rare", "middling", "common"]


@pytest.mark.rule("core-hybrid")
def test_absolute_fusion_is_the_weighted_share_plus_the_cosine():
    """core-hybrid: half of what the query can reach, at weight 0.3, adds 0.15."""
    assert absolute(5.0, 10.0, 0.8, 0.3) == pytest.approx(0.95)


def test_a_query_without_words_leaves_the_cosine():
    assert absolute(0.0, 0.0, 0.8, 0.3) == 0.8


@pytest.mark.rule("fetch")
@pytest.mark.parametrize(("fusion", "k", "fetch"), [("absolute", 10, 100), ("absolute", 200, 200), ("rrf", 10, 30), ("weighted", 200, 600)])
def test_each_arm_hands_over_enough_candidates(fusion, k, fetch):
    """fetch: 100 for absolute, three times k for the others, never fewer than k."""
    assert fetch_count(fusion, k) == fetch


GAINS = {"seal": 4.0, "pump": 2.0, "wear": 3.0, "early": 1.0, "often": 5.0}


@pytest.mark.rule("core-hybrid")
def test_near_is_the_share_of_neighbouring_words_that_are_neighbours_there_too():
    """core-hybrid: pairs count the lesser gain over their distance: 2/1 for seal pump, 2/1 for pump wear, 3/2 for seal wear."""
    query = ["seal", "pump", "wear"]
    assert near(query, ["seal", "pump"], GAINS) == pytest.approx(2 / 5.5)
    assert near(query, ["wear", "x", "seal"], GAINS) == pytest.approx(1.5 / 5.5)
    assert near(query, ["wear", "pump", "seal"], GAINS) == 1.0
    assert near(query, ["seal", "seal", "wear", "wear"], GAINS) == pytest.approx(1.5 / 5.5)


@pytest.mark.rule("core-hybrid")
def test_words_are_together_within_five_words_of_the_passage_and_three_of_the_query():
    """core-hybrid: the fifth word after one is still near it, the sixth is not; the fourth of the query no longer."""
    assert near(["seal", "pump"], ["seal", "a", "b", "c", "d", "pump"], GAINS) == 1.0
    assert near(["seal", "pump"], ["seal", "a", "b", "c", "d", "e", "pump"], GAINS) == 0.0
    assert near(["seal", "pump", "wear", "early"], ["seal", "early"], GAINS) == pytest.approx((1 / 3) / (2 + 1.5 + 1 / 3 + 2 + 1 / 2 + 1))
    assert near(["seal", "pump", "wear", "early", "often"], ["seal", "often"], GAINS) == 0.0


@pytest.mark.rule("core-hybrid")
def test_a_pair_of_which_the_passage_repeats_one_word_is_not_together():
    """core-hybrid: a word that the collection lacks counts in what could be reached, and is not found by its neighbour's repeats."""
    assert near(["pump", "often"], ["pump", "pump", "pump"], GAINS) == 0.0
    assert near(["seal", "pump", "often"], ["seal", "pump", "pump"], GAINS) == pytest.approx(2 / (2 + 4 / 2 + 2))


@pytest.mark.parametrize(
    ("query", "passage"), [([], ["seal"]), (["seal"], ["seal", "seal"]), (["seal", "pump"], []), (["seal", "pump"], ["seal"])]
)
def test_one_word_is_near_nothing(query, passage):
    assert near(query, passage, GAINS) == 0.0


@pytest.mark.rule("cjk", "core-hybrid")
def test_the_bigrams_of_a_japanese_word_stand_together():
    """cjk, core-hybrid: 部品交換 asked for and 部品の交換 written share the two words that both have, next to each other or not."""
    gains = {"部品": 2.0, "品交": 2.0, "交換": 2.0}
    assert near(["部品", "品交", "交換"], ["部品", "品交", "交換"], gains) == 1.0
    assert near(["部品", "品交", "交換"], ["部品", "の", "交換"], gains) == pytest.approx(1 / 5)


@pytest.mark.rule("core-hybrid")
def test_the_lift_of_another_script_is_less_than_all_words():
    """core-hybrid: a passage that cannot share the words is held to have most of them, never more than one that has them all."""
    assert 0 < APART_LIFT < 1
