"""What a turn records: events of the trail, grades, citations, usage; and the reducers that merge them.

Shared ground of the nodes, below nodes/state.py; every value is JSON-plain.
"""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from retrievers.types import Hop, Json, Origin, Passage

Status = Literal["answered", "partial", "direct", "no_evidence", "budget_exhausted", "needs_input", "failed"]
Step = Literal[
    "gate",
    "route",
    "decompose",
    "hyde",
    "retrieve",
    "knowledge_graph",
    "fuse",
    "grade",
    "sufficiency",
    "rewrite",
    "web_search",
    "clarify",
    "generate",
    "cite",
    "agent",
    "tools",
]
EventKind = Literal["decision", "search", "model", "unparsable", "fallback", "limit", "check"]
Route = Literal["direct", "hybrid", "hyde", "decompose", "knowledge_graph", "web"]
WebOutcome = Literal["not_configured", "off", "rate_limited", "unavailable", "failed", "nothing", "nothing_relevant"]


class TrailEvent(TypedDict):
    """One thing that happened. `ms` is the time this step took until the event, `data` is JSON-plain."""

    step: Step
    kind: EventKind
    decision: str
    reason: str
    ms: float
    data: dict[str, Json]


class Degraded(TypedDict):
    """A step that could not run as meant, why, and what was done instead."""

    step: Step
    cause: str
    fallback: str


UNREADABLE = "the model's reply"
"""How the cause begins where the model answered, and its answer could not be used: it is there, and is asked again."""


def is_unreadable(entry: Degraded) -> bool:
    """Whether the model answered, if not so that it could be read."""
    return entry["cause"].startswith(UNREADABLE)


class Grade(TypedDict):
    """The verdict on one passage: `relevant`, with a reason a person can read."""

    id: str
    relevant: bool
    reason: str


class Citation(TypedDict):
    """`n` is the number in the answer's `[n]`; `start` and `end` are offsets of `quote` in the document's stored text.

    `path` is there where the knowledge graph led to the passage: over which names, from which passage.
    """

    n: int
    id: str
    document: str
    title: str
    heading_path: list[str]
    page: int | None
    url: str | None
    origin: Origin
    quote: str
    start: int | None
    end: int | None
    verified: bool
    path: NotRequired[list[Hop]]


class Rejected(TypedDict):
    """A passage that was looked at and left out, best first. `score` is the absolute score, or None where it has none."""

    id: str
    document: str
    score: float | None
    why: str


class Usage(TypedDict):
    """Model calls of this run; `cost_usd` is None when a price is not known."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class Claim(TypedDict):
    """A sentence of the draft and what it rests on: `passage` is 1-based into the kept passages, `quote` verbatim from it."""

    text: str
    passage: int | None
    quote: str | None


class Found(TypedDict):
    """What one search of a round found. `place` orders parallel searches: 0 is the whole question's, then each sub-question's."""

    place: int
    query: str
    passages: list[Passage]
    no_answer: float | None
    chunk_count: int | None


class Period(TypedDict):
    """A time that the question names: `since` inclusive, `until` exclusive, both ISO with their zone or None; `said` are its words."""

    since: str | None
    until: str | None
    said: str


SURE = 0.7
"""Above it a verdict of "not sufficient" is believed and nothing is answered. Up to it a deeper search comes, then an answer in part."""


class Sufficiency(TypedDict):
    """Whether the kept passages hold the answer, how sure that verdict is (0-1), and what is missing, as text for the next query."""

    sufficient: bool
    confidence: float
    missing: str


def no_usage() -> Usage:
    """A usage of nothing."""
    return {"calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": None}


def append(left: list[TrailEvent], right: list[TrailEvent]) -> list[TrailEvent]:
    """Reducer: events in the order they happened. Law: append(a, append(b, c)) == append(append(a, b), c). `Overwrite` resets."""
    return [*left, *right]


def append_degraded(left: list[Degraded], right: list[Degraded]) -> list[Degraded]:
    """Reducer: each degradation once, in order. Idempotent: repeating an entry changes nothing. `Overwrite` resets."""
    return [*left, *(entry for entry in right if entry not in left)]


def add_usage(left: Usage, right: Usage) -> Usage:
    """Reducer: sums. Commutative and associative; with a call whose cost is unknown the sum is unknown. `Overwrite` resets."""
    costs = [usage["cost_usd"] for usage in (left, right) if usage["calls"]]
    known = [cost for cost in costs if cost is not None]
    return {
        "calls": left["calls"] + right["calls"],
        "input_tokens": left["input_tokens"] + right["input_tokens"],
        "output_tokens": left["output_tokens"] + right["output_tokens"],
        "cost_usd": sum(known) if known and len(known) == len(costs) else None,
    }


def gather(left: list[Found], right: list[Found]) -> list[Found]:
    """Reducer: what the searches of a round found, by place, whatever order parallel branches end in. `Overwrite` resets."""
    return sorted([*left, *right], key=lambda found: found["place"])
