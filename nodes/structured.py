"""Asks a chat model for a decision and gets a checked value, whatever way of answering in JSON the model has.

Shared ground of the nodes; the only place that knows the ways. A reply that cannot be read is no error: it has no value,
and the caller's declared default holds.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

from langchain_core.exceptions import ModelConnectionError, ModelError, ModelRateLimitError, ModelTimeoutError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel, ValidationError

from nodes.budget import SPENT, spent
from nodes.context import Clock
from nodes.records import Degraded, TrailEvent, Usage, add_usage, no_usage
from nodes.state import RagState, model_failed
from retrievers.errors import ProviderError, ProviderRateLimited, ProviderRejected, ProviderUnavailable

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")
Rung = Literal["json_schema", "function_calling", "text"]

RUNGS: tuple[Rung, ...] = ("json_schema", "function_calling", "text")
"""From the surest to the one that every model has."""

DEADLINE_S = 100.0
"""For one decision with all its rungs and retries; above the 90 s that a model of ours is given, so that its own error is the one shown."""

_REFUSED_FEATURE = (400, 404, 405, 415, 422, 501)
"""Statuses by which servers say that they do not know response_format or tools."""

_THOUGHT = re.compile(r"<(think|thinking|reasoning|thought)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_SAID_CHARS = 200


@dataclass(frozen=True)
class Reply(Generic[T]):
    """`value` is None when nothing could be read from the reply; `text` is what the model said, its thinking left out."""

    value: T | None
    usage: Usage
    text: str


@dataclass(frozen=True)
class Consulted(Generic[T]):
    """What asking the model gave. `value` is None when its step's policy decides instead; the events then say why."""

    value: T | None = None
    text: str = ""
    events: list[TrailEvent] = field(default_factory=list)
    degraded: list[Degraded] = field(default_factory=list)
    usage: Usage = field(default_factory=no_usage)


@runtime_checkable
class MadeLater(Protocol):
    """A model that is made at its first call; `inner` makes it, which blocks for seconds."""

    def inner(self) -> BaseChatModel: ...


class Decider:
    """A chat model as the nodes use it. Keep one for each model: it remembers which rungs the model refused.

    Every failure of the model is a ProviderError, at the latest after the deadline.
    """

    def __init__(self, chat: BaseChatModel, *, deadline_s: float = DEADLINE_S) -> None:
        self._chat = chat
        self._deadline_s = deadline_s
        self._rungs: tuple[Rung, ...] = RUNGS

    async def prepare(self) -> None:
        """Make the model now where it is made at its first call, for a caller whose time must not pay for that."""
        if isinstance(self._chat, MadeLater):
            await asyncio.to_thread(self._chat.inner)

    async def decide(self, messages: Sequence[BaseMessage], schema: type[M], *, bare: str | None = None) -> Reply[M]:
        """The model's reply as `schema`. Prose and thinking around the JSON are tolerated; a reply without JSON fills the field `bare`.

        A refused rung, or an empty reply on it, leads to the next one; a reply that says something else ends in no value at once.
        """
        return await self._within_deadline(lambda: self._climb_down(list(messages), schema, bare))

    async def say(self, messages: Sequence[BaseMessage]) -> Reply[str]:
        """The model's reply as text, its thinking left out; no value for an empty one."""

        async def ask() -> Reply[str]:
            raw = await self._chat.ainvoke(list(messages))
            text = without_thinking(raw.text).strip()
            return Reply(text or None, _usage_of(raw), text)

        return await self._within_deadline(ask)

    async def _within_deadline(self, ask: Callable[[], Awaitable[T]]) -> T:
        try:
            async with asyncio.timeout(self._deadline_s):
                return await ask()
        except TimeoutError as exc:
            raise ProviderUnavailable(
                f"the chat model did not answer within {self._deadline_s:g} s: try again later, or use a faster one"
            ) from exc
        except (ModelError, ConnectionError) as exc:
            # A model that was not made by retrievers.providers brings LangChain's own errors.
            raise _translated(exc) from exc

    async def _climb_down(self, messages: list[BaseMessage], schema: type[M], bare: str | None) -> Reply[M]:
        usage, text, refused = no_usage(), "", set[Rung]()
        for rung in self._rungs:
            try:
                raw, parsed = await self._ask(rung, messages, schema)
            except (_NotOffered, ProviderRejected) as exc:
                if rung == RUNGS[-1] or (isinstance(exc, ProviderRejected) and exc.status not in _REFUSED_FEATURE):
                    raise
                refused.add(rung)
                continue
            usage, text = add_usage(usage, _usage_of(raw)), without_thinking(raw.text).strip()
            value = _value(schema, raw, parsed, bare)
            if value is not None:
                # Only now is it known that the refusal was about the rung and not about the request.
                self._rungs = tuple(kept for kept in self._rungs if kept not in refused)
                return Reply(value, usage, text)
            if raw.text.strip() or raw.tool_calls:
                break
            refused.add(rung)
        return Reply(None, usage, text)

    async def _ask(self, rung: Rung, messages: list[BaseMessage], schema: type[BaseModel]) -> tuple[AIMessage, object]:
        if rung == "text":
            return await self._chat.ainvoke(messages), None
        try:
            # A schema as a dict: with a class, json_schema raises inside the call even when the raw reply is wanted.
            structured = self._chat.with_structured_output(_json_schema(schema), method=rung, include_raw=True)
        except (NotImplementedError, ValueError, TypeError) as exc:
            raise _NotOffered(rung) from exc
        reply: Any = await structured.ainvoke(messages)
        return reply["raw"], reply["parsed"]


