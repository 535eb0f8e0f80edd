"""The walk over passages and entities, beside what can be worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.walking import Link, rarity, walk, weight


def link(passage: str, entity: str, passages: int = 2, *, titled: bool = False) -> Link:
    return Link(passage, entity, passages, titled)


@pytest.mark.rule("kg")
def test_what_shares_an_entity_with_a_seed_is_reached_and_what_shares_none_is_not():
    """kg: one step over the entity that both hold."""
    ranks = walk([link("film", "director"), link("biography", "director"), link("recipe", "flour")], {"film": 1.0}, 100)
    assert ranks["biography"] > 0
    assert ranks["recipe"] == 0


@pytest.mark.rule("kg")
def test_two_steps_lead_further_but_weigh_less():
    """kg: several hops."""
    links = [link("film", "director"), link("biography", "director"), link("biography", "town"), link("history", "town")]
    ranks = walk(links, {"film": 1.0}, 100)
    assert ranks["biography"] > ranks["history"] > 0


@pytest.mark.rule("kg")
def test_a_rare_entity_binds_closer_than_a_common_one():
    """kg: of two passages the one that shares the rarer name comes first."""
    links = [link("film", "director", 2), link("film", "country", 50), link("biography", "director", 2), link("atlas", "country", 50)]
    ranks = walk(links, {"film": 1.0}, 100)
    assert ranks["biography"] > ranks["atlas"]


@pytest.mark.rule("kg")
def test_a_passage_that_an_entity_is_the_title_of_is_closer_than_one_that_mentions_it():
    """kg: from the film to the page about the director."""
    links = [link("film", "director", 3), link("biography", "director", 3, titled=True), link("gossip", "director", 3)]
    ranks = walk(links, {"film": 1.0}, 100)
    assert ranks["biography"] > ranks["gossip"]


def test_the_ranks_are_those_of_the_textbook():
    """Two passages that share one entity: the seed keeps 1 / (1 + d/2 ...) in the limit, worked out by hand."""
    ranks = walk([link("a", "x"), link("b", "x")], {"a": 1.0}, 100)
    # a = .15 + .85 * (a + b) / 2 and b = .85 * (a + b) / 2, with a + b = 1.
    assert ranks["a"] == pytest.approx(0.575, abs=1e-6)
    assert ranks["b"] == pytest.approx(0.425, abs=1e-6)


def test_rarity_is_one_for_an_entity_of_one_passage_and_zero_for_one_of_all():
    assert rarity(1, 100) == 1.0
    assert rarity(100, 100) == 0.0
    assert rarity(10, 100) == pytest.approx(0.5)
    assert rarity(1, 1) == 0.0


def test_a_title_weighs_half_as_much_again():
    assert weight(link("a", "x", 10, titled=True), 100) == pytest.approx(0.75)


@pytest.mark.parametrize("seeds", [{}, {"a": 0.0}])
def test_without_seeds_there_is_no_walk(seeds):
    assert walk([link("a", "x")], seeds, 100) == {}


def test_a_seed_without_entities_stays_where_it_is():
    assert walk([], {"a": 1.0}, 100)["a"] == pytest.approx(0.15)


links = st.lists(st.builds(Link, st.sampled_from("abcd"), st.sampled_from("xyz"), st.integers(1, 20), st.booleans()), max_size=12)
seeds = st.dictionaries(st.sampled_from("abe"), st.floats(0, 1), max_size=3)


@given(links, seeds)
def test_ranks_are_shares_of_one(given_links, given_seeds):
    """Whatever the links: finite, none below 0, at most 1 together."""
    ranks = walk(given_links, given_seeds, 20)
    assert all(math.isfinite(rank) and rank >= 0 for rank in ranks.values())
    assert sum(ranks.values()) <= 1 + 1e-9
