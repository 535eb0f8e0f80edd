"""Decides whether a turn needs the documents, and makes its question stand on its own.

First step of a turn: it reads the input, resets what the last turn left, and fails open: in doubt it retrieves. Rules decide wherever
they can; a model is asked where the question may lean on the conversation, or may be no question at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite
from pydantic import AliasChoices, BaseModel, Field

from nodes import conversation
from nodes.budget import limits
from nodes.context import Clock, knobs, now
from nodes.direct import direct_reply
from nodes.exact import exact_terms
from nodes.followup import may_follow, standalone
from nodes.knobs import Knobs
from nodes.prompting import moment, prompt, transcript
from nodes.records import Degraded, Route, TrailEvent, Usage, no_usage
from nodes.smalltalk import about_conversation, maybe_small_talk
from nodes.state import RagState, RagUpdate, fresh_turn
from nodes.structured import Decider, consult
from nodes.verdicts import Verdict
from nodes.wording import same_language
from retrievers.errors import InvalidArgument
from retrievers.text.language import language_of
from retrievers.text.terms import content_terms

MAX_QUESTION_CHARS = 8000
"""Two pages: more is a document, which is ingested and not asked."""

_SUGGESTED: dict[str, Route] = {"hyde": "hyde", "decompose": "decompose"}
"""Ways that a model may suggest. Not the web: the conversation may quote a document, which must not choose where is looked."""

_EXAMPLE = '{"role": "user", "content": "How long are backups kept?"}'

_OWN_TERMS = 0.5
"""Share of the question's own words that a stand-alone question keeps at least; one with fewer is an answer, or another question."""


class Gate(BaseModel):
    """What the model replies; many write `binary_score` whatever they are asked for."""

    retrieve: Verdict = Field(validation_alias=AliasChoices("retrieve", "binary_score", "score", "search", "decision"))
    standalone: str = ""
    reason: str = ""
    route: str = ""


@dataclass(frozen=True)
class _Decision:
    retrieve: bool
    standalone: str
    events: Sequence[TrailEvent]
    usage: Usage = field(default_factory=no_usage)
    degraded: Sequence[Degraded] = ()
    suggested: Route | None = None


async def gate(state: RagState, runtime: Runtime[Knobs], *, chat: Decider | None) -> RagUpdate:
    """Raises InvalidArgument where there is no question. Whatever else goes wrong means: retrieve with the question as it is."""
    clock = Clock("gate")
    question, history = _asked(state)
    allowed = limits(knobs(runtime))
    direct = direct_reply(question, history, now(runtime))
    if direct is not None:
        event = clock.event("decision", "skip", f"{direct.kind}: needs no documents", kind=direct.kind, question=question, by="rules")
        decision = _Decision(False, question, [event])
    elif chat is None or not _is_for_model(question, history):
        decision = _by_rules(question, history, runtime, clock)
    else:
        decision = await _by_model(question, history, runtime, chat, clock, RagState(**allowed))
    return {
        **fresh_turn(),
        "question": question,
        "messages": _missing(state, question),
        "standalone": decision.standalone,
        "retrieve": decision.retrieve,
        "route": "hybrid" if decision.retrieve else "direct",
        "suggested": decision.suggested,
        **allowed,
        "trail": Overwrite(list(decision.events)),
        "usage": Overwrite(decision.usage),
        "degraded": Overwrite(list(decision.degraded)),
    }


def _is_for_model(question: str, history: Sequence[AnyMessage]) -> bool:
    """Whether rules cannot tell: the question may lean on the conversation, or may be small talk."""
    return maybe_small_talk(question) or (bool(history) and (may_follow(question) or about_conversation(question)))


def _asked(state: RagState) -> tuple[str, list[AnyMessage]]:
    """The question of this turn and the messages before it."""
    if fault := conversation.fault(state.messages):
        raise InvalidArgument(f"`messages` cannot be read ({fault}): give messages, such as {_EXAMPLE}")
    last = state.messages[-1] if state.messages and isinstance(state.messages[-1], HumanMessage) else None
    spoken, given = (last.text.strip() if last else ""), _as_text(state.question).strip()
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


def _as_text(question: object) -> str:
    if not isinstance(question, str | None):
        raise InvalidArgument(f"the question is no text, but of the type {type(question).__name__}: give `question` as a string")
    return question or ""


def _missing(state: RagState, question: str) -> list[AnyMessage]:
    """The question as a message, unless it came as one."""
    last = state.messages[-1] if state.messages else None
    return [] if isinstance(last, HumanMessage) and last.text.strip() == question else [HumanMessage(question)]


def _by_rules(question: str, history: Sequence[AnyMessage], runtime: Runtime[Knobs], clock: Clock) -> _Decision:
    """Only what was asked of the documents is followed: a greeting or a sum is not."""
    said = [message.text.strip() for message in history if isinstance(message, HumanMessage)]
    asked = [text for text in said if direct_reply(text, [], now(runtime)) is None and not maybe_small_talk(text)]
    searchable = standalone(question, asked)
    reason = "follows up on an earlier question" if searchable != question else "may be answered by the documents"
    event = clock.event("decision", "retrieve", reason, question=question, standalone=searchable, by="rules")
    return _Decision(True, searchable, [event])


async def _by_model(
    question: str, history: Sequence[AnyMessage], runtime: Runtime[Knobs], chat: Decider, clock: Clock, fresh: RagState
) -> _Decision:
    fallback = _by_rules(question, history, runtime, clock)
    said, at = transcript(history), moment(now(runtime))
    messages = prompt("gate", language=language_of(question), now=at, history=said, question=question)
    # The last turn's failures are still in the state, and must not silence the model in this one.
    reply = await consult(chat, messages, Gate, fresh, clock, instead="retrieve, by the rules", bare="retrieve", optional=True)
    if reply.value is None:
        return _Decision(True, fallback.standalone, [*fallback.events, *reply.events], reply.usage, reply.degraded)
    searchable = _faithful(reply.value.standalone.strip(), question) or fallback.standalone
    retrieve, reason = _checked(reply.value, question)
    event = clock.event("decision", "retrieve" if retrieve else "skip", reason, question=question, standalone=searchable, by="model")
    return _Decision(retrieve, searchable, [event], reply.usage, suggested=_SUGGESTED.get(reply.value.route.strip().casefold()))


def _checked(reply: Gate, question: str) -> tuple[bool, str]:
    """The model's decision. It may skip what can be small talk or about the conversation: a fact is never answered from its memory."""
    reason = reply.reason.strip() or "the model gave no reason"
    if reply.retrieve or maybe_small_talk(question) or about_conversation(question):
        return reply.retrieve, reason
    return True, f"asks for something that documents may hold, though the model would skip them: {reason}"


def _faithful(rewritten: str, question: str) -> str:
    """The model's wording, or nothing where it changed the language, lost a code or most of the words, or wrote an essay."""
    if not same_language(rewritten, question) or len(rewritten) > len(question) + 500:
        return ""
    own, held = content_terms(question), rewritten.casefold()
    kept = sum(term.casefold() in held for term in own)
    lost = [term for term in exact_terms(question) if term.casefold() not in held]
    return "" if lost or kept < _OWN_TERMS * len(own) else rewritten