class _NotOffered(Exception):
    """The model's class does not have this rung."""


async def consult(
    chat: Decider, messages: Sequence[BaseMessage], schema: type[M], state: RagState, clock: Clock, *, instead: str, bare: str | None = None
) -> Consulted[M]:
    """Ask the model for a step's decision; `instead` names the policy that decides when it fails or cannot be read.

    A model that failed earlier in this turn is not waited for again. Never raises ProviderError.
    """
    if model_failed(state):
        return _fallen_back(clock, "the chat model failed earlier in this turn", instead)
    if used_up := spent(state):
        return Consulted(events=[clock.event("limit", instead, used_up, **{SPENT: used_up})])
    try:
        reply = await chat.decide(messages, schema, bare=bare)
    except ProviderError as exc:
        return _fallen_back(clock, str(exc), instead)
    if reply.value is not None:
        return Consulted(reply.value, reply.text, usage=reply.usage)
    event = clock.event("unparsable", instead, "the model's reply cannot be read", said=reply.text[:_SAID_CHARS])
    return Consulted(None, reply.text, [event], usage=reply.usage)


def _fallen_back(clock: Clock, cause: str, instead: str) -> Consulted[Any]:
    event, degraded = clock.fallback(cause, instead)
    return Consulted(events=[event], degraded=[degraded])


def without_thinking(text: str) -> str:
    """`text` without its thinking blocks; one that was cut off takes the rest with it."""
    return _THOUGHT.sub("", text)


def _json_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The schema as a model is held to it: every field required and nothing else allowed, whatever we tolerate in what it says.

    A server that generates by the schema would leave out what may be left out; our docstrings are not for the model.
    """
    return {**_strict(schema.model_json_schema()), "title": schema.__name__}


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    if "anyOf" in node:
        return _strict(next(option for option in node["anyOf"] if option != {"type": "null"}))
    kept = {name: _strict(value) for name, value in node.items() if name not in ("title", "default", "description", "properties")}
    if "properties" in node:
        kept["properties"] = {name: _strict(value) for name, value in node["properties"].items()}
        kept |= {"required": list(node["properties"]), "additionalProperties": False}
    return kept


def _value(schema: type[M], raw: AIMessage, parsed: object, bare: str | None) -> M | None:
    for candidate in _candidates(raw, parsed):
        try:
            return schema.model_validate(candidate)
        except ValidationError:
            continue
    text = without_thinking(raw.text).strip()
    if bare is None or not text:
        return None
    try:
        return schema.model_validate({bare: text})
    except ValidationError:
        return None


def _candidates(raw: AIMessage, parsed: object) -> Iterator[object]:
    """What might be the value, likeliest first."""
    if isinstance(parsed, dict):
        yield parsed
    yield from (call["args"] for call in raw.tool_calls)
    text = without_thinking(raw.text)
    for opening, closing in ("[]", "{}") if _starts_with_a_list(text) else ("{}",):
        start, end = text.find(opening), text.rfind(closing)
        if 0 <= start < end:
            yield from _loaded(text[start : end + 1])
    # Braces in the prose before the JSON spoil that slice.
    for found in reversed(list(re.finditer(r"\{", text))):
        yield from _loaded(text[found.start() :])


def _starts_with_a_list(text: str) -> bool:
    return re.match(r"[^{]*\[\s*\{", text) is not None


def _loaded(text: str) -> Iterator[object]:
    try:
        yield json.JSONDecoder(strict=False).raw_decode(text)[0]
    except ValueError:
        return


def _usage_of(message: AIMessage) -> Usage:
    counted = message.usage_metadata
    tokens = (counted["input_tokens"], counted["output_tokens"]) if counted else (0, 0)
    return {"calls": 1, "input_tokens": tokens[0], "output_tokens": tokens[1], "cost_usd": None}


def _translated(exc: Exception) -> ProviderError:
    said = f"the chat model failed ({' '.join(str(exc).split())[:_SAID_CHARS] or type(exc).__name__})"
    if isinstance(exc, ModelRateLimitError):
        return ProviderRateLimited(said)
    if isinstance(exc, ModelConnectionError | ModelTimeoutError | ConnectionError) or getattr(exc, "is_retryable", False):
        return ProviderUnavailable(said)
    return ProviderRejected(said, status=getattr(exc, "status_code", None))
