"""The caller's budgets of time, model calls and tokens: what is left of them, and what is said where one ends a step.

Shared ground of the nodes. The gate puts the limits into the state, every step that would cost something looks here first.
"""

import time

from typing_extensions import TypedDict

from nodes.knobs import Knobs
from nodes.state import RagState

SPENT = "budget"
"""The key of an event's data by which `cite` knows that a caller's budget stopped a step."""


class Limits(TypedDict):
    """The fields of RagState that hold the caller's limits."""

    deadline: float | None
    call_limit: int | None
    token_limit: int | None


def limits(knobs: Knobs) -> Limits:
    """The limits of a turn that starts now."""
    deadline = None if knobs.deadline_s is None else time.time() + knobs.deadline_s
    return {"deadline": deadline, "call_limit": knobs.max_model_calls, "token_limit": knobs.max_tokens}


def seconds_left(state: RagState) -> float | None:
    """Until the caller's deadline, never below 0; None without one."""
    return None if state.deadline is None else max(0.0, state.deadline - time.time())


def spent(state: RagState) -> str:
    """Which budget is used up, in words; empty while a model may still be asked."""
    usage = state.usage
    if state.call_limit is not None and usage["calls"] >= state.call_limit:
        return f"the {state.call_limit} model calls that the caller allows are used up"
    if state.token_limit is not None and usage["input_tokens"] + usage["output_tokens"] >= state.token_limit:
        return f"the {state.token_limit} tokens that the caller allows are used up"
    if seconds_left(state) == 0.0:
        return "the time that the caller allows is over"
    return ""
