"""Embeddings kept in PostgreSQL by tenant, model, side and text: the same text is never embedded twice.

The VectorCache that needs no setting; used by ingestion for passages and by the searches for queries.
"""

from collections.abc import Sequence

from retrievers.caching import Side, packed, text_hash, unpacked
from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.sql import statement
from retrievers.types import EmbeddingSpec, Vector

KEPT_DAYS = 90
"""After its last use: long enough to try another model and go back, and the end of what no question asks any more."""

_LEAST_REMOVED = 20
"""Old embeddings that a write removes at most, or twice as many as it adds: so the cache shrinks while it is used, and no write is slow."""


class EmbeddingCache:
    """The cache of all tenants in `db`; each sees its own. What was not used for 90 days goes with later writes, a few at a time."""

    fault: str | None = None

    def __init__(self, db: Database) -> None:
        self._db = db

    async def get(self, scope: Scope, spec: EmbeddingSpec, side: Side, texts: Sequence[str]) -> list[Vector | None]:
        """The embedding of each text in order, None for one that is not kept; raises DatabaseUnavailable."""
        hashes = [text_hash(text) for text in texts]
        if not hashes:
            return []
        async with self._db.transaction(scope) as conn:
            values = {"model": spec.model, "dims": spec.dims, "side": side, "hashes": sorted(set(hashes))}
            rows = await (await conn.execute(statement("read_embeddings.sql"), values)).fetchall()
        kept = {bytes(found): unpacked(embedding) for found, embedding in rows}
        return [kept.get(found) for found in hashes]

    async def put(self, scope: Scope, spec: EmbeddingSpec, side: Side, texts: Sequence[str], vectors: Sequence[Vector]) -> None:
        """Keep one vector for each text; a text that is kept already keeps its first."""
        embeddings = {text_hash(text): packed(vector) for text, vector in zip(texts, vectors, strict=True)}
        if not embeddings:
            return
        async with self._db.transaction(scope) as conn:
            values = {
                "model": spec.model,
                "side": side,
                "hashes": list(embeddings),
                "embeddings": list(embeddings.values()),
                "kept_days": KEPT_DAYS,
                "most": max(_LEAST_REMOVED, 2 * len(embeddings)),
            }
            await conn.execute(statement("write_embeddings.sql"), values)
