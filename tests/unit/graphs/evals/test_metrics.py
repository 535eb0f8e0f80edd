"""The metrics against ir-measures, and AUROC against a case counted by hand."""

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import RR, R, nDCG

from graphs.evals.metrics import all_gold, auroc, collapse, ndcg, recall, reciprocal_rank

documents = st.sampled_from([f"d{number}" for number in range(30)])


@pytest.mark.rule("T25", "golden")
@settings(max_examples=150, deadline=None)
@given(st.lists(documents, unique=True, max_size=30), st.dictionaries(documents, st.integers(1, 3), min_size=1, max_size=12))
def test_metrics_equal_ir_measures(ranking, gold):
    """T25, golden: nDCG, recall and reciprocal rank agree with ir-measures on any ranking and graded gold."""
    run = {"q": {item: float(len(ranking) - place) for place, item in enumerate(ranking)}}
    theirs = {}
    for measure in (nDCG @ 10, R @ 5, R @ 10, R @ 100, RR @ 10):
        per_query = list(ir_measures.iter_calc([measure], {"q": dict(gold)}, run))
        theirs[str(measure)] = per_query[0].value if ranking else 0.0
    ours = {
        "nDCG@10": ndcg(ranking, gold, 10),
        "R@5": recall(ranking, gold, 5),
        "R@10": recall(ranking, gold, 10),
        "R@100": recall(ranking, gold, 100),
        "RR@10": reciprocal_rank(ranking, gold, 10),
    }
    assert ours == pytest.approx(theirs)


@pytest.mark.rule("T25")
def test_a_hit_at_rank_four_counts_a_quarter():
    """T25: a real rank, not 1.0 for any hit."""
    assert reciprocal_rank(["a", "b", "c", "gold"], {"gold": 1}, 10) == 0.25
    assert reciprocal_rank(["a"] * 10 + ["gold"], {"gold": 1}, 10) == 0.0


def test_all_gold_needs_every_document():
    assert all_gold(["a", "b", "x"], {"a": 1, "b": 1}, 10) == 1.0
    assert all_gold(["a", "x"], {"a": 1, "b": 1}, 10) == 0.0
    assert all_gold(["a", "x", "b"], {"a": 1, "b": 1}, 2) == 0.0
    assert all_gold(["a"], {}, 10) == 0.0


def test_auroc_counts_pairs_and_half_of_the_ties():
    """Pairs of (0.9, 0.5, 0.5) with (0.5, 0.1): three above, two ties, above again: (1 + 1 + .5 + 1 + .5 + 1) / 6."""
    assert auroc([0.9, 0.5, 0.5], [0.5, 0.1]) == pytest.approx(5 / 6)
    assert auroc([1.0], [0.0]) == 1.0
    assert auroc([0.0], [1.0]) == 0.0
    assert auroc([0.5], [0.5]) == 0.5
    assert auroc([0.2, float("-inf")], [float("-inf")]) == 0.75


def test_auroc_of_nothing_is_unknown():
    assert auroc([], [0.1]) is None
    assert auroc([0.1], []) is None


@given(st.lists(st.integers(0, 9), min_size=1), st.lists(st.integers(0, 9), min_size=1))
def test_auroc_equals_the_count_of_pairs(positives, negatives):
    pairs = [(left > right) + 0.5 * (left == right) for left in positives for right in negatives]
    assert auroc(positives, negatives) == pytest.approx(sum(pairs) / len(pairs))


@pytest.mark.rule("mm-pipeline")
def test_a_document_stands_where_its_best_chunk_stands():
    """mm-pipeline: chunks of one document count once, the best of them."""
    assert collapse(["b", "a", "b", "c", "a"]) == ["b", "a", "c"]
