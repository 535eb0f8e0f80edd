"""What every cache of embeddings promises, and how a text becomes its key.

Between the caches of retrievers/store and those who embed: the query side and ingestion.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Literal, Protocol

import numpy as np

from retrievers.scope import Scope
from retrievers.types import EmbeddingSpec, Vector

Side = Literal["query", "passage"]

_FLOAT = np.dtype("<f4")  # the order of bytes is part of the format: a dump moves between machines


class VectorCache(Protocol):
    """Keeps embeddings by tenant, model, dimensions, side and exact text; each tenant sees its own.

    A cache that cannot be used finds and keeps nothing, and says why in `fault`; for that alone it never raises.
    """

    @property
    def fault(self) -> str | None:
        """Why the cache could not be used the last time; None where it could."""
        ...

    async def get(self, scope: Scope, spec: EmbeddingSpec, side: Side, texts: Sequence[str]) -> list[Vector | None]:
        """The embedding of each text in order, None for one that is not kept."""
        ...

    async def put(self, scope: Scope, spec: EmbeddingSpec, side: Side, texts: Sequence[str], vectors: Sequence[Vector]) -> None:
        """Keep one vector for each text."""
        ...


def text_hash(text: str) -> bytes:
    """Of the exact text: one that differs in a space may embed differently. The text itself is kept nowhere."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def packed(vector: Vector) -> bytes:
    """The vector as a cache keeps it."""
    return vector.astype(_FLOAT).tobytes()


def unpacked(data: bytes) -> Vector:
    """The vector that `packed` made the bytes of."""
    return np.frombuffer(data, _FLOAT).astype(np.float32)
