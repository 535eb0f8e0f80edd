"""A conversation that waits for its user: what the user is shown, and whether the next words are the reply.

Beside graphs/api.py; nodes/clarify.py is what waits.
"""

from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from graphs.rag import RagGraph
from nodes.choices import chosen, is_place
from nodes.safety import harmless

_INTERRUPTS = "__interrupt__"
_ASKS = ("?", "？")


async def reply_to_pause(graph: RagGraph, config: RunnableConfig, said: str) -> Command[Any] | None:
    """What resumes the thread when it waits for one of its options and `said` names one; None where `said` is a new question."""
    waiting = (await graph.aget_state(config)).interrupts
    if not waiting or said.rstrip().endswith(_ASKS):
        return None
    # A number that no option has is a reply too: it is asked for again.
    understood = chosen(said, waiting[0].value["options"]) is not None or is_place(said)
    return Command(resume=said) if understood else None


def as_asked_back(output: dict[str, Any]) -> dict[str, Any]:
    """The output of a turn that waits, as `needs_input` with the question and its options as the answer; any other as it is."""
    if not output.get(_INTERRUPTS):
        return output
    asked = output[_INTERRUPTS][0].value
    lines = [f"{number}. {option['title']} ({harmless(option['document'])})" for number, option in enumerate(asked["options"], 1)]
    reason = f"{len(lines)} documents could be meant; reply on the same thread"
    return {**output, "answer": "\n".join([asked["question"], *lines]), "status": "needs_input", "reason": reason}
