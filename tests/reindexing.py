"""What the tests of re-indexing share: a second model, and a run that ends by SIGKILL at a chosen step."""

import asyncio
import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrievers.ingest.reindex import Reindexing, ReindexReport
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.types import Embedder, Vector

STEPS = ("embedded", "written", "exchange")


class OtherEmbedder(HashEmbedder):
    """A model of its own, of the same size as HashEmbedder's or another, whose vectors mean nothing beside those."""

    def __init__(self, model: str = "other", dims: int = 64, max_tokens: int = 512) -> None:
        super().__init__(dims)
        self._spec = replace(self._spec, model=model, max_tokens=max_tokens, no_answer=0.5, unrelated=0.2)

    def _embed(self, text: str) -> Vector:
        turned: Vector = np.roll(super()._embed(text), 7)
        return turned


class Interrupted(OtherEmbedder):
    """Calls `then` once, before it embeds passages for the second time."""

    def __init__(self, then: Any, **options: Any) -> None:
        super().__init__(**options)
        self._then, self._calls = then, 0

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self._calls += 1
        if self._calls == 2:
            await self._then()
        return await super().embed_passages(texts)


async def reindex(database: Database, scope: Scope, embedder: Embedder, name: str = "default", **options: Any) -> ReindexReport:
    """As wiring makes it."""
    return await Reindexing(database, EmbeddingCache(database), embedder).reindex(scope, name, **options)


def reindex_and_die(home: str, tenant: str, step: str, call: int) -> None:
    """In a process of its own: change `default` to OtherEmbedder, four chunks at a time, and end by SIGKILL at a call of a step."""
    asyncio.run(_reindex_and_die(Path(home), tenant, step, call))


async def _reindex_and_die(home: Path, tenant: str, step: str, call: int) -> None:
    from retrievers.store import rebuild

    rebuild.BATCH = 4
    left = call

    def die() -> None:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    real_add, real_remove = rebuild.Rebuild.add, rebuild._remove_others

    async def add(*arguments: Any) -> None:
        if step == "embedded":
            die()
        await real_add(*arguments)
        if step == "written":
            die()

    async def remove(*arguments: Any) -> None:
        await real_remove(*arguments)
        if step == "exchange":
            die()

    rebuild.Rebuild.add, rebuild._remove_others = add, remove  # type: ignore[method-assign]
    database = Database(None, home=home)
    await reindex(database, Scope.operator(tenant), OtherEmbedder())
    await database.close()
