"""Embeds with a model from a local folder, run by fastembed on ONNX: no key, no network, never the hub (extra `fastembed`).

An adapter of the Embedder protocol; chosen by `TADORI_EMBEDDING_MODEL=fastembed:/folder`.
"""

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrievers.errors import ConfigurationError, InvalidArgument, MissingExtra, ProviderReplyInvalid
from retrievers.providers.embed_remote import unit_rows
from retrievers.providers.embedding_folder import EmbeddingFolder, read_folder
from retrievers.providers.embedding_registry import Choice, make_spec, settled
from retrievers.text.clean import clean
from retrievers.types import EmbeddingSpec, Vector

_BATCH = 16
"""Texts of one run of the model: enough to keep all cores busy, and a query waits for no more than one of them."""
_MAX_CHARS = 40_000
"""Cut before the tokeniser: longer than any model's window in practice."""
_PROBE = "dimensions"


@dataclass(frozen=True)
class _Model:
    """The model as loaded; `cut` is how many numbers of a vector are kept, None for all."""

    encoder: Any
    tokeniser: Any
    spec: EmbeddingSpec
    prefixes: tuple[str, str]
    cut: int | None


class FastembedEmbedder:
    """Loads at first use. The model is known by the folder's name and what is in it, wherever the folder lies.

    Prefixes and pooling are what the folder declares; see retrievers/providers/embedding_folder.py.
    """

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        self._lock = Lock()
        self._model: _Model | None = None
        # Apart, so that a query waits for one run of the passages at most, and never for a batch of hundreds.
        self._query_pool = ThreadPoolExecutor(1, "fastembed-query")
        self._passage_pool = ThreadPoolExecutor(1, "fastembed-passage")

    @property
    def spec(self) -> EmbeddingSpec:
        """Loads the model, which blocks for seconds. Raises MissingExtra, and ConfigurationError for a folder that cannot be used."""
        return self._load().spec

    def count_tokens(self, text: str) -> int:
        """By the model's own tokeniser, special tokens left out."""
        return len(self._load().tokeniser.encode(clean(text).text, add_special_tokens=False).ids)

    async def embed_query(self, text: str) -> Vector:
        """What lies beyond the window is left out. Raises InvalidArgument for a text without a visible character."""
        rows = await asyncio.get_running_loop().run_in_executor(self._query_pool, self._rows, [text], 0)
        row: Vector = rows[0]
        return row

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As embed_query, for many. Cancelled, it stops after the run that is under way."""
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        loop = asyncio.get_running_loop()
        model = await loop.run_in_executor(self._passage_pool, self._load)
        rows = np.empty((len(texts), model.spec.dims), np.float32)
        # Texts of like lengths together: each is padded to the longest of its run.
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            rows[batch] = await loop.run_in_executor(self._passage_pool, self._rows, [texts[index] for index in batch], 1)
        return rows

    def _rows(self, texts: list[str], side: int) -> NDArray[np.float32]:
        model = self._load()
        found = _run(model.spec.model, model.encoder, [model.prefixes[side] + _prepared(text) for text in texts])
        return unit_rows(model.spec.model, found[:, : model.cut])

    def _load(self) -> _Model:
        with self._lock:
            if self._model is None:
                self._model = _loaded(self._choice)
            return self._model


def _loaded(choice: Choice) -> _Model:
    folder = read_folder(f"fastembed:{choice.model}", Path(choice.model))
    choice = settled(choice, folder.known)
    encoder, tokeniser = _opened(folder)
    dims = _run(folder.who, encoder, [_PROBE]).shape[1]
    if choice.dims and folder.known and dims != folder.known.dims:
        raise ConfigurationError(
            f"{folder.who} gives {dims} dimensions and not {folder.known.dims} as its name says: leave out @{choice.dims}"
        )
    tokens = int(encoder.model.tokenizer.truncation["max_length"])
    spec = replace(make_spec(folder.identity(choice.dims), choice.dims or dims, folder.known), max_tokens=tokens)
    return _Model(encoder, tokeniser, spec, folder.prefixes, choice.dims)


def _opened(folder: EmbeddingFolder) -> tuple[Any, Any]:
    try:
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType
        from tokenizers import Tokenizer
    except ImportError as exc:
        raise MissingExtra(f"the embedding model {folder.who!r}", "fastembed") from exc
    registered = f"{folder.path.resolve()}#{folder.digest}"
    if registered.lower() not in {known["model"].lower() for known in TextEmbedding.list_supported_models()}:
        # The source is never asked: fastembed insists on one, and takes the folder that is given beside it. Nor are the dimensions used.
        TextEmbedding.add_custom_model(
            registered,
            PoolingType(folder.pooling),
            normalization=True,
            sources=ModelSource(hf="local/folder"),
            dim=0,
            model_file=folder.file,
        )
    path = str(folder.path)
    try:
        encoder = TextEmbedding(registered, cache_dir=path, threads=os.cpu_count(), specific_model_path=path, local_files_only=True)
        tokeniser = Tokenizer.from_file(str(folder.path / "tokenizer.json"))
    except Exception as exc:
        # tokenizers raises bare Exceptions, onnxruntime a dozen classes without a common one.
        raise ConfigurationError(f"{folder.who}: the model cannot be loaded: {' '.join(str(exc).split())[:300]}") from exc
    tokeniser.no_truncation()
    tokeniser.no_padding()
    return encoder, tokeniser


def _run(who: str, encoder: Any, texts: list[str]) -> NDArray[np.float32]:
    """The model's vectors, one a text. Raises ProviderReplyInvalid."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    try:
        rows = np.asarray(list(encoder.embed(texts, batch_size=_BATCH)), np.float32)
    except (state.Fail, state.InvalidArgument, state.RuntimeException, state.NotImplemented, state.EPFail, ValueError, IndexError) as exc:
        raise ProviderReplyInvalid(f"{who} failed on its input ({' '.join(str(exc).split())[:200]})") from exc
    if rows.ndim != 2 or len(rows) != len(texts):
        raise ProviderReplyInvalid(f"{who} gave vectors of shape {rows.shape} for {len(texts)} texts: its pooling is declared wrongly")
    return rows


def _prepared(text: str) -> str:
    cleaned = clean(text[:_MAX_CHARS]).text
    if not cleaned.strip():
        raise InvalidArgument("a text without a visible character has no embedding: leave it out")
    return cleaned
