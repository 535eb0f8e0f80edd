"""Embeddings kept by tenant, model, side and text: the same text is never embedded twice.

Used by ingestion for passages and by the searches for queries.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Literal

import numpy as np

from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.sql import statement
from retrievers.types import Vector

Side = Literal["query", "passage"]

_FLOAT = np.dtype("<f4")  # the order of bytes is part of the format: a dump moves between machines


class EmbeddingCache:
    """The cache of all tenants in `db`; each sees its own."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def get(self, scope: Scope, model: str, side: Side, texts: Sequence[str]) -> list[Vector | None]:
        """The embedding of each text in order, None for one that is not kept."""
        hashes = [_hash(text) for text in texts]
        if not hashes:
            return []
        async with self._db.transaction(scope) as conn:
            values = {"model": model, "side": side, "hashes": sorted(set(hashes))}
            rows = await (await conn.execute(statement("read_embeddings.sql"), values)).fetchall()
        kept = {bytes(text_hash): np.frombuffer(embedding, _FLOAT).astype(np.float32) for text_hash, embedding in rows}
        return [kept.get(text_hash) for text_hash in hashes]

    async def put(self, scope: Scope, model: str, side: Side, texts: Sequence[str], vectors: Sequence[Vector]) -> None:
        """Keep one vector for each text; a text that is kept already keeps its first."""
        embeddings = {_hash(text): vector.astype(_FLOAT).tobytes() for text, vector in zip(texts, vectors, strict=True)}
        if not embeddings:
            return
        async with self._db.transaction(scope) as conn:
            values = {"model": model, "side": side, "hashes": list(embeddings), "embeddings": list(embeddings.values())}
            await conn.execute(statement("write_embeddings.sql"), values)


def _hash(text: str) -> bytes:
    """Of the exact text: one that differs in a space may embed differently."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
