"""Calls side by side stay within what they may spend together."""

import asyncio

import pytest

from retrievers.providers.spending import LEAST_REPLY, REPLY_TOKENS, Purse
from retrievers.said import Most


def nothing():
    return {"calls": 0, "input_tokens": 0, "output_tokens": 0}


async def spend(most, calls):
    """How many of so many calls at once were made, and what they spent."""
    spent, made = nothing(), 0
    purse = Purse(most, spent)

    async def call():
        nonlocal made
        async with purse.share(100) as share:
            if share is None:
                return
            made += 1
            await asyncio.sleep(0)
            purse.pay({"calls": 1, "input_tokens": 100, "output_tokens": 50})

    await asyncio.gather(*(call() for _ in range(calls)))
    return made, spent


@pytest.mark.rule("kg")
async def test_without_a_limit_every_call_is_made():
    """kg: and counted."""
    made, spent = await spend(Most(), 20)
    assert (made, spent["calls"], spent["input_tokens"]) == (20, 20, 2000)


@pytest.mark.rule("kg")
@pytest.mark.parametrize("limit", [1, 2, 7, 20])
async def test_as_many_calls_are_made_as_are_allowed(limit):
    """kg: what a call did not need of its share is there for the next."""
    assert (await spend(Most(calls=limit), 20))[0] == min(limit, 20)


@pytest.mark.rule("kg")
@pytest.mark.parametrize("limit", [1, 4, 8, 9])
async def test_a_call_that_needs_all_its_ways_of_asking_does_not_overrun(limit):
    """kg: three replies for one question, fewer near the limit."""
    spent = nothing()
    purse = Purse(Most(calls=limit), spent)

    async def call():
        async with purse.share(100) as share:
            if share is not None:
                await asyncio.sleep(0)
                purse.pay({"calls": share.calls or 0, "input_tokens": 1, "output_tokens": 1})

    await asyncio.gather(*(call() for _ in range(20)))
    assert spent["calls"] == limit


@pytest.mark.rule("kg")
@pytest.mark.parametrize("limit", [0, 100, 611, 612, 5_000, 20_000])
async def test_tokens_are_never_overrun_whatever_the_replies(limit):
    """kg: a reply as long as the share allows is the worst."""
    spent = nothing()
    purse = Purse(Most(tokens=limit), spent)

    async def call():
        async with purse.share(100) as share:
            if share is not None:
                await asyncio.sleep(0)
                purse.pay({"calls": 1, "input_tokens": 100, "output_tokens": (share.tokens or 0) - 100})

    await asyncio.gather(*(call() for _ in range(20)))
    assert spent["input_tokens"] + spent["output_tokens"] <= limit
    assert (spent["calls"] > 0) == (limit >= 100 + LEAST_REPLY)
    assert spent["output_tokens"] <= spent["calls"] * REPLY_TOKENS


@pytest.mark.rule("kg")
async def test_those_that_wait_are_served_in_order():
    """kg: what is read ends where the limit is reached, without a gap."""
    purse, order = Purse(Most(tokens=100 + LEAST_REPLY + 400), nothing()), []

    async def call(number):
        async with purse.share(100) as share:
            if share is not None:
                order.append(number)
                await asyncio.sleep(0)
                purse.pay({"calls": 1, "input_tokens": 50, "output_tokens": 50})

    await asyncio.gather(*(call(number) for number in range(10)))
    assert order == [0, 1, 2, 3, 4]


@pytest.mark.rule("kg")
async def test_a_call_that_is_given_up_gives_its_share_back():
    """kg: an error in a call does not hold up those that wait."""
    purse = Purse(Most(calls=1), nothing())
    with pytest.raises(ValueError, match="broken"):
        async with purse.share(1):
            raise ValueError("broken")
    async with purse.share(1) as share:
        assert share == Most(calls=1)


@pytest.mark.rule("kg")
async def test_costs_are_added_where_a_price_is_set():
    """kg: and absent where none is."""
    spent = nothing()
    purse = Purse(Most(), spent)
    purse.pay({"calls": 1, "input_tokens": 1, "output_tokens": 1})
    assert "cost_usd" not in spent
    purse.pay({"calls": 1, "input_tokens": 1, "output_tokens": 1, "cost_usd": 0.5})
    purse.pay({"calls": 1, "input_tokens": 1, "output_tokens": 1, "cost_usd": 0.25})
    assert spent["cost_usd"] == 0.75
