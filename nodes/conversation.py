"""Takes whatever a caller hands over as messages, so that what is none ends the turn in words and not in a traceback.

Shared ground of the state, the gate and the end of a failed turn; pure.
"""

from collections.abc import Sequence
from typing import cast

from langchain_core.messages import AnyMessage, HumanMessage, RemoveMessage
from langgraph.graph.message import Messages, add_messages

_FAULT = "not_a_message"
"""The key of a message that stands for what could not be read; it lasts until the gate has seen it."""

_MOST_CHARS = 200


def conversation(left: Messages, right: Messages) -> list[AnyMessage]:
    """Reducer: `add_messages`, for which an update that is no messages is one that says so. No update at all is none."""
    if right is None:
        return cast(list[AnyMessage], left)
    try:
        return cast(list[AnyMessage], add_messages(left, right))
    except (ValueError, TypeError, NotImplementedError, AttributeError, LookupError) as exc:
        said = " ".join(str(exc).split("\nFor troubleshooting")[0].split())[:_MOST_CHARS]
        return cast(list[AnyMessage], add_messages(left, HumanMessage("", additional_kwargs={_FAULT: said})))


def fault(messages: Sequence[AnyMessage]) -> str:
    """Why the last update was no messages; empty where it was."""
    return next((str(message.additional_kwargs[_FAULT]) for message in messages if _FAULT in message.additional_kwargs), "")


def without_faults(messages: Sequence[AnyMessage]) -> list[RemoveMessage]:
    """The update that forgets what was no message."""
    return [RemoveMessage(id=message.id) for message in messages if _FAULT in message.additional_kwargs and message.id]
