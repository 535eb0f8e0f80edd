"""Asks the user back where several documents could be meant.

Between sufficiency and generate, where the caller wants it. Pauses the turn where it can be resumed, else ends it. Whatever comes
before the pause is run again when the turn is resumed, so nothing here asks a model or searches.
"""

import time
from collections.abc import Sequence

from langchain_core.messages import AIMessage
from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from nodes.ambiguity import chosen, competing
from nodes.context import Clock
from nodes.knobs import Knobs
from nodes.records import Rejected
from nodes.safety import harmless
from nodes.state import RagState, RagUpdate
from nodes.wording import language_of_answer, which_one
from retrievers.types import Json, Passage

ASKS = 2
"""A reply that names nothing is asked for once more; after that the answer is given from all of them."""

_CHECKPOINTER = "__pregel_checkpointer"
"""Where the run's config has it (langgraph._internal._constants): a server brings its own, which the graph does not know."""


async def clarify(state: RagState, runtime: Runtime[Knobs], *, pausable: bool) -> RagUpdate:
    """Only the chosen document's passages stay kept; without anybody to wait for, the question back is the answer."""
    clock = Clock("clarify")
    options = competing(state.standalone, state.kept)
    if not options:
        return {"trail": [clock.event("decision", "clear", "one document is meant, or the documents do not differ")]}
    question = which_one(language_of_answer(state.question or ""))
    if not (pausable or _is_remembered()):
        return _ended(question, options, state, clock)
    documents = _asked(question, options)
    narrowed = _narrowed(documents, state, clock) if documents else _all(clock, options)
    # The caller's time does not run while the user thinks.
    return narrowed if state.time_left is None else {**narrowed, "deadline": time.time() + state.time_left}


def _is_remembered() -> bool:
    try:
        return get_config().get("configurable", {}).get(_CHECKPOINTER) is not None
    except RuntimeError:  # outside of a run
        return False


def _asked(question: str, options: Sequence[Passage]) -> list[str] | None:
    """The documents that the user names; None where no reply named any."""
    listed: list[Json] = [*_listed(options)]
    for ask in range(ASKS):
        reply = interrupt({"question": question, "options": listed, **({"understood": False} if ask else {})})
        if documents := chosen(reply, options):
            return documents
    return None


def _listed(options: Sequence[Passage]) -> list[dict[str, Json]]:
    return [{"document": option["document"], "title": harmless(option["title"] or option["document"])} for option in options]


def _narrowed(documents: Sequence[str], state: RagState, clock: Clock) -> RagUpdate:
    event = clock.event("decision", ", ".join(documents), "the user said which document is meant", documents=[*documents])
    left: list[Rejected] = [
        {"id": passage["id"], "document": passage["document"], "score": passage["absolute"], "why": "the user meant another document"}
        for passage in state.kept
        if passage["document"] not in documents
    ]
    kept = [passage for passage in state.kept if passage["document"] in documents]
    return {"kept": kept, "rejected": [*left, *state.rejected], "trail": [event]}


def _all(clock: Clock, options: Sequence[Passage]) -> RagUpdate:
    named: list[Json] = [option["document"] for option in options]
    return {"trail": [clock.event("decision", "all of them", f"none of {ASKS} replies named one of the documents", documents=named)]}


def _ended(question: str, options: Sequence[Passage], state: RagState, clock: Clock) -> RagUpdate:
    """The question back as the answer of the turn, with the options in it."""
    listed = _listed(options)
    lines = [
        f"{number}. {option['title']}" + (f" ({harmless(str(option['document']))})" if option["title"] != option["document"] else "")
        for number, option in enumerate(listed, 1)
    ]
    answer = "\n".join([question, *lines])
    reason = f"{len(options)} documents could be meant, and the question does not tell which"
    event = clock.event("decision", "needs_input", reason, options=[*listed])
    return {"answer": answer, "status": "needs_input", "reason": reason, "citations": [], "messages": [AIMessage(answer)], "trail": [event]}
