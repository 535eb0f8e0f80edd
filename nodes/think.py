"""Lets a chat model choose the next tool, or stop: one round of the agent.

Follows the gate and act. What it costs is bounded by rounds and by the caller's budgets, of which enough is kept for the answer.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from nodes.agent_state import AgentState, AgentUpdate
from nodes.budget import SPENT, estimated_tokens, unaffordable
from nodes.context import Clock, knobs, now
from nodes.knobs import Knobs
from nodes.prompting import CONTEXT_TOKENS, moment, prompt
from nodes.structured import Decider, consult_by
from retrievers.errors import ConfigurationError

TALK_TOKENS = 24_000
"""Of the talk with the tools, by estimate: a model with 32 thousand still has room to reply."""

_KEPT_TIME = 0.4
"""Share of the caller's time that is kept for judging and answering: the two longest calls of a turn."""

_KEPT_CALLS = 1
"""The answer is written by one call; passages can be judged without one."""

_ANSWER_TOKENS = 1000
"""Of the answer's rules and its reply, beside the passages."""

_INSTEAD = "answer from what was gathered"


async def think(state: AgentState, runtime: Runtime[Knobs], *, chat: Decider | None, tools: Sequence[BaseTool], search: str) -> AgentUpdate:
    """The model's next calls as the last message of the talk; none there ends the gathering.

    Where the model cannot choose, or would answer without having looked, `search` is called once with the question. Raises
    ConfigurationError without a model.
    """
    if chat is None:
        raise ConfigurationError("the agent needs a chat model: set TADORI_CHAT_MODEL, or ask the graph `rag`, which answers without one")
    clock = Clock("agent")
    talk: list[AnyMessage] = state.talk or [*prompt("agent", now=moment(now(runtime)), question=state.standalone)]  # type: ignore[list-item]
    if ended := _ended(state, talk, runtime):
        kind, reason = ended
        if kind == "rounds" and not state.tried and not state.tool_error:
            event = clock.event("decision", "search all the same", f"{reason}, and nothing was looked up")
            return {"talk": [*talk, _plain_search(search, state.standalone)], "trail": [event]}
        data = {SPENT: reason} if kind == "budget" else {}
        return {"talk": [*talk, AIMessage("")], "trail": [clock.event("limit", _INSTEAD, reason, **data)]}
    asked = await consult_by(lambda allowed: chat.act(talk, tools, allowed), talk, _for_gathering(state, runtime), clock, instead=_INSTEAD)
    chosen = asked.value if asked.value is not None else AIMessage("")
    events = list(asked.events)
    if not _calls(chosen) and not state.tried and not state.tool_error:
        chosen = _plain_search(search, state.standalone)
        events.append(clock.event("decision", "search all the same", "the model chose no tool, and nothing was looked up yet"))
    elif asked.value is not None:
        names = ", ".join(call["name"] for call in chosen.tool_calls) or "done"
        events.append(clock.event("model", names, f"round {state.rounds + 1}"))
    return {
        "talk": [*talk, chosen],
        "rounds": state.rounds + 1,
        "trail": events,
        "degraded": asked.degraded,
        "usage": asked.usage,
    }


def wants_tools(state: AgentState) -> bool:
    """Whether the last message of the talk calls any."""
    return bool(state.talk) and isinstance(state.talk[-1], AIMessage) and bool(_calls(state.talk[-1]))


def _calls(message: AIMessage) -> Sequence[Any]:
    return [*message.tool_calls, *message.invalid_tool_calls]


def _plain_search(tool: str, question: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"type": "tool_call", "name": tool, "id": "search", "args": {"query": question}}])


def _ended(state: AgentState, talk: Sequence[AnyMessage], runtime: Runtime[Knobs]) -> tuple[str, str] | None:
    """Why there is no further round; the first one is cut short by the caller's budgets alone."""
    if state.rounds >= (most := knobs(runtime).max_steps):
        return "rounds", f"{most} rounds of tool calls were used"
    if state.rounds and estimated_tokens(talk) > TALK_TOKENS:
        return "rounds", f"the talk with the tools is longer than {TALK_TOKENS} tokens"
    if state.rounds and unaffordable(_for_gathering(state, runtime), talk):
        return "budget", "what is left of the budgets that the caller set is kept for the answer"
    return None


def _for_gathering(state: AgentState, runtime: Runtime[Knobs]) -> AgentState:
    """The state with the limits that leave enough for the answer."""
    seconds, answer = knobs(runtime).deadline_s, min(CONTEXT_TOKENS, sum(passage["token_count"] for passage in state.gathered))
    return replace(
        state,
        deadline=None if state.deadline is None or seconds is None else state.deadline - _KEPT_TIME * seconds,
        call_limit=None if state.call_limit is None else max(0, state.call_limit - _KEPT_CALLS),
        token_limit=None if state.token_limit is None else max(0, state.token_limit - answer - _ANSWER_TOKENS),
    )
