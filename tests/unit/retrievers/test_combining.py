"""The combined order: base, model and recency on one scale before their weights."""

from datetime import UTC, datetime

import pytest

from retrievers.combining import combined, parts_of

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TODAY, HALF_A_YEAR_AGO, NEXT_YEAR = "2026-11-30T12:00:00+00:00", "2026-06-03T21:00:00+09:00", "2027-11-30T12:00:00+00:00"


@pytest.mark.rule("T15", "rr-combined")
def test_ranks_of_a_fusion_and_small_model_scores_are_spread_over_0_to_1_first():
    """T15, rr-combined: a reciprocal rank of 0.016 and a relevance of 0.006 weigh as much as any other best."""
    parts = parts_of([1 / 61, 1 / 62, 1 / 63], [0.001, 0.006, 0.001], [None, None, None], NOW)
    assert [part["model"] for part in parts] == [0.0, 1.0, 0.0]
    assert [round(part["base"], 3) for part in parts] == [1.0, 0.492, 0.0]


@pytest.mark.rule("rr-combined")
def test_the_weights_are_three_five_and_two_tenths():
    """rr-combined: .3 base, .5 model, .2 recency."""
    assert combined({"base": 1.0, "model": 0.0, "recency": 0.0}) == pytest.approx(0.3)
    assert combined({"base": 0.0, "model": 1.0, "recency": 0.0}) == pytest.approx(0.5)
    assert combined({"base": 0.0, "model": 0.0, "recency": 1.0}) == pytest.approx(0.2)


@pytest.mark.rule("rr-combined")
def test_recency_halves_in_180_days_and_no_date_is_in_the_middle():
    """rr-combined: the half-life is declared; a date in the future is today's."""
    dates = [TODAY, HALF_A_YEAR_AGO, None, NEXT_YEAR]
    recency = [part["recency"] for part in parts_of([1.0] * 4, [1.0] * 4, dates, NOW)]
    assert recency == pytest.approx([1.0, 0.5, 0.5, 1.0], abs=0.001)


def test_candidates_that_are_equal_in_a_part_are_all_its_best():
    assert [part["base"] for part in parts_of([0.7, 0.7], [0.2, 0.9], [None, None], NOW)] == [1.0, 1.0]


def test_nothing_has_no_parts():
    assert parts_of([], [], [], NOW) == []
