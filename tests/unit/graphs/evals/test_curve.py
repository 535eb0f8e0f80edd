"""Thresholds and curves from made-up scores."""

import numpy as np
import pytest
from scipy.optimize import minimize

from graphs.evals.curve import fit_curve, share_above, targets_of, threshold

RANDOM = np.random.default_rng(3)
ANSWERABLE = RANDOM.normal(1.0, 0.08, 300).tolist()
UNANSWERABLE = RANDOM.normal(0.85, 0.06, 120).tolist()


@pytest.mark.rule("no-answer", "per-corpus")
def test_the_threshold_keeps_nineteen_in_twenty() -> None:
    """no-answer, per-corpus: of 40 questions two may fall below it, and no more."""
    scores = [0.5, 0.6, *(0.8 + number / 1000 for number in range(38))]
    limit = threshold(scores)
    assert limit == 0.8
    assert sum(score >= limit for score in scores) == 38


def test_few_questions_are_all_kept() -> None:
    assert threshold([0.81239, 0.9, 0.95]) == 0.8123


def test_a_question_that_found_nothing_is_one_of_those_that_may_be_lost() -> None:
    scores = [float("-inf"), 0.6, *(0.8 + number / 1000 for number in range(38))]
    assert threshold(scores) == 0.8
    assert share_above(scores, 0.8) == 0.95
    assert threshold([float("-inf"), 0.7, 0.9]) == 0.7


@pytest.mark.rule("no-answer")
def test_the_curve_equals_scipys_optimum() -> None:
    """no-answer: Newton's method finds the likelihood's maximum."""
    fitted = fit_curve(ANSWERABLE, UNANSWERABLE)
    scores = np.array([*ANSWERABLE, *UNANSWERABLE])
    high, low = targets_of(300, 120)
    targets = np.array([high] * 300 + [low] * 120)

    def loss(parameters: np.ndarray) -> float:
        logits = parameters[0] * (scores - parameters[1])
        return float((np.logaddexp(0, logits) - targets * logits).sum())

    other = minimize(loss, np.array([10.0, 0.9]), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000})
    assert fitted == pytest.approx(tuple(other.x), rel=1e-5)


def test_scores_without_overlap_have_a_curve_all_the_same() -> None:
    fitted = fit_curve([0.9, 0.91, 0.92] * 5, [0.6, 0.61, 0.62] * 5)
    assert fitted is not None
    assert np.isfinite(fitted).all()
    assert 0.62 < fitted[1] < 0.9


def test_too_few_questions_equal_scores_and_scores_the_wrong_way_have_no_curve() -> None:
    assert fit_curve(ANSWERABLE, UNANSWERABLE[:9]) is None
    assert fit_curve([0.5] * 20, [0.5] * 20) is None
    assert fit_curve(UNANSWERABLE, ANSWERABLE) is None
