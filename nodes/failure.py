"""Ends a turn that an error stopped: status `failed` with the error's own words, never "nothing found".

The one place for it: the graph's error handler for every step. An error that nobody raised on purpose is a bug and goes on up.
"""

from typing import cast, get_args

from langchain_core.messages import AIMessage
from langgraph.errors import NodeError
from langgraph.types import Overwrite

from nodes.context import Clock
from nodes.records import Step
from nodes.state import RagState, RagUpdate, fresh_turn
from nodes.wording import failed, language_of_answer
from retrievers.errors import TadoriError


async def fail(state: RagState, error: NodeError) -> RagUpdate:
    """The failed turn. Raises what is no TadoriError again."""
    if not isinstance(error.error, TadoriError):
        raise error.error
    reason = str(error.error)
    step = cast(Step, error.node) if error.node in get_args(Step) else "gate"
    event = Clock(step).event("decision", "failed", reason, error=type(error.error).__name__)
    answer = failed(language_of_answer(state.question or "")) + reason
    # The gate resets the turn; where it failed itself, the last turn's fields are still there.
    reset = fresh_turn() if error.node == "gate" else RagUpdate(citations=[])
    trail = Overwrite([event]) if error.node == "gate" else [event]
    return {**reset, "answer": answer, "status": "failed", "reason": reason, "messages": [AIMessage(answer)], "trail": trail}
