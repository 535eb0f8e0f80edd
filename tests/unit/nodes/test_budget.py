"""What is left of a caller's budgets, and what may still be begun with it."""

import asyncio
import time

import pytest
from langchain_core.messages import HumanMessage
from turns import passage, runtime, turn

from nodes.budget import RESERVE_S, allowance, estimated_tokens, limits, seconds_for, spent, stopped, tokens_left, unaffordable
from nodes.context import Clock
from nodes.knobs import Knobs
from nodes.timing import no_passages, no_rewrite, nothing, within_time

USED = {"calls": 2, "input_tokens": 90, "output_tokens": 10, "cost_usd": None}


def test_without_limits_everything_may_be_asked():
    state = turn(**limits(Knobs()))
    assert (spent(state), unaffordable(state, []), seconds_for(state, 1), tokens_left(state)) == ("", "", None, None)
    assert allowance(state, []) == allowance(turn(), [])


@pytest.mark.rule("limit")
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"call_limit": 2}, "the 2 model calls that the caller allows are used up"),
        ({"call_limit": 3}, ""),
        ({"token_limit": 100}, "the 100 tokens that the caller allows are used up"),
        ({"token_limit": 101}, ""),
        ({"deadline": 0.0}, "the time that the caller allows is over"),
    ],
)
def test_a_budget_that_is_used_up_is_named(fields, said):
    """limit: in words."""
    assert spent(turn(usage=USED, **fields)) == said


@pytest.mark.rule("limit")
def test_a_model_is_not_begun_in_the_reserve():
    """limit: that time is the end's."""
    assert spent(turn(deadline=time.time() + RESERVE_S / 2))
    assert not spent(turn(deadline=time.time() + RESERVE_S + 5))
    assert 4 < allowance(turn(deadline=time.time() + RESERVE_S + 5), []).seconds <= 5


def test_tokens_are_rather_over_than_underestimated():
    assert estimated_tokens([HumanMessage("four" * 10)]) == 10
    assert estimated_tokens([HumanMessage("観測室")]) == 3


@pytest.mark.rule("limit", "S14")
def test_a_prompt_that_the_tokens_do_not_suffice_for_is_not_sent():
    """limit, S14: its estimate and the shortest reply."""
    state = turn(usage=USED, token_limit=300)
    assert unaffordable(state, [HumanMessage("x" * 4 * 200)]).startswith("of the 300 tokens that the caller allows 200 are left")
    assert unaffordable(state, [HumanMessage("x" * 4 * 100)]) == ""
    assert allowance(state, [HumanMessage("x" * 4 * 100)]).tokens == 100


def test_an_optional_step_ends_nothing():
    event = Clock("hyde").event("limit", "skipped", "over", budget="over")
    assert stopped([event]) == ""
    assert stopped([event, Clock("grade").event("limit", "skipped", "the calls", budget="the calls")]) == "the calls"


async def slow(state, runtime):
    await asyncio.sleep(5)
    return {"rewrites": 1}


async def quick(state, runtime):
    return {"rewrites": 1}


async def own_timeout(state, runtime):
    raise TimeoutError("its own")


async def test_without_a_deadline_a_step_is_left_alone():
    assert await within_time("rewrite", quick, no_rewrite)(turn(), runtime()) == {"rewrites": 1}


@pytest.mark.rule("limit")
async def test_a_step_that_hangs_is_given_up_at_the_deadline():
    """limit: with an event that cite reads."""
    started = time.perf_counter()
    update = await within_time("rewrite", slow, no_rewrite)(turn(deadline=time.time() + 0.3), runtime())
    assert time.perf_counter() - started < 1
    assert update["rewrite_ended"] is True
    assert (update["trail"][0]["decision"], stopped(update["trail"])) == ("given up", "the time that the caller allows is over")


@pytest.mark.rule("limit")
async def test_a_step_is_not_begun_in_the_reserve_while_something_was_kept():
    """limit: the time to quote from it stays."""
    deadline = time.time() + RESERVE_S / 2
    kept = await within_time("retrieve", quick, no_passages)(turn(deadline=deadline, kept=[passage()]), runtime())
    assert kept["trail"][0]["decision"] == "not begun"
    assert kept["found"][0]["passages"] == []
    assert await within_time("retrieve", quick, no_passages)(turn(deadline=deadline), runtime()) == {"rewrites": 1}


async def test_an_optional_step_that_is_given_up_is_skipped():
    update = await within_time("hyde", slow, nothing)(turn(deadline=time.time() + 0.2), runtime())
    assert update["trail"][0]["data"] == {"skipped": "the time that the caller allows is over"}


async def test_a_timeout_of_the_steps_own_is_no_budget():
    with pytest.raises(TimeoutError, match="its own"):
        await within_time("retrieve", own_timeout, no_passages)(turn(deadline=time.time() + 5), runtime())
