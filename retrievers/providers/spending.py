"""Keeps calls that run side by side within what may be spent together.

Used by names_chat.py. Each call takes its share before it is made and settles when it is over, so a limit is never overrun.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from retrievers.relevance import Spent
from retrievers.said import Most

RUNGS = 3
"""Calls that one question may cost: a model that replies nothing in one way of structured output is asked in the next."""
REPLY_TOKENS = 4096
"""Of one reply, as retrievers/providers/chat.py bounds it."""
LEAST_REPLY = 512
"""Of a reply that is worth asking for: the names of one text."""


class Purse:
    """`spent` is what has been spent so far and grows with each call. A purse is one event loop's, `spent` may be kept for longer."""

    def __init__(self, most: Most, spent: Spent) -> None:
        self._most = most
        self._spent = spent
        self._held: list[Most] = []
        self._first_come = asyncio.Lock()
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def share(self, prompt: int) -> AsyncIterator[Most | None]:
        """What one call whose prompt has so many tokens may spend, or None where too little is left.

        Waits for calls in flight whose shares hold back what this one needs, first come, first served.
        """
        async with self._first_come, self._changed:
            while (taken := self._room(prompt)) is None and self._held:
                await self._changed.wait()
            if taken is not None:
                self._held.append(taken)
        try:
            yield taken
        finally:
            if taken is not None:
                async with self._changed:
                    self._held.remove(taken)
                    self._changed.notify_all()

    def pay(self, spent: Spent) -> None:
        """Add what a call has cost; before its share is given back."""
        self._spent["calls"] += spent["calls"]
        self._spent["input_tokens"] += spent["input_tokens"]
        self._spent["output_tokens"] += spent["output_tokens"]
        if "cost_usd" in spent:
            self._spent["cost_usd"] = self._spent.get("cost_usd", 0.0) + spent["cost_usd"]

    def used_up(self) -> str:
        """Which limit ended it, in words."""
        if self._most.calls is not None and self._spent["calls"] >= self._most.calls:
            return f"the {self._most.calls} model calls that are allowed are used up"
        used = self._spent["input_tokens"] + self._spent["output_tokens"]
        return f"of the {self._most.tokens} tokens that are allowed {used} are used, and the next call may need more than are left"

    def _room(self, prompt: int) -> Most | None:
        calls = tokens = None
        if self._most.calls is not None:
            calls = min(RUNGS, self._most.calls - self._spent["calls"] - sum(held.calls or 0 for held in self._held))
        if self._most.tokens is not None:
            used = self._spent["input_tokens"] + self._spent["output_tokens"] + sum(held.tokens or 0 for held in self._held)
            tokens = min(prompt + REPLY_TOKENS, self._most.tokens - used)
        too_little = (calls is not None and calls < 1) or (tokens is not None and tokens < prompt + LEAST_REPLY)
        return None if too_little else Most(calls, tokens)
