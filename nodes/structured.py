"""Asks a chat model for a decision and gets a checked value, whatever way of answering in JSON the model has.

Shared ground of the nodes; the only place that knows the ways. A reply that cannot be read is no error: it has no value,
and the caller's declared default holds.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

from langchain_core.exceptions import ModelConnectionError, ModelError, ModelRateLimitError, ModelTimeoutError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs
from langchain_core.tools import BaseTool
from pydantic import BaseModel

from nodes.budget import SKIPPED, SPENT, UNLIMITED, Allowance, allowance, spent, unaffordable
from nodes.context import Clock
from nodes.listening import Heard, Listener
from nodes.records import Degraded, TrailEvent, Usage, add_usage, no_usage
from nodes.replies import MOST_CHARS, Reply, json_schema, usage_of, value_in, without_thinking
from nodes.state import RagState, model_failed
from retrievers.errors import ProviderError, ProviderRateLimited, ProviderRejected, ProviderReplyInvalid, ProviderUnavailable
from retrievers.ledger import Price

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")
Rung = Literal["json_schema", "function_calling", "text"]

RUNGS: tuple[Rung, ...] = ("json_schema", "function_calling", "text")
"""From the surest to the one that every model has."""

DEADLINE_S = 100.0
"""For one decision with all its rungs and retries; above the 90 s that a model of ours is given, so that its own error is the one shown."""

_REFUSED_FEATURE = (400, 404, 405, 415, 422, 501)
"""Statuses by which servers say that they do not know response_format or tools."""

_NOT_STREAMED = "nostream"
"""LangGraph's tag for calls whose tokens are not part of the conversation: a front end that streams messages would show raw JSON."""

