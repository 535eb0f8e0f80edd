"""Ends a turn that an error stopped: status `failed` with the error's own words, never "nothing found".

The one place for it: the graph's error handler for every step. An error that nobody raised on purpose is a bug and goes on up.
"""

from typing import cast, get_args

from langchain_core.messages import AIMessage, AnyMessage, RemoveMessage
from langgraph.errors import NodeError
from langgraph.types import Overwrite

from nodes.context import Clock
from nodes.conversation import without_faults
from nodes.records import Step
from nodes.state import RagState, RagUpdate, fresh_turn
from nodes.wording import failed, language_of_answer
from retrievers.errors import TadoriError


def fail(state: RagState, error: NodeError) -> RagUpdate:
    """The failed turn. Raises what is no TadoriError again.

    Not async: in a run without an event loop, which no step can have, LangGraph's own error must come through here.
    """
    if not isinstance(error.error, TadoriError):
        raise error.error
    reason = str(error.error)
    step = cast(Step, error.node) if error.node in get_args(Step) else "gate"
    event = Clock(step).event("decision", "failed", reason, error=type(error.error).__name__)
    question = state.question if isinstance(state.question, str) else ""
    answer = failed(language_of_answer(question)) + reason
    messages: list[AnyMessage | RemoveMessage] = [*without_faults(state.messages), AIMessage(answer)]
    update: RagUpdate = {"answer": answer, "status": "failed", "reason": reason, "messages": messages}
    if error.node != "gate":
        return {**update, "citations": [], "trail": [event]}
    # The gate resets the turn; where it failed itself, the last turn's fields are still there. Nor shall the next turn find its question.
    return {**fresh_turn(), **update, "question": None, "trail": Overwrite([event])}
