"""Decides whether a turn needs the documents, and makes its question stand on its own.

First step of a turn: it reads the input, resets what the last turn left, and fails open: in doubt it retrieves.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite
from pydantic import AliasChoices, BaseModel, Field

from nodes.budget import limits
from nodes.context import Clock, knobs, now
from nodes.direct import direct_reply
from nodes.followup import standalone
from nodes.knobs import Knobs
from nodes.prompting import moment, prompt, transcript
from nodes.records import Degraded, TrailEvent, Usage, no_usage
from nodes.state import RagState, RagUpdate, fresh_turn
from nodes.structured import Decider, consult
from nodes.verdicts import Verdict
from nodes.wording import language_of_answer
from retrievers.errors import InvalidArgument

MAX_QUESTION_CHARS = 8000
"""Two pages: more is a document, which is ingested and not asked."""


class Gate(BaseModel):
    """What the model replies; many write `binary_score` whatever they are asked for."""

    retrieve: Verdict = Field(validation_alias=AliasChoices("retrieve", "binary_score", "score", "search", "decision"))
    standalone: str = ""
    reason: str = ""


@dataclass(frozen=True)
class _Decision:
    retrieve: bool
    standalone: str
    events: Sequence[TrailEvent]
    usage: Usage = field(default_factory=no_usage)
    degraded: Sequence[Degraded] = ()


async def gate(state: RagState, runtime: Runtime[Knobs], *, chat: Decider | None) -> RagUpdate:
    """Raises InvalidArgument where there is no question; whatever else goes wrong means: retrieve with the question as it is."""
    clock = Clock("gate")
    question, history = _asked(state)
    allowed = limits(knobs(runtime))
    direct = direct_reply(question, history, now(runtime))
    if direct is not None:
        event = clock.event("decision", "skip", f"{direct.kind}: needs no documents", kind=direct.kind, question=question)
        decision = _Decision(False, question, [event])
    elif chat is None:
        decision = _by_rules(question, history, clock)
    else:
        decision = await _by_model(question, history, runtime, chat, clock, RagState(**allowed))
    return {
        **fresh_turn(),
        "question": question,
        "messages": _missing(state, question),
        "standalone": decision.standalone,
        "retrieve": decision.retrieve,
        "route": "hybrid" if decision.retrieve else "direct",
        **allowed,
        "trail": Overwrite(list(decision.events)),
        "usage": Overwrite(decision.usage),
        "degraded": Overwrite(list(decision.degraded)),
    }


def _asked(state: RagState) -> tuple[str, list[AnyMessage]]:
    """The question of this turn and the messages before it."""
    last = state.messages[-1] if state.messages and isinstance(state.messages[-1], HumanMessage) else None
    spoken, given = (last.text.strip() if last else ""), (state.question or "").strip()
    # On a thread the last turn's question is still there when only a message came in.
    stale = bool(state.trail) and state.trail[0]["data"].get("question") == given
    question = given if given and not (stale and spoken) else spoken
    if not question:
        raise InvalidArgument("there is no question: give `question`, or `messages` whose last one is the user's")
    if len(question) > MAX_QUESTION_CHARS:
        raise InvalidArgument(
            f"the question has {len(question)} characters, more than {MAX_QUESTION_CHARS}: shorten it, or ingest it as a document"
        )
    return question, state.messages[:-1] if last and spoken == question else list(state.messages)


def _missing(state: RagState, question: str) -> list[AnyMessage]:
    """The question as a message, unless it came as one."""
    last = state.messages[-1] if state.messages else None
    return [] if isinstance(last, HumanMessage) and last.text.strip() == question else [HumanMessage(question)]


def _by_rules(question: str, history: Sequence[AnyMessage], clock: Clock) -> _Decision:
    searchable = standalone(question, [message.text.strip() for message in history if isinstance(message, HumanMessage)])
    reason = "follows up on an earlier question" if searchable != question else "may be answered by the documents"
    event = clock.event("decision", "retrieve", reason, question=question, standalone=searchable)
    return _Decision(True, searchable, [event])


async def _by_model(
    question: str, history: Sequence[AnyMessage], runtime: Runtime[Knobs], chat: Decider, clock: Clock, fresh: RagState
) -> _Decision:
    fallback = _by_rules(question, history, clock)
    messages = prompt("gate", now=moment(now(runtime)), history=transcript(history), question=question)
    # The last turn's failures are still in the state, and must not silence the model in this one.
    reply = await consult(chat, messages, Gate, fresh, clock, instead="retrieve, by the rules", bare="retrieve")
    if reply.value is None:
        return _Decision(True, fallback.standalone, [*fallback.events, *reply.events], reply.usage, reply.degraded)
    searchable = _kept_in_language(reply.value.standalone.strip(), question) or fallback.standalone
    decision = "retrieve" if reply.value.retrieve else "skip"
    reason = reply.value.reason.strip() or "the model gave no reason"
    event = clock.event("model", decision, reason, question=question, standalone=searchable)
    return _Decision(reply.value.retrieve, searchable, [event], reply.usage)


def _kept_in_language(rewritten: str, question: str) -> str:
    """The model's wording, or nothing where it changed the language or wrote an essay."""
    same = language_of_answer(rewritten) == language_of_answer(question)
    return rewritten if same and len(rewritten) <= len(question) + 500 else ""