_SAID_CHARS = 200


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

    Every failure of the model is a ProviderError, at the latest after the deadline; OutOfTime where the caller's came first.
    """

    def __init__(self, chat: BaseChatModel, *, deadline_s: float = DEADLINE_S, price: Price | None = None) -> None:
        self._chat = chat
        self._price = price
        self._deadline_s = deadline_s
        self._rungs: tuple[Rung, ...] = RUNGS
        self._streams = True

    async def prepare(self) -> None:
        """Make the model now where it is made at its first call, for a caller whose time must not pay for that."""
        if isinstance(self._chat, MadeLater):
            await asyncio.to_thread(self._chat.inner)

    async def window(self) -> int | None:
        """Tokens that a prompt may have, where that is known of the model."""
        await self.prepare()
        profile = getattr(self._made(), "profile", None) or {}
        return profile.get("max_input_tokens")

    async def decide(
        self,
        messages: Sequence[BaseMessage],
        schema: type[M],
        *,
        bare: str | None = None,
        allowed: Allowance = UNLIMITED,
        heard: Heard | None = None,
    ) -> Reply[M]:
        """The model's reply as `schema`. Prose and thinking around the JSON are tolerated; a reply without JSON fills the field `bare`.

        A refused rung, or an empty reply on it, leads to the next one; a reply that says something else ends in no value at once.
        `heard` is told what was said so far, while it is said, where the model can be streamed.
        """
        return await self._within_deadline(lambda: self._climb_down(_Asking(list(messages), schema, bare, allowed, heard)), allowed)

    async def say(self, messages: Sequence[BaseMessage], allowed: Allowance = UNLIMITED) -> Reply[str]:
        """The model's reply as text, its thinking left out; no value for an empty one."""

        async def ask() -> Reply[str]:
            raw = await self._chat.ainvoke(list(messages), _config(), **self._bounded(allowed))
            text = without_thinking(raw.text).strip()[:MOST_CHARS]
            return Reply(text or None, usage_of(raw, messages, self._price), text)

        return await self._within_deadline(ask, allowed)

    async def act(self, messages: Sequence[BaseMessage], tools: Sequence[BaseTool], allowed: Allowance = UNLIMITED) -> Reply[AIMessage]:
        """The model's next message, in which it may call the tools. Raises ProviderRejected for a model that has none."""

        async def ask() -> Reply[AIMessage]:
            await self.prepare()
            try:
                bound = self._chat.bind_tools(list(tools))
            except (NotImplementedError, ValueError, TypeError) as exc:
                raise ProviderRejected("the chat model cannot call tools: choose one that can", status=501) from exc
            raw = await bound.ainvoke(list(messages), _config(), **self._bounded(allowed))
            return Reply(raw, usage_of(raw, messages, self._price), without_thinking(raw.text).strip())

        return await self._within_deadline(ask, allowed)

    def _made(self) -> BaseChatModel:
        return self._chat.inner() if isinstance(self._chat, MadeLater) else self._chat

    def _bounded(self, allowed: Allowance) -> dict[str, Any]:
        """What is asked of the reply, as far as the client has such options by the usual names."""
        asked = {"max_tokens": None if allowed.tokens is None else max(1, allowed.tokens), "temperature": allowed.temperature}
        given = {name: value for name, value in asked.items() if value is not None}
        known = type(self._made()).model_fields if given else {}
        return {name: value for name, value in given.items() if name in known}

    async def _within_deadline(self, ask: Callable[[], Awaitable[T]], allowed: Allowance) -> T:
        seconds = self._deadline_s if allowed.seconds is None else min(self._deadline_s, allowed.seconds)
        try:
            async with asyncio.timeout(seconds):
                return await ask()
        except TimeoutError as exc:
            if seconds < self._deadline_s:
                raise OutOfTime("the time that the caller allows is over") from exc
            raise ProviderUnavailable(
                f"the chat model did not answer within {self._deadline_s:g} s: try again later, or use a faster one"
            ) from exc
        except (ModelError, ConnectionError) as exc:
            # A model that was not made by retrievers.providers brings LangChain's own errors.
            raise _translated(exc) from exc

    async def _climb_down(self, asking: "_Asking[M]") -> Reply[M]:
        if asking.allowed.tokens is not None:
            await self.prepare()
        usage, text, refused = no_usage(), "", set[Rung]()
        for rung in self._rungs:
            try:
                raw, parsed = await self._heard(rung, asking)
            except (_NotOffered, ProviderRejected) as exc:
                if rung == RUNGS[-1] or (isinstance(exc, ProviderRejected) and exc.status not in _REFUSED_FEATURE):
                    raise
                refused.add(rung)
                continue
            usage, text = add_usage(usage, usage_of(raw, asking.messages, self._price)), without_thinking(raw.text).strip()
            value = value_in(asking.schema, raw, parsed, asking.bare)
            if value is not None:
                # Only now is it known that the refusal was about the rung and not about the request.
                self._rungs = tuple(kept for kept in self._rungs if kept not in refused)
                return Reply(value, usage, text)
            if raw.text.strip() or raw.tool_calls or usage["calls"] == asking.allowed.calls:
                break
            refused.add(rung)
        return Reply(None, usage, text)

    async def _heard(self, rung: Rung, asking: "_Asking[Any]") -> tuple[AIMessage, object]:
        """Streamed for a listener; where that is refused, or comes in a form that cannot be read, asked again without one."""
        if asking.heard is None or not self._streams:
            return await self._ask(rung, asking, _config())
        try:
            return await self._ask(rung, asking, _config(Listener(asking.heard)))
        except (ProviderRejected, ProviderReplyInvalid):
            reply = await self._ask(rung, asking, _config())
            self._streams = False
            return reply

    async def _ask(self, rung: Rung, asking: "_Asking[Any]", config: RunnableConfig) -> tuple[AIMessage, object]:
        bounded = self._bounded(asking.allowed)
        if rung == "text":
            return await self._chat.ainvoke(asking.messages, config, **bounded), None
        try:
            # A schema as a dict: with a class, json_schema raises inside the call even when the raw reply is wanted.
            structured = self._chat.with_structured_output(json_schema(asking.schema), method=rung, include_raw=True, **bounded)
        except (NotImplementedError, ValueError, TypeError) as exc:
            raise _NotOffered(rung) from exc
        reply: Any = await structured.ainvoke(asking.messages, config)
        return reply["raw"], reply["parsed"]


