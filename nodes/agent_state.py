"""What the agent's turn knows beside the state of nodes/state.py: its talk with the tools, and what they gave.

Shared ground of think and act; JSON-plain but for the messages, and reset at the start of each turn.
"""

from dataclasses import dataclass, field

from langchain_core.messages import AnyMessage

from nodes.state import RagState, RagUpdate
from retrievers.types import Passage


@dataclass(kw_only=True)
class AgentState(RagState):
    """A turn of the agent. None of these fields is part of its output."""

    talk: list[AnyMessage] = field(default_factory=list)
    """The prompt, the model's tool calls and their results; never the conversation with the user."""
    rounds: int = 0
    """Times the model chose tools."""
    gathered: list[Passage] = field(default_factory=list)
    """Whole passages and pages that the tools gave, in the order in which they came, each once."""
    scores: dict[str, float] = field(default_factory=dict)
    """The best absolute score that a search gave each passage, by its id: what is read later has none of its own."""
    tool_error: str = ""
    """The last error of a tool, in its own words; empty after a tool that worked."""


class AgentUpdate(RagUpdate, total=False):
    """The keys that think and act may return."""

    talk: list[AnyMessage]
    rounds: int
    gathered: list[Passage]
    scores: dict[str, float]
    tool_error: str


def fresh_talk() -> AgentUpdate:
    """The agent's own fields as they are before a turn."""
    return {"talk": [], "rounds": 0, "gathered": [], "scores": {}, "tool_error": ""}
