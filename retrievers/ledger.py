"""What the ledger holds: each turn with its model calls, their tokens, time and price.

Values and a protocol; graphs/ledger.py gathers them, retrievers/store/ledger.py keeps them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID

from typing_extensions import TypedDict

MODEL = "tadori_model"
"""The key in a model call's metadata under which its `provider:model` stands, whatever class of LangChain's makes the call."""

_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """What a model costs, in USD for a million tokens read and a million written."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """USD for so many tokens."""
        return (self.input * input_tokens + self.output * output_tokens) / _MILLION


class ModelCall(TypedDict):
    """One call of a chat model in a step of the graph. `cost_usd` is None where its price is not set; a failed call has no tokens."""

    step: str
    model: str
    failed: bool
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    ms: float


@dataclass
class Turn:
    """One run of a graph: how it ended and which models it asked, in order."""

    id: UUID
    at: datetime
    status: str = "failed"
    ms: float = 0.0
    calls: list[ModelCall] = field(default_factory=list)


class StepUsage(TypedDict):
    """What one step's calls of one model came to. `cost_usd` is None where the price of any of them was not set."""

    step: str
    model: str
    calls: int
    failed: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    ms: float


class Usages(TypedDict):
    """The sums of a tenant: `turns` by their status, `steps` by step and model."""

    turns: dict[str, int]
    steps: list[StepUsage]


class TurnStore(Protocol):
    """Where turns are kept."""

    async def append(self, turns: Sequence[Turn]) -> None:
        """Adds them for ever, all or none. Raises StorageError."""
        ...

    async def usages(self, since: datetime | None) -> Usages:
        """Of the turns from `since` on, or of all. Raises StorageError."""
        ...
