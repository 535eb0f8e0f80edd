"""The choice between settings on made-up candidates."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from graphs.evals.pools import Pool, Scale, absolute_scores, best_absolute, make_pool, ranked
from graphs.evals.tuning import Asked, Measured, halves, tune, why_not_better
from retrievers.ranking import Ranking
from retrievers.types import Setting

PLAIN = Ranking(title=1.0, heading=1.0, code=1.0)
START = Setting("absolute", None, 0.5, PLAIN)
SCALE = Scale(weight=1.0, near=0.7, unrelated=0.0)


def candidate(name: str, share: float, cosine: float, *, ranks: tuple[int | None, int | None], **more: Any) -> Any:
    """A passage as a search of weight 1 gives it."""
    near = more.get("near", 0.0)
    return {
        "id": name,
        "document": more.get("document", name),
        "absolute": share + cosine + 0.7 * near,
        "scores": {"bm25": 10 * share, "cosine": cosine, "fused": 0.0, "near": near},
        "ranks": {"lexical": ranks[0], "vector": ranks[1]},
        "factors": more.get("factors", {}),
    }


def pool(*found: Any) -> Pool:
    return make_pool(found, SCALE)


WORDY = pool(candidate("gold", 0.1, 0.8, ranks=(2, 1)), candidate("wordy", 0.9, 0.2, ranks=(1, 2)))
"""By words alone the wrong passage leads."""


@dataclass(frozen=True)
class Row:
    """What has an id."""

    id: str


@pytest.mark.rule("per-corpus")
def test_the_halves_are_the_same_whatever_the_order() -> None:
    """per-corpus: no question is both tuned on and measured on, today or tomorrow."""
    rows = [Row(f"q{number}") for number in range(21)]
    one, other = halves(rows)
    assert (len(one), len(other)) == (10, 11)
    assert set(one).isdisjoint(other)
    assert halves(rows[::-1]) == (one, other)


def test_the_scores_of_another_weight_are_exact() -> None:
    found = pool(candidate("a", 0.5, 0.6, ranks=(1, 1), near=0.5), candidate("b", 0.2, 0.9, ranks=(2, 2)))
    assert absolute_scores(found, Ranking()).tolist() == pytest.approx([0.5 + 0.6 + 0.25, 0.2 + 0.9])
    assert absolute_scores(found, Ranking(lexical=2.0, near=1.0)).tolist() == pytest.approx([2 * (0.5 + 0.5) + 0.6, 2 * 0.2 + 0.9])
    assert best_absolute(found, START) == pytest.approx(1.35)


def test_every_fusion_orders_by_its_own_formula() -> None:
    found = pool(
        candidate("a", 1.0, 0.0, ranks=(1, None)), candidate("b", 0.5, 0.6, ranks=(2, 2)), candidate("c", 0.0, 0.8, ranks=(None, 1))
    )
    assert ranked(found, START) == ["b", "a", "c"]
    assert ranked(found, replace(START, fusion="rrf")) == ["b", "a", "c"]
    assert ranked(found, replace(START, fusion="weighted", weights=(0.2, 0.8))) == ["c", "b", "a"]
    assert ranked(found, replace(START, fusion="weighted", weights=(0.9, 0.1))) == ["a", "b", "c"]


def test_a_shallower_search_has_fewer_candidates() -> None:
    found = pool(candidate("far", 1.0, 1.0, ranks=(60, 70)), candidate("near", 0.1, 0.1, ranks=(1, 1)))
    assert ranked(found, START) == ["far", "near"]
    assert ranked(found, replace(START, ranking=replace(PLAIN, fetch=50))) == ["near"]


def test_factors_are_laid_on_where_the_search_saw_them() -> None:
    found = pool(candidate("titled", 0.3, 0.5, ranks=(1, 2), factors={"title": 1.5}), candidate("other", 0.3, 0.6, ranks=(2, 1)))
    assert ranked(found, START) == ["other", "titled"]
    assert ranked(found, replace(START, ranking=Ranking())) == ["titled", "other"]


def test_a_document_stands_where_its_best_passage_does() -> None:
    found = pool(
        candidate("1", 0.9, 0.5, ranks=(1, 1), document="x"),
        candidate("2", 0.8, 0.5, ranks=(2, 2), document="x"),
        candidate("3", 0.1, 0.5, ranks=(3, 3), document="y"),
    )
    assert ranked(found, START) == ["x", "y"]


@pytest.mark.rule("per-corpus", "no-answer")
def test_the_setting_that_ranks_the_gold_first_is_chosen() -> None:
    """per-corpus, no-answer: words mislead here, so they count less; the threshold goes with the scores."""
    chosen = tune([Asked({"gold": 1}, WORDY)] * 10, [], START)
    assert ranked(WORDY, chosen)[0] == "gold"
    assert chosen.ranking.lexical == 0.25
    assert chosen.no_answer == pytest.approx(0.1 * 0.25 + 0.8, abs=1e-4)


@pytest.mark.rule("per-corpus")
def test_a_gain_on_one_question_of_many_is_luck() -> None:
    """per-corpus: a setting moves for a gain that exceeds its own standard error."""
    good = pool(candidate("gold", 0.9, 0.9, ranks=(1, 1)), candidate("other", 0.1, 0.1, ranks=(2, 2)))
    chosen = tune([*[Asked({"gold": 1}, good)] * 11, Asked({"gold": 1}, WORDY)], [], START)
    assert replace(chosen, no_answer=START.no_answer) == START


def test_what_is_as_good_already_stays() -> None:
    good = pool(candidate("gold", 0.9, 0.9, ranks=(1, 1)), candidate("other", 0.1, 0.1, ranks=(2, 2)))
    chosen = tune([Asked({"gold": 1}, good)] * 10, [], START)
    assert replace(chosen, no_answer=START.no_answer) == START


def test_unanswerable_questions_give_a_curve() -> None:
    answered = [Asked({"gold": 1}, pool(candidate("gold", 0.5 + n / 100, 0.9, ranks=(1, 1)))) for n in range(20)]
    others = [pool(candidate("other", 0.1 + n / 100, 0.3, ranks=(1, 1))) for n in range(20)]
    chosen = tune(answered, others, START)
    assert chosen.no_answer == 1.41
    assert chosen.ranking.answer is not None
    assert 0.6 < chosen.ranking.answer[1] < 1.4


def test_a_curve_of_another_scale_is_not_kept() -> None:
    start = replace(START, ranking=replace(PLAIN, answer=(9.0, 1.0)))
    assert tune([Asked({"gold": 1}, WORDY)] * 10, [], start).ranking.answer is None


def measured(ndcg: float, answerable: tuple[float, ...], unanswerable: tuple[float, ...] = (), no_answer: float = 0.5) -> Measured:
    return Measured(ndcg, 1.0, 1.0, no_answer, answerable, unanswerable)


@pytest.mark.rule("per-corpus", "no-answer")
def test_better_is_a_higher_ndcg_that_keeps_as_many_answers() -> None:
    """per-corpus, no-answer: on the half that was not tuned on; threshold and ranking are judged together."""
    before = measured(0.7, (0.6, 0.7, 0.8, 0.9), (0.3, 0.4, 0.55))
    assert (before.kept, before.rejected) == (1.0, pytest.approx(2 / 3))
    assert why_not_better(before, measured(0.8, (0.6, 0.7, 0.8, 0.9), (0.3, 0.4, 0.55))) is None
    assert why_not_better(before, measured(0.7, (0.9,) * 4, (0.1,) * 3)) == "nDCG@10 on the other half is 0.7000, not above 0.7000"
    worse = why_not_better(before, measured(0.8, (0.35, 0.7, 0.8, 0.9), (0.3, 0.4, 0.55)))
    assert worse == "rejecting as many unanswerable questions as before it keeps 75.0% of the answerable ones, not 100.0%"


def test_without_unanswerable_questions_no_more_answers_may_be_lost() -> None:
    before = measured(0.7, (0.6, 0.7, 0.8, 0.9))
    assert why_not_better(before, measured(0.8, (0.6, 0.7, 0.8, 0.9))) is None
    assert why_not_better(before, measured(0.8, (0.4, 0.7, 0.8, 0.9))) == "it keeps 75.0% of the answerable questions, not 100.0%"
