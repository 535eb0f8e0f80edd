"""A scripted chat model that can call tools, and the calls that it makes."""

from typing import Any

from langchain_core.messages import AIMessage
from pydantic import Field

from retrievers.providers.fakes import ScriptedChat


class ToolChat(ScriptedChat):
    """`bound` holds the names of the tools that each binding was given."""

    bound: list[list[str]] = Field(default_factory=list)

    def bind_tools(self, tools: Any, **_: Any) -> "ToolChat":  # type: ignore[override]
        if isinstance(tools[0], dict):
            # Structured output asks for it that way; this model has text alone for that.
            raise NotImplementedError
        self.bound.append([tool.name for tool in tools])
        return self


def call(name: str, number: int = 1, **arguments: Any) -> AIMessage:
    """A message in which the model calls one tool."""
    return AIMessage("", tool_calls=[{"type": "tool_call", "name": name, "id": f"call-{number}", "args": arguments}])
