"""Passages beyond a search: as they are stored, what stands around them, and several of them as one.

Beside retrievers/types.py, for every floor; the store's side is retrievers/reading.py.
"""

from collections.abc import Collection as Ids
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired, Protocol, cast

from typing_extensions import TypedDict

from retrievers.types import DEFAULT_COLLECTION, NO_FILTERS, ContentType, Filters, Fusion, Hop, Json, Origin, Passage

_SHOWN = 100
"""Characters of an unknown id that are repeated."""


@dataclass(frozen=True)
class Bounds:
    """Where a tool looks, and how both arms are combined there (None: as the collection says). Set by the caller, never by a model."""

    collection: str = DEFAULT_COLLECTION
    filters: Filters = NO_FILTERS
    fusion: Fusion | None = None


@dataclass(frozen=True)
class Imagined:
    """Passages that a model made up, to search with beside the query. Handed over by the caller, never by the model that uses a tool."""

    texts: tuple[str, ...]


ANYWHERE = Bounds()
"""The default collection, without a filter."""


class StoredPassage(TypedDict):
    """A chunk as stored, without any score: nothing was searched. The fields are those of Passage."""

    id: str
    document: str
    title: str
    heading_path: list[str]
    page: int | None
    url: str | None
    origin: Origin
    content_type: ContentType
    language: str
    text: str
    start: int
    end: int
    token_count: int
    metadata: dict[str, Json]


class Reading(TypedDict):
    """`unknown` are the ids that name no passage which this reader may see, in the order they were asked for."""

    passages: list[StoredPassage]
    unknown: list[str]


class Part(TypedDict):
    """A stored chunk within a wide passage; `start` and `end` are offsets in the document's stored text, as the passage's own are."""

    id: str
    heading_path: list[str]
    page: int | None
    start: int
    end: int


class WidePassage(Passage):
    """A passage together with what stands around it: `text` is one slice of the stored text, `parts` the chunks in it, in order.

    `id` and the scores are those of its best part, `heading_path` and `page` those of its first.
    """

    parts: NotRequired[list[Part]]


class PassageReader(Protocol):
    """Reads one tenant's stored passages as one reader; the scope is fixed when it is made.

    The filters hold here as in a search: a passage whose document does not meet them is unknown, like another tenant's.
    """

    async def read(self, ids: Sequence[str], *, collection: str = DEFAULT_COLLECTION, filters: Filters = NO_FILTERS) -> Reading:
        """The passages in the order of `ids`, each once. Raises InvalidArgument, UnknownCollection, DatabaseUnavailable."""
        ...

    async def neighbours(
        self, passage: str, *, before: int = 3, after: int = 3, collection: str = DEFAULT_COLLECTION, filters: Filters = NO_FILTERS
    ) -> Reading:
        """The passage with up to so many before and after it in the same document, in its order. Raises as `read` does."""
        ...

    async def widen(
        self,
        passages: Sequence[Passage],
        *,
        each: int,
        total: int,
        without: Ids[str] = (),
        collection: str = DEFAULT_COLLECTION,
    ) -> list[WidePassage]:
        """The passages, best first, each grown within its section to at most `each` tokens while all stay within `total`.

        Those that touch or overlap become one, so that no text comes twice; one with more tokens than `each` stays as it is. Chunks
        `without` are not taken in. What is not stored here, such as a web page, is handed back as it is. Raises StorageError.
        """
        ...


def unknown_passage(name: str) -> str:
    """What is said of an id that names nothing, of another tenant's and of one that may not be read: the same of all three."""
    return f"there is no passage {name[:_SHOWN]!r} here, or it may not be read: use an id that a search has shown"


def part_at(passage: Passage, offset: int) -> Part:
    """The chunk that holds the character at `offset` of the passage's text: of two that share it the later."""
    at = passage["start"] + offset
    return next((part for part in reversed(_parts(passage)) if part["start"] <= at), _parts(passage)[0])


def part_ids(passage: Passage) -> list[str]:
    """The chunks that the passage is made of, in order."""
    return [part["id"] for part in _parts(passage)]


def as_wide(passage: Passage) -> WidePassage:
    """A passage that nothing was added to is a wide one without parts."""
    return cast(WidePassage, passage)


def _parts(passage: Passage) -> list[Part]:
    whole: Part = {
        "id": passage["id"],
        "heading_path": passage["heading_path"],
        "page": passage["page"],
        "start": passage["start"],
        "end": passage["end"],
    }
    return as_wide(passage).get("parts") or [whole]


def told_path(path: Sequence[Hop]) -> str:
    """How the knowledge graph led to a passage, as a clause; empty for a passage that the search found by itself."""
    steps = (
        f"is titled {hop['entity']!r}, as the question says"
        if hop["id"] is None
        else f"mentions {hop['entity']!r}, as {hop['title'] or hop['document']!r} does"
        for hop in path
    )
    return " and ".join(steps)
