"""What a chat model says of texts, before anything of it has been checked against them, and what asking it cost.

Beside retrievers/entities.py: nodes/extracting.py asks and reads the reply, retrievers/providers/names_chat.py checks it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from retrievers.entities import EntityKind, GraphText
from retrievers.relevance import Spent


@dataclass(frozen=True)
class SaidName:
    """An entity by the words that, so the model says, the text has for it."""

    text: str
    kind: EntityKind


@dataclass(frozen=True)
class SaidRelation:
    """Two entities by their words, and the words of the text that, so the model says, tie them."""

    head: str
    predicate: str
    tail: str
    quote: str


@dataclass(frozen=True)
class SaidText:
    """What the model said of the text with this number, from 1; None where it gave no number."""

    number: int | None
    names: Sequence[SaidName] = ()
    relations: Sequence[SaidRelation] = ()


@dataclass(frozen=True)
class Said:
    """One reply. `texts` is None where it cannot be read; `said` is how it begins, and `cut` that it was as long as was allowed."""

    texts: Sequence[SaidText] | None
    said: str
    spent: Spent
    cut: bool = False


@dataclass(frozen=True)
class Most:
    """What may be spent on model calls and on tokens, those of prompts and replies together; None for no limit."""

    calls: int | None = None
    tokens: int | None = None


class TextReader(Protocol):
    """Asks a chat model for what texts hold."""

    def tokens(self, texts: Sequence[GraphText]) -> int:
        """About what the prompt for them has, rather too many than too few."""
        ...

    async def prepare(self) -> None:
        """Make the model's client, whose import takes seconds."""
        ...

    async def read(self, texts: Sequence[GraphText], most: Most) -> Said:
        """Of all texts in one call, numbered from 1. Raises ProviderError."""
        ...


@dataclass
class ExtractionReport:
    """What a model's extraction came to so far.

    `dropped` counts what the model gave and was left out, by why; `unreadable` counts replies; `stopped` says why texts stay unread, empty
    while none do.
    """

    spent: Spent = field(default_factory=lambda: Spent(calls=0, input_tokens=0, output_tokens=0))
    texts: int = 0
    failed: int = 0
    unreadable: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    stopped: str = ""
