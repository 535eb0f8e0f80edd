"""Every route of the graph, and its budgets."""

import itertools
from typing import get_args

import pytest
from turns import passage, runtime, turn

from graphs.edges import (
    AfterGrade,
    AfterRewrite,
    after_gate,
    after_generate,
    after_grade,
    after_rewrite,
    next_after_grade,
    next_after_rewrite,
)


@pytest.mark.rule("T5", "adaptive")
def test_a_skipped_turn_is_neither_graded_nor_cited():
    """T5, adaptive: straight to the end."""
    assert after_gate(turn(retrieve=False)) == "generate"
    assert after_generate(turn(retrieve=False)) == "__end__"
    assert after_gate(turn()) == "route"
    assert after_generate(turn()) == "cite"


@pytest.mark.rule("T2", "self-rag")
@pytest.mark.parametrize("others", range(5))
def test_one_kept_passage_of_any_number_is_enough(others):
    """T2, self-rag: the share of dropped passages never overrides a kept one."""
    passages = [passage(str(number)) for number in range(others + 1)]
    assert next_after_grade(turn(passages=passages, kept=passages[:1])) == "generate"


@pytest.mark.rule("T2")
@pytest.mark.parametrize("count", [0, 1, 5])
def test_nothing_kept_is_never_answered_at_once(count):
    """T2: 0 of 0 and 0 of 1 do not go straight to generate."""
    assert next_after_grade(turn(passages=[passage(str(number)) for number in range(count)])) == "rewrite"


@pytest.mark.rule("T4", "crag", "F1")
@pytest.mark.parametrize(
    ("state", "goes"),
    [
        ({}, "rewrite"),
        ({"rewrites": 1}, "rewrite"),
        ({"rewrites": 2}, "web_search"),
        ({"rewrites": 1, "rewrite_ended": True}, "web_search"),
        ({"rewrites": 2, "web_tries": 1}, "generate"),
        ({"rewrites": 0, "web_tries": 1}, "generate"),
    ],
)
def test_two_rewrites_one_web_try_then_the_end(state, goes):
    """T4, crag, F1: counted in the state."""
    assert next_after_grade(turn(**state)) == goes


def test_an_ended_rewrite_goes_on_to_the_web_and_then_to_the_end():
    assert next_after_rewrite(turn()) == "retrieve"
    assert next_after_rewrite(turn(rewrite_ended=True)) == "web_search"
    assert next_after_rewrite(turn(rewrite_ended=True, web_tries=1)) == "generate"


def test_the_callers_knobs_lower_the_budgets():
    assert after_grade(turn(), runtime(max_rewrites=0)) == "web_search"
    assert after_grade(turn(rewrites=2), runtime(web=False)) == "generate"
    assert after_rewrite(turn(rewrite_ended=True), runtime(web=False)) == "generate"
    assert after_grade(turn(), runtime()) == "rewrite"
    assert after_rewrite(turn(), runtime()) == "retrieve"


@pytest.mark.rule("limit", "F1")
def test_every_state_has_a_next_step_and_every_walk_ends():
    """limit, F1: from any state with nothing kept, the end is at most five decisions away."""
    for rewrites, ended, web in itertools.product(range(4), (False, True), range(3)):
        state, steps = turn(rewrites=rewrites, rewrite_ended=ended, web_tries=web), 0
        while (goes := next_after_grade(state)) != "generate":
            assert goes in get_args(AfterGrade)
            if goes == "rewrite":
                state.rewrites += 1
                assert next_after_rewrite(state) in get_args(AfterRewrite)
            else:
                state.web_tries += 1
            steps += 1
        assert steps <= 3
