"""What a run takes, remembers and returns: narrow in, wide inside, narrow out.

Every node reads RagState and returns a RagUpdate with just the keys it changed; live objects never enter the state.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from langgraph.types import Overwrite
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from retrievers.types import DEFAULT_COLLECTION, Fusion, Json, Origin, Passage

Status = Literal["answered", "partial", "direct", "no_evidence", "budget_exhausted", "needs_input", "failed"]
Step = Literal["gate", "route", "retrieve", "grade", "rewrite", "web_search", "generate", "cite"]
EventKind = Literal["decision", "search", "model", "unparsable", "fallback", "limit", "check"]
Route = Literal["direct", "hybrid"]
WebOutcome = Literal["not_configured", "off", "failed", "nothing", "nothing_relevant"]

MAX_REWRITES = 2
MAX_WEB_TRIES = 1

PASSAGE_TOKENS = 1024
"""A passage with what stands around it: room for a neighbour where both are chunks of the largest size, and five such fit a prompt."""


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


class Grade(TypedDict):
    """The verdict on one passage: `relevant`, with a reason a person can read."""

    id: str
    relevant: bool
    reason: str


class Citation(TypedDict):
    """`n` is the number in the answer's `[n]`; `start` and `end` are offsets of `quote` in the document's stored text."""

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
    """Reducer: sums. Commutative and associative; an unknown cost on both sides stays unknown. `Overwrite` resets."""
    known = [cost for cost in (left["cost_usd"], right["cost_usd"]) if cost is not None]
    return {
        "calls": left["calls"] + right["calls"],
        "input_tokens": left["input_tokens"] + right["input_tokens"],
        "output_tokens": left["output_tokens"] + right["output_tokens"],
        "cost_usd": sum(known) if known else None,
    }


@dataclass(kw_only=True)
class RagInput:
    """A question, or a conversation whose last human message is the question. One of the two is required."""

    question: str | None = None
    """The question in the user's words."""
    messages: Annotated[list[AnyMessage], add_messages] = field(default_factory=list)
    """The conversation so far, oldest first."""


@dataclass(kw_only=True)
class RagOutput:
    """What the user gets."""

    answer: str = ""
    """The answer with `[n]` after each claim, or the honest sentence that there is none."""
    status: Status = "failed"
    """What kind of answer it is."""
    reason: str = ""
    """Why the status is what it is, in one sentence."""
    degraded: Annotated[list[Degraded], append_degraded] = field(default_factory=list)
    """Steps that fell back, in order."""
    citations: list[Citation] = field(default_factory=list)
    """The cited passages, by n."""
    rejected: list[Rejected] = field(default_factory=list)
    """The best passages that were left out, best first."""
    trail: Annotated[list[TrailEvent], append] = field(default_factory=list)
    """Every decision, in order."""
    usage: Annotated[Usage, add_usage] = field(default_factory=no_usage)
    """Model calls and tokens of this turn."""
    messages: Annotated[list[AnyMessage], add_messages] = field(default_factory=list)
    """The conversation with this turn's answer as the last message."""


@dataclass(kw_only=True)
class RagState(RagOutput):
    """Everything a turn knows. All fields but `messages` are reset by the gate at the start of each turn."""

    question: str | None = None
    """The user's question of this turn; never overwritten by a rewrite."""
    standalone: str = ""
    """The question made searchable without the history; equal to `question` when it already was."""
    retrieve: bool = True
    """The gate's decision."""
    route: Route = "hybrid"
    """How to look for it."""
    query: str = ""
    """The search query of this round."""
    tried: list[str] = field(default_factory=list)
    """Every search query of this turn, oldest first; a rewrite never repeats one."""
    passages: list[Passage] = field(default_factory=list)
    """The candidates of this round, best first."""
    no_answer: float | None = None
    """The collection's threshold on `Passage.absolute`; None before the first search."""
    grades: list[Grade] = field(default_factory=list)
    """A verdict for each passage of this round, in the same order."""
    kept: list[Passage] = field(default_factory=list)
    """The relevant ones, best first; only these can reach the answer."""
    rewrites: int = 0
    """Rewrites so far, at most 2."""
    rewrite_ended: bool = False
    """The rewriter had nothing new to try, which ends the loop early."""
    web_tries: int = 0
    """Web searches so far, at most 1."""
    web_outcome: WebOutcome | None = None
    """Why the web search gave nothing; None before it was tried, and when it gave pages."""
    chunk_count: int | None = None
    """Chunks in the collection; None before the first search."""
    closest: Passage | None = None
    """The best passage that the user's own question found and the grade rejected; an abstention names it."""
    claims: list[Claim] = field(default_factory=list)
    """The draft, claim by claim, before citations are checked."""


class RagUpdate(TypedDict, total=False):
    """The keys a node may return; Overwrite resets a field that has a reducer."""

    answer: str
    status: Status
    reason: str
    degraded: list[Degraded] | Overwrite
    citations: list[Citation]
    rejected: list[Rejected]
    trail: list[TrailEvent] | Overwrite
    usage: Usage | Overwrite
    messages: list[AnyMessage]
    question: str
    standalone: str
    retrieve: bool
    route: Route
    query: str
    tried: list[str]
    passages: list[Passage]
    no_answer: float | None
    grades: list[Grade]
    kept: list[Passage]
    rewrites: int
    rewrite_ended: bool
    web_tries: int
    web_outcome: WebOutcome | None
    chunk_count: int | None
    closest: Passage | None
    claims: list[Claim]


def model_failed(state: RagState) -> bool:
    """Whether the chat model failed earlier in this turn: then no later step waits for it again."""
    return any(entry["step"] in ("gate", "grade", "rewrite", "generate") for entry in state.degraded)


def fresh_turn() -> RagUpdate:
    """Every field but `question` and `messages` as it is before a turn, whatever the last turn on the thread left."""
    return {
        "answer": "",
        "status": "failed",
        "reason": "",
        "degraded": Overwrite([]),
        "citations": [],
        "rejected": [],
        "trail": Overwrite([]),
        "usage": Overwrite(no_usage()),
        "standalone": "",
        "retrieve": True,
        "route": "hybrid",
        "query": "",
        "tried": [],
        "passages": [],
        "no_answer": None,
        "grades": [],
        "kept": [],
        "rewrites": 0,
        "rewrite_ended": False,
        "web_tries": 0,
        "web_outcome": None,
        "chunk_count": None,
        "closest": None,
        "claims": [],
    }


class Knobs(BaseModel):
    """What a caller may set for one run; shown as a form in Studio. The tenant and the readers are not among them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    collection: str = Field(DEFAULT_COLLECTION, description="The collection to search.")
    top_k: int = Field(5, ge=1, le=50, description="Passages handed to the answer.")
    passage_tokens: int = Field(
        PASSAGE_TOKENS,
        ge=0,
        le=4000,
        description="How far a model is shown what stands around a passage, in tokens; 0: only what was found.",
    )
    max_rewrites: int = Field(MAX_REWRITES, ge=0, le=MAX_REWRITES, description="Rewrites of the search query before the web is tried.")
    web: bool = Field(True, description="Search the web when the documents hold nothing and a web search is configured.")
    fusion: Fusion | None = Field(None, description="How both arms are combined; empty means the collection's own.")
    metadata: dict[str, str | list[str]] = Field(
        default_factory=dict, description="Only documents whose metadata have these values; a list means all of them."
    )
    since: AwareDatetime | None = Field(None, description="Only documents modified at this moment or later.")
    until: AwareDatetime | None = Field(None, description="Only documents modified before this moment.")
    now: datetime | None = Field(None, description="The current time with its zone; empty means the clock.")
