"""What a run takes, remembers and returns: narrow in, wide inside, narrow out.

Every node reads RagState and returns a RagUpdate with just the keys it changed; live objects never enter the state.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from langchain_core.messages import AnyMessage, RemoveMessage
from langgraph.channels import EphemeralValue
from langgraph.types import Overwrite
from typing_extensions import TypedDict

from nodes.conversation import conversation
from nodes.records import (
    Citation,
    Claim,
    Degraded,
    Found,
    Grade,
    Period,
    Rejected,
    Route,
    Status,
    Sufficiency,
    TrailEvent,
    Usage,
    WebOutcome,
    add_usage,
    append,
    append_degraded,
    gather,
    is_unreadable,
    no_usage,
)
from retrievers.types import Passage


@dataclass(kw_only=True)
class RagInput:
    """A question, or a conversation whose last human message is the question. One of the two is required."""

    question: str | None = None
    """The question in the user's words."""
    messages: Annotated[list[AnyMessage], conversation] = field(default_factory=list)
    """The conversation so far, oldest first."""


@dataclass(kw_only=True)
class RagOutput:
    """What the user gets."""

    answer: str = ""
    """The answer with `[n]` after each claim, or the honest sentence that there is none."""
    status: Annotated[Status, EphemeralValue] = "failed"
    """What kind of answer it is; written with the answer, so that a running turn shows none."""
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
    messages: Annotated[list[AnyMessage], conversation] = field(default_factory=list)
    """The conversation with this turn's answer as the last message."""


@dataclass(kw_only=True)
class RagState(RagOutput):
    """Everything a turn knows. All fields but `messages` are reset when a turn starts: `status` by its channel, the others by the gate."""

    question: str | None = None
    """The user's question of this turn; never overwritten by a rewrite."""
    standalone: str = ""
    """The question made searchable without the history; equal to `question` when it already was."""
    retrieve: bool = True
    """The gate's decision."""
    route: Route = "hybrid"
    """How to look for it."""
    suggested: Route | None = None
    """The way that the gate's model would look for it; only heuristics that are silent let it decide."""
    query: str = ""
    """The search query of this round."""
    place: int = 0
    """Which of the round's parallel searches this branch is."""
    sub_questions: list[str] = field(default_factory=list)
    """The parts of a question of several parts, searched side by side."""
    hypothetical: list[str] = field(default_factory=list)
    """Passages that a model imagined as the answer; searched with, never shown."""
    period: Period | None = None
    """The time that the question names; a filter unless the caller set one."""
    refetch: bool = False
    """The next search is the refetch: the same query, twice as many passages."""
    deeper: bool = False
    """The refetch was used."""
    found: Annotated[list[Found], gather] = field(default_factory=list)
    """What the searches of this round found, before they are fused."""
    tried: list[str] = field(default_factory=list)
    """Every search query of this turn, oldest first; a rewrite never repeats one."""
    passages: list[Passage] = field(default_factory=list)
    """The candidates of this round, best first."""
    no_answer: float | None = None
    """The collection's threshold on `Passage.absolute`; None before the first search."""
    grades: list[Grade] = field(default_factory=list)
    """A verdict for each passage of this round, in the same order."""
    judged: list[Grade] = field(default_factory=list)
    """The model's verdicts of all rounds: no passage is asked about twice."""
    kept: list[Passage] = field(default_factory=list)
    """The relevant ones of all rounds, best first; only these can reach the answer."""
    sufficiency: Sufficiency | None = None
    """Whether the kept ones hold the answer; None before anything was kept."""
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
    unanswered: list[str] = field(default_factory=list)
    """The sub-questions that nothing kept answers."""
    meant: list[str] = field(default_factory=list)
    """The documents that the user was asked about and said are meant; each is answered from."""
    deadline: float | None = None
    """When the caller's time is over, in seconds since the epoch; None without one."""
    time_left: float | None = None
    """Seconds of the caller's that were left when the user was asked back; the time of waiting is not the caller's."""
    call_limit: int | None = None
    """Model calls that the caller allows in this turn; None without a limit."""
    token_limit: int | None = None
    """Tokens of all model calls together that the caller allows; None without a limit."""


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
    messages: Sequence[AnyMessage | RemoveMessage]
    question: str | None
    standalone: str
    retrieve: bool
    route: Route
    suggested: Route | None
    query: str
    tried: list[str]
    passages: list[Passage]
    no_answer: float | None
    grades: list[Grade]
    judged: list[Grade]
    kept: list[Passage]
    rewrites: int
    rewrite_ended: bool
    web_tries: int
    web_outcome: WebOutcome | None
    chunk_count: int | None
    closest: Passage | None
    claims: list[Claim]
    unanswered: list[str]
    place: int
    sub_questions: list[str]
    hypothetical: list[str]
    period: Period | None
    refetch: bool
    deeper: bool
    found: list[Found] | Overwrite
    sufficiency: Sufficiency | None
    meant: list[str]
    deadline: float | None
    time_left: float | None
    call_limit: int | None
    token_limit: int | None


def model_failed(state: RagState) -> bool:
    """Whether the chat model failed earlier in this turn: then no later step waits for it again.

    Decompose and hyde do not count: they wait for seconds only, and a model that is too slow for them is no failed one. Nor does a reply
    that could not be read: the next one may be.
    """
    failures = [entry for entry in state.degraded if not is_unreadable(entry)]
    return any(entry["step"] in ("gate", "agent", "grade", "sufficiency", "rewrite", "generate") for entry in failures)


def fresh_turn() -> RagUpdate:
    """Every field but `question`, `messages` and `status` as it is before a turn, whatever the last turn on the thread left."""
    return {
        "answer": "",
        "reason": "",
        "degraded": Overwrite([]),
        "citations": [],
        "rejected": [],
        "trail": Overwrite([]),
        "usage": Overwrite(no_usage()),
        "standalone": "",
        "retrieve": True,
        "route": "hybrid",
        "suggested": None,
        "query": "",
        "tried": [],
        "passages": [],
        "no_answer": None,
        "grades": [],
        "judged": [],
        "kept": [],
        "rewrites": 0,
        "rewrite_ended": False,
        "web_tries": 0,
        "web_outcome": None,
        "chunk_count": None,
        "closest": None,
        "claims": [],
        "unanswered": [],
        "place": 0,
        "sub_questions": [],
        "hypothetical": [],
        "period": None,
        "refetch": False,
        "deeper": False,
        "found": Overwrite([]),
        "sufficiency": None,
        "meant": [],
        "deadline": None,
        "time_left": None,
        "call_limit": None,
        "token_limit": None,
    }
