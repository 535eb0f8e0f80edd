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

from nodes.ambiguity import competing, just_below
from nodes.choices import chosen
from nodes.context import Clock
from nodes.knobs import Knobs
from nodes.records import Rejected
from nodes.safety import harmless
from nodes.state import RagState, RagUpdate
from nodes.wording import Language, language_of_answer, none_meant, not_an_option, which_one
from retrievers.types import Json, Passage

ASKS = 2
"""A reply that names nothing is asked for once more; after that the answer is given from all of them."""

_SHOWN = 80
"""Characters of a reply that was not understood."""

_CHECKPOINTER = "__pregel_checkpointer"
"""Where the run's config has it (langgraph._internal._constants): a server brings its own, which the graph does not know."""


async def clarify(state: RagState, runtime: Runtime[Knobs], *, pausable: bool) -> RagUpdate:
    """Only the chosen document's passages stay kept; without anybody to wait for, the question back is the answer."""
    clock = Clock("clarify")
    candidates = [*state.kept, *just_below(state)]
    options = competing(state.standalone, candidates)
    if not options:
        return {"trail": [clock.event("decision", "clear", "one document is meant, or the documents do not differ")]}
    language, waits = language_of_answer(state.question or ""), pausable or _is_remembered()
    if not waits:
        return _ended(which_one(language, waits=False), options, state, clock)
    documents = _asked(language, options)
    if documents == []:
        return _none_meant(options, state, clock)
    narrowed = _narrowed(documents, candidates, state, clock) if documents else _all(clock, options, state)
    # The caller's time does not run while the user thinks.
    return narrowed if state.time_left is None else {**narrowed, "deadline": time.time() + state.time_left}


def _is_remembered() -> bool:
    try:
        return get_config().get("configurable", {}).get(_CHECKPOINTER) is not None
    except RuntimeError:  # outside of a run
        return False


def _asked(language: Language, options: Sequence[Passage]) -> list[str] | None:
    """The documents that the user names, none where it is neither; None where no reply was understood."""
    listed: list[Json] = [*_listed(options)]
    question = which_one(language)
    for ask in range(ASKS):
        reply = interrupt({"question": question, "options": listed, **({"understood": False} if ask else {})})
        if (documents := chosen(reply, options)) is not None:
            return documents
        question = f"{not_an_option(language, harmless(str(reply)[:_SHOWN]), len(options))} {which_one(language)}"
    return None


def _listed(options: Sequence[Passage]) -> list[dict[str, Json]]:
    return [{"document": option["document"], "title": harmless(option["title"] or option["document"])} for option in options]


def _none_meant(options: Sequence[Passage], state: RagState, clock: Clock) -> RagUpdate:
    """The user means none of them: what was found does not answer, and nothing else was found."""
    answer, reason = none_meant(language_of_answer(state.question or "")), "the user said that none of the documents is meant"
    left: list[Rejected] = [_left(passage, "the user meant another document") for passage in state.kept]
    event = clock.event("decision", "none of them", reason, documents=[option["document"] for option in options])
    return {
        "answer": answer,
        "status": "no_evidence",
        "reason": reason,
        "citations": [],
        "rejected": [*left, *state.rejected],
        "messages": [AIMessage(answer)],
        "trail": [event],
    }


def _left(passage: Passage, why: str) -> Rejected:
    return {"id": passage["id"], "document": passage["document"], "score": passage["absolute"], "why": why}


def _narrowed(documents: Sequence[str], candidates: Sequence[Passage], state: RagState, clock: Clock) -> RagUpdate:
    event = clock.event("decision", ", ".join(documents), "the user said which document is meant", documents=[*documents])
    left = [_left(passage, "the user meant another document") for passage in state.kept if passage["document"] not in documents]
    kept = [passage for passage in candidates if passage["document"] in documents]
    others = [entry for entry in state.rejected if entry["id"] not in {passage["id"] for passage in kept}]
    return {"kept": kept, "rejected": [*left, *others], "meant": [*documents], "trail": [event]}


def _all(clock: Clock, options: Sequence[Passage], state: RagState) -> RagUpdate:
    """Those that were kept: what fell short of the threshold is no answer unless it was named."""
    named: list[Json] = [option["document"] for option in options]
    event = clock.event("decision", "all of them", f"none of {ASKS} replies named one of the documents", documents=named)
    kept = {passage["document"] for passage in state.kept}
    return {"meant": [option["document"] for option in options if option["document"] in kept], "trail": [event]}


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