@dataclass(frozen=True)
class _Asking(Generic[M]):
    """What `decide` was asked for."""

    messages: list[BaseMessage]
    schema: type[M]
    bare: str | None
    allowed: Allowance
    heard: Heard | None


def _config(*listeners: Listener) -> RunnableConfig:
    """What the run around it has set, and that this call is no part of the conversation."""
    return merge_configs({}, {"tags": [_NOT_STREAMED], "callbacks": list(listeners)})


class OutOfTime(ProviderUnavailable):
    """The caller's time was over before the model had answered."""


class _NotOffered(Exception):
    """The model's class does not have this rung."""


async def consult(
    chat: Decider,
    messages: Sequence[BaseMessage],
    schema: type[M],
    state: RagState,
    clock: Clock,
    *,
    instead: str,
    bare: str | None = None,
    optional: bool = False,
    heard: Heard | None = None,
) -> Consulted[M]:
    """Ask the model for a step's decision; `instead` names the policy that decides when it fails or cannot be read.

    A model that failed earlier in this turn is not waited for again. What the caller's budgets do not allow is not asked; `optional`
    is a question whose answer the turn does not need. Never raises ProviderError.
    """

    async def ask(allowed: Allowance) -> Reply[M]:
        return await chat.decide(messages, schema, bare=bare, allowed=allowed, heard=heard)

    return await consult_by(ask, messages, state, clock, instead=instead, optional=optional)


async def consult_by(
    ask: Callable[[Allowance], Awaitable[Reply[T]]],
    messages: Sequence[BaseMessage],
    state: RagState,
    clock: Clock,
    *,
    instead: str,
    optional: bool = False,
) -> Consulted[T]:
    """As `consult`, for any way of asking a Decider."""
    if model_failed(state):
        return _fallen_back(clock, "the chat model failed earlier in this turn", instead)
    if reason := unaffordable(state, messages):
        return _stopped(clock, reason, instead, optional)
    allowed = allowance(state, messages)
    try:
        reply = await ask(allowed)
    except OutOfTime as exc:
        return _stopped(clock, str(exc), instead, optional)
    except ProviderError as exc:
        return _fallen_back(clock, str(exc), instead)
    if reply.value is not None:
        return Consulted(reply.value, reply.text, usage=reply.usage)
    if allowed.tokens is not None and (over := spent(replace(state, usage=add_usage(state.usage, reply.usage)))):
        # The reply was cut where the tokens ended.
        return replace(_stopped(clock, over, instead, optional), text=reply.text, usage=reply.usage)
    event, degraded = clock.unreadable("cannot be read", instead, reply.text)
    return Consulted(None, reply.text, [event], [degraded], reply.usage)


def _stopped(clock: Clock, reason: str, instead: str, optional: bool) -> Consulted[Any]:
    return Consulted(events=[clock.event("limit", instead, reason, **{SKIPPED if optional else SPENT: reason})])


def _fallen_back(clock: Clock, cause: str, instead: str) -> Consulted[Any]:
    event, degraded = clock.fallback(cause, instead)
    return Consulted(events=[event], degraded=[degraded])


def _translated(exc: Exception) -> ProviderError:
    said = f"the chat model failed ({' '.join(str(exc).split())[:_SAID_CHARS] or type(exc).__name__})"
    if isinstance(exc, ModelRateLimitError):
        return ProviderRateLimited(said)
    if isinstance(exc, ModelConnectionError | ModelTimeoutError | ConnectionError) or getattr(exc, "is_retryable", False):
        return ProviderUnavailable(said)
    return ProviderRejected(said, status=getattr(exc, "status_code", None))
