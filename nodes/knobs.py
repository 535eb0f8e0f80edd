"""What a caller may set for one run, bounded and described: Studio shows it as a form.

Shared ground of the nodes and the doors.
"""

from datetime import datetime

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from retrievers.types import DEFAULT_COLLECTION, Fusion

MAX_REWRITES = 2
MAX_WEB_TRIES = 1
MAX_STEPS = 20

PASSAGE_TOKENS = 1024
"""A passage with what stands around it: room for a neighbour where both are chunks of the largest size, and five such fit a prompt."""


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
    decompose: bool = Field(True, description="Search the parts of a question of several parts on their own.")
    hyde: bool = Field(True, description="Let a model write a passage to search with, where the plain question is vague.")
    graph: bool = Field(True, description="Walk the knowledge graph for questions that take several steps; off: the documents alone.")
    clarify: bool = Field(False, description="Ask back when documents that disagree or stand apart could be meant.")
    max_steps: int = Field(6, ge=1, le=MAX_STEPS, description="Rounds of tool calls of the agent; the graph `rag` has none.")
    deadline_s: float | None = Field(None, gt=0, le=3600, description="Seconds after which the best answer so far is given; empty: none.")
    max_model_calls: int | None = Field(None, ge=0, le=100, description="Calls of a chat model in this run; empty means no limit.")
    max_tokens: int | None = Field(None, ge=0, le=1_000_000, description="Tokens of all model calls together; empty means no limit.")
