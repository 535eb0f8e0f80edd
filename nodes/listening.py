"""Hears what a chat model says while it says it, however deep in a chain the model is called.

Used by nodes/structured.py; a model that has no stream is not heard, and answers as ever.
"""

from collections.abc import Callable
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.outputs import ChatGenerationChunk, GenerationChunk

# What tells LangChain to stream a call that is not streamed itself; LangGraph's own handler of messages is made the same way.
from langchain_core.tracers._streaming import _StreamingCallbackHandler

Heard = Callable[[str], None]
"""Told all that was said so far; a retry begins anew."""


class Listener(BaseCallbackHandler, _StreamingCallbackHandler):  # type: ignore[type-arg]
    """Tells `heard` the text of a reply, or the arguments of its tool call, as they grow."""

    run_inline = True

    def __init__(self, heard: Heard) -> None:
        self._heard = heard
        self._said = ""

    def on_chat_model_start(self, *_: Any, **__: Any) -> None:
        self._said = ""

    def on_llm_new_token(self, token: Any, *, chunk: GenerationChunk | ChatGenerationChunk | None = None, **_: Any) -> None:
        calls = getattr(getattr(chunk, "message", None), "tool_call_chunks", None) or []
        self._said += (token if isinstance(token, str) else "") + "".join(call["args"] or "" for call in calls)
        self._heard(self._said)

    def tap_output_aiter(self, run_id: Any, output: Any) -> Any:
        return output

    def tap_output_iter(self, run_id: Any, output: Any) -> Any:
        return output
