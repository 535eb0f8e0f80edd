"""What every step reads and writes beside the state: the caller's knobs, the time, and events for the trail.

Shared ground of the nodes; imports only the state.
"""

import time
from datetime import UTC, datetime

from langgraph.runtime import Runtime

from nodes.knobs import Knobs
from nodes.records import UNREADABLE, Degraded, EventKind, Step, TrailEvent
from retrievers.types import Filters, Json

_SAID_CHARS = 200


def knobs(runtime: Runtime[Knobs]) -> Knobs:
    """The caller's knobs, or the defaults: without a context LangGraph hands over None."""
    return runtime.context or Knobs()


def now(runtime: Runtime[Knobs]) -> datetime:
    """The current time with its zone: the caller's, else the clock's. One without a zone counts as UTC."""
    given = knobs(runtime).now
    if given is None:
        return datetime.now().astimezone()
    return given if given.tzinfo else given.replace(tzinfo=UTC)


def filters(knobs: Knobs) -> Filters:
    """The knobs' conditions on documents."""
    pairs = [(key, value) for key, given in knobs.metadata.items() for value in ([given] if isinstance(given, str) else given)]
    return Filters(tuple(sorted(pairs)), knobs.since, knobs.until)


class Clock:
    """Makes the events of one step; their `ms` counts from the step's start."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self._started = time.perf_counter()

    def event(self, kind: EventKind, decision: str, reason: str, /, **data: Json) -> TrailEvent:
        """One event, now."""
        ms = round((time.perf_counter() - self._started) * 1000, 1)
        return {"step": self._step, "kind": kind, "decision": decision, "reason": reason, "ms": ms, "data": data}

    def fallback(self, cause: str, instead: str) -> tuple[TrailEvent, Degraded]:
        """A step that fell back: the same for the trail and for `degraded`."""
        return self.event("fallback", instead, cause), {"step": self._step, "cause": cause, "fallback": instead}

    def unreadable(self, fault: str, instead: str, said: str) -> tuple[TrailEvent, Degraded]:
        """The same where the model replied, but not so that its reply could decide; `fault` completes "the model's reply"."""
        cause = f"{UNREADABLE} {fault}"
        event = self.event("unparsable", instead, cause, said=said[:_SAID_CHARS])
        return event, {"step": self._step, "cause": cause, "fallback": instead}
