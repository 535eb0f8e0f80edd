"""Lets LangChain's own classes use one of our embedders.

Used by pgvector_store.py; the two sides of the model stay apart: queries as queries, documents as passages.
"""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from langchain_core.embeddings import Embeddings

from retrievers.types import Embedder

_T = TypeVar("_T")


class EmbedderEmbeddings(Embeddings):
    """An Embedder as LangChain's Embeddings; the synchronous methods work inside a running loop too, and block it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def aembed_query(self, text: str) -> list[float]:
        return [float(number) for number in await self._embedder.embed_query(text)]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[float(number) for number in row] for row in await self._embedder.embed_passages(texts)]

    def embed_query(self, text: str) -> list[float]:
        return _wait(self.aembed_query(text))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return _wait(self.aembed_documents(texts))


def _wait(work: Coroutine[object, object, _T]) -> _T:
    """Run to the end on a loop of its own, in a thread of its own: the caller's may be running."""
    with ThreadPoolExecutor(max_workers=1) as threads:
        return threads.submit(asyncio.run, work).result()
