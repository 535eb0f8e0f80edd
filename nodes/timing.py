"""Holds the steps that wait for something outside to the caller's deadline: what hangs is given up, and the turn goes on to its end.

Between the nodes and graphs/rag.py; the steps that ask a model have their deadline in nodes/structured.py.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from langgraph.runtime import Runtime

from nodes.budget import END_S, OPTIONAL, RESERVE_S, SKIPPED, SPENT, seconds_for, time_over
from nodes.context import Clock
from nodes.knobs import Knobs
from nodes.records import Step
from nodes.state import RagState, RagUpdate

Instead = Callable[[RagState], RagUpdate]


class Node(Protocol):
    """A step of the graph."""

    def __call__(self, state: RagState, runtime: Runtime[Knobs]) -> Awaitable[RagUpdate]: ...


def within_time(step: Step, node: Node, instead: Instead) -> Node:
    """`node`, given up where it would overrun the caller's deadline and not begun where the time is over; `instead` is its update then.

    While something was kept, enough time stays to quote from it. Without a deadline nothing changes.
    """

    async def timed(state: RagState, runtime: Runtime[Knobs]) -> RagUpdate:
        # A branch of parallel searches is sent its state as plain values.
        state = RagState(**state) if isinstance(state, dict) else state
        clock, reserve = Clock(step), RESERVE_S if state.kept else END_S
        if over := time_over(state, reserve):
            return _given_up(step, clock, "not begun", over, instead(state))
        try:
            async with asyncio.timeout(seconds_for(state, reserve)) as limit:
                return await node(state, runtime)
        except TimeoutError:
            if not limit.expired():
                raise
            return _given_up(step, clock, "given up", "the time that the caller allows is over", instead(state))

    return timed


def _given_up(step: Step, clock: Clock, decision: str, reason: str, update: RagUpdate) -> RagUpdate:
    key = SKIPPED if step in OPTIONAL else SPENT
    return {**update, "trail": [clock.event("limit", decision, reason, **{key: reason})]}


def nothing(state: RagState) -> RagUpdate:
    """A stage that was left out."""
    return {}


def no_passages(state: RagState) -> RagUpdate:
    """The query counts as tried."""
    return {"found": [{"place": state.place, "query": state.query, "passages": [], "no_answer": state.no_answer, "chunk_count": None}]}


def no_rewrite(state: RagState) -> RagUpdate:
    """The rewriting ends."""
    return {"rewrite_ended": True}


def no_pages(state: RagState) -> RagUpdate:
    """The one web try is used, and gave nothing to grade."""
    return {"web_tries": state.web_tries + 1, "passages": []}
