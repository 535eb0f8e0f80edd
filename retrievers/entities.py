"""What a passage says of people, things and terms: names with the place they stand at, and what ties two of them together.

Made by the extractors, kept by retrievers/store, walked by retrievers/knowledge.py. Beside retrievers/types.py, for every floor.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

EntityKind = Literal["person", "organisation", "place", "work", "event", "product", "code", "term", "name"]
"""`name` is a proper name of which no more is known, `term` one that the text defines or a title or heading gives."""

Placed = Literal["title", "heading", "text"]


@dataclass(frozen=True)
class Name:
    """One entity in one text. `key` is what its spellings share; `text` is its first spelling there.

    `start` and `end` are character offsets of that spelling in the text, 0 and 0 in a title or heading; `count` is how often it stands
    there, at least 1.
    """

    key: str
    text: str
    kind: EntityKind
    placed: Placed
    start: int = 0
    end: int = 0
    count: int = 1


@dataclass(frozen=True)
class Relation:
    """Two entities, by key, and the span of the text that says so. `kind` is `together` (one sentence), `about` (the title and a name
    in its text) or, from a model, a predicate of its own in a few words; `weight` is above 0, larger is closer."""

    head: str
    tail: str
    kind: str
    start: int
    end: int
    weight: float = 1.0


@dataclass(frozen=True)
class Alias:
    """The text itself says that two keys are one entity, as in "Global Positioning System (GPS)". `start` and `end` are that span."""

    key: str
    same_as: str
    start: int
    end: int


@dataclass(frozen=True)
class GraphText:
    """A chunk as an extractor sees it: `text` is the original slice."""

    chunk: int
    title: str
    heading_path: tuple[str, ...]
    text: str
    language: str


@dataclass(frozen=True)
class Extraction:
    """What one chunk holds; each key once in `names`, every key of the others among them. `failed` is why nothing more could be read."""

    names: Sequence[Name] = field(default_factory=tuple)
    relations: Sequence[Relation] = field(default_factory=tuple)
    aliases: Sequence[Alias] = field(default_factory=tuple)
    failed: str | None = None


class EntityExtractor(Protocol):
    """Reads entities out of chunks."""

    @property
    def name(self) -> str:
        """With its version: a chunk that another one read is read again."""
        ...

    async def extract(self, texts: Sequence[GraphText]) -> list[Extraction]:
        """One for each text, in order; fewer, from the first on, where a limit of cost or a failure ended it: the others stay unread.

        A text that could not be read has its reason in `failed`. Raises ProviderError where asking is useless and none was read.
        """
        ...
