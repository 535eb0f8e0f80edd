"""The caller's budgets of time, model calls and tokens: what is left of them, and what is said where one ends a step.

Shared ground of the nodes. The gate puts the limits into the state, every step that would cost something looks here first.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage
from typing_extensions import TypedDict

from nodes.knobs import Knobs
from nodes.records import Step, TrailEvent
from nodes.state import RagState

SPENT = "budget"
"""The key of an event's data by which `cite` knows that a caller's budget stopped a step."""

SKIPPED = "skipped"
"""The key in its place where the step was optional: the turn goes on without it, and is no shorter for it."""

OPTIONAL: frozenset[Step] = frozenset({"hyde", "decompose", "clarify", "knowledge_graph"})
"""Steps whose absence ends nothing."""

RESERVE_S = 1.0
"""Kept back from a model's time for the end without it: quoting embeds nine short texts, 0.2 s, and a busy machine takes longer."""

END_S = 0.1
"""Kept back from everything else: writing down that nothing was found takes milliseconds."""

CORE_CALLS = 2
"""Judging the passages and writing the answer: what no optional stage may take the calls of."""

LEAST_REPLY = 48
"""Tokens of the shortest useful reply, a claim with its quote: with fewer left the question is not worth asking."""

_ASCII_PER_TOKEN = 4
"""Characters of a token in Latin script. Of other scripts each character counts as one: never too few, for any tokenizer in use."""


class Limits(TypedDict):
    """The fields of RagState that hold the caller's limits."""

    deadline: float | None
    call_limit: int | None
    token_limit: int | None


@dataclass(frozen=True)
class Allowance:
    """What one consultation of a model may cost; None where the caller set no limit. `tokens` are those of the reply.

    `temperature` is no limit, but what the step asks for: 0 always says the likeliest; None leaves it to the model's settings.
    """

    seconds: float | None = None
    calls: int | None = None
    tokens: int | None = None
    temperature: float | None = None


UNLIMITED = Allowance()


def limits(knobs: Knobs) -> Limits:
    """The limits of a turn that starts now."""
    deadline = None if knobs.deadline_s is None else time.time() + knobs.deadline_s
    return {"deadline": deadline, "call_limit": knobs.max_model_calls, "token_limit": knobs.max_tokens}


def seconds_left(state: RagState) -> float | None:
    """Until the caller's deadline, never below 0; None without one."""
    return None if state.deadline is None else max(0.0, state.deadline - time.time())


def seconds_for(state: RagState, reserve: float) -> float | None:
    """What a step may take so that `reserve` is left of the caller's time; None without a deadline."""
    left = seconds_left(state)
    return None if left is None else max(0.0, left - reserve)


def tokens_left(state: RagState) -> int | None:
    """Of the caller's limit, below 0 where it was overrun; None without one."""
    return None if state.token_limit is None else state.token_limit - state.usage["input_tokens"] - state.usage["output_tokens"]


def estimated_tokens(messages: Sequence[BaseMessage]) -> int:
    """About what a prompt costs, rather too many than too few: the provider's tokenizer is not known."""
    text = "".join(message.text for message in messages)
    ascii_count = sum(character.isascii() for character in text)
    return ascii_count // _ASCII_PER_TOKEN + len(text) - ascii_count


def spent(state: RagState) -> str:
    """Which budget is used up, in words; empty while a model may still be asked."""
    if state.call_limit is not None and state.usage["calls"] >= state.call_limit:
        return f"the {state.call_limit} model calls that the caller allows are used up"
    left = tokens_left(state)
    if left is not None and left <= 0:
        return f"the {state.token_limit} tokens that the caller allows are used up"
    return time_over(state)


def time_over(state: RagState, reserve: float = RESERVE_S) -> str:
    """That the caller's time is over but for the reserve; empty while it is not."""
    return "the time that the caller allows is over" if seconds_for(state, reserve) == 0.0 else ""


def unaffordable(state: RagState, messages: Sequence[BaseMessage]) -> str:
    """Why a model may not be asked this, in words; empty when it may."""
    left = tokens_left(state)
    if used_up := spent(state):
        return used_up
    if left is not None and left < (needed := estimated_tokens(messages) + LEAST_REPLY):
        return f"of the {state.token_limit} tokens that the caller allows {left} are left, and this call needs about {needed}"
    return ""


def crowds_out(state: RagState, *, calls: int, seconds: float) -> str:
    """Why an optional stage of so many calls and seconds would leave too little for judging and answering; empty where it would not."""
    left_s = seconds_left(state)
    if state.call_limit is not None and state.call_limit - state.usage["calls"] < calls + CORE_CALLS:
        return f"of the {state.call_limit} model calls that the caller allows those that are left are kept for the answer"
    if left_s is not None and left_s < 2 * seconds:
        return f"{left_s:.1f} s of the caller's time are left, which are kept for the answer"
    return ""


def allowance(state: RagState, messages: Sequence[BaseMessage]) -> Allowance:
    """What a consultation with this prompt may cost now."""
    tokens, calls = tokens_left(state), state.call_limit
    return Allowance(
        seconds=seconds_for(state, RESERVE_S),
        calls=None if calls is None else calls - state.usage["calls"],
        tokens=None if tokens is None else tokens - estimated_tokens(messages),
    )


def stopped(trail: Sequence[TrailEvent]) -> str:
    """Why a budget ended a step that the answer needed, the first of them; empty when none did."""
    reasons = (str(event["data"][SPENT]) for event in trail if SPENT in event["data"] and event["step"] not in OPTIONAL)
    return next(reasons, "")
