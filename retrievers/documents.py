"""A document on its way into the store: cut, analysed, embedded, and swapped in as a whole.

Made by retrievers/ingest, taken by retrievers/store.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from retrievers.types import ContentType, Json, Origin, Vector


@dataclass(frozen=True)
class ChunkDraft:
    """A chunk before it is stored.

    `start` and `end` are character offsets in the document's stored text: `text == document.text[start:end]`.
    """

    ordinal: int
    text: str
    heading_path: tuple[str, ...]
    start: int
    end: int
    token_count: int
    page: int | None = None
    content_type: ContentType = "text"
    language: str = "und"
    origin: Origin = "person"
    context: str | None = None
    parent: int | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class IndexedChunk:
    """A chunk with what both arms need: `words` as analysed, in order, and `vector`, which stands for the whole of it.

    `windows`, shape (n, dims), rows of unit length, are the embeddings of the parts it falls into; None where it is one part.
    """

    draft: ChunkDraft
    words: Sequence[str]
    vector: Vector
    windows: NDArray[np.float32] | None = None

    @cached_property
    def terms(self) -> Mapping[str, int]:
        """Each word with its count."""
        return Counter(self.words)


@dataclass(frozen=True)
class IndexedDocument:
    """A whole document, ready to be swapped in within one transaction. `text` is the cleaned original that offsets point into."""

    source: str
    content_hash: str
    title: str
    text: str
    language: str
    content_type: str
    readers: tuple[str, ...]
    metadata: Mapping[str, Json]
    modified: datetime | None
    created: datetime | None
    chunks: tuple[IndexedChunk, ...]
