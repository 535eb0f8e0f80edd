"""Reranking by a cross-encoder in a local folder, run by fastembed on ONNX: no key, no network.

An adapter of the Reranker protocol; chosen by `TADORI_RERANKER=fastembed:/folder`.
"""

import asyncio
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from retrievers.errors import ConfigurationError, MissingExtra, ProviderRejected, ProviderReplyInvalid
from retrievers.providers.model_folder import onnx_file, read_card
from retrievers.relevance import Reranked, RerankedText
from retrievers.text.clean import clean
from retrievers.text.script import is_latin

MAX_TOKENS = 1024
"""Query and passage together, unless the folder declares more: longer pairs than cross-encoders are trained on, at a cost that grows
with the square."""

_BATCH = 16
"""Pairs of one run of the model: long enough to fill its cores, short enough to stop soon when nobody waits any more."""


class CrossEncoderCard(BaseModel):
    """What tadori.json may declare. A model that is not said to be multilingual is not shown a text in another script than Latin."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    multilingual: bool = False
    output: Literal["logit", "probability"] = "logit"
    max_tokens: int | None = Field(None, ge=32, le=8192)
    file: str | None = None


@dataclass(frozen=True)
class _Model:
    """The model as loaded. `window` is what a pair may have of tokens, `special` of them are the model's own."""

    card: CrossEncoderCard
    encoder: Any
    tokeniser: Any
    window: int
    special: int


class FastembedReranker:
    """Scores on the scale `sigmoid`, or `probability` where the folder declares that the model gives one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._model: _Model | None = None
        # One call after the other: each keeps all cores busy, and the model is loaded once.
        self._pool = ThreadPoolExecutor(1, "fastembed-rerank")

    @property
    def name(self) -> str:
        return f"fastembed:{self._folder}"

    async def prepare(self) -> None:
        """Raises MissingExtra, and ConfigurationError for a folder that cannot be used."""
        await asyncio.get_running_loop().run_in_executor(self._pool, self._load)

    async def rerank(self, query: str, texts: Sequence[str]) -> Reranked:
        """Raises ProviderRejected for another script than the model can read. Cancelled, it stops after the batch that is running."""
        given_up = Event()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, self._rerank, query, list(texts), given_up)
        finally:
            given_up.set()

    def _load(self) -> _Model:
        if self._model is None:
            card = read_card(self.name, self._folder, CrossEncoderCard)
            self._model = _loaded(self.name, self._folder, card)
        return self._model

    def _rerank(self, query: str, texts: list[str], given_up: Event) -> Reranked:
        model = self._load()
        if not model.card.multilingual and not all(map(is_latin, (query, *texts))):
            raise ProviderRejected(
                f"{self.name} is not declared multilingual, and the query or a passage is in another script: use a model that is, "
                'with {"multilingual": true} in its tadori.json'
            )
        query, texts = _fitted(model, clean(query).text, [clean(text).text for text in texts])
        scores = dict(self._outputs(model, query, texts, given_up))
        scored = [RerankedText(index=index, score=self._mapped(model, scores[index])) for index in sorted(scores)]
        scale: Literal["sigmoid", "probability"] = "sigmoid" if model.card.output == "logit" else "probability"
        return Reranked(scale, sorted(scored, key=lambda entry: (-entry["score"], entry["index"])))

    def _outputs(self, model: _Model, query: str, texts: list[str], given_up: Event) -> Iterator[tuple[int, float]]:
        """The model's output by the text's number. Texts of like lengths run together: each is padded to the longest of its batch."""
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        for start in range(0, len(order), _BATCH):
            if given_up.is_set():
                return
            batch = order[start : start + _BATCH]
            try:
                outputs = list(model.encoder.rerank(query, [texts[index] for index in batch], batch_size=_BATCH))
            except self._failures() as exc:
                raise ProviderReplyInvalid(f"{self.name} failed on its input ({' '.join(str(exc).split())[:200]})") from exc
            yield from zip(batch, outputs, strict=True)

    def _failures(self) -> tuple[type[Exception], ...]:
        """How a run fails; onnxruntime's errors have no class in common."""
        from onnxruntime.capi import onnxruntime_pybind11_state as state

        return (state.Fail, state.InvalidArgument, state.RuntimeException, state.NotImplemented, state.EPFail, ValueError, IndexError)

    def _mapped(self, model: _Model, output: float) -> float:
        """The output on 0-1. Raises ProviderReplyInvalid for what is no number, or no probability where one was declared."""
        if model.card.output == "logit" and math.isfinite(output):
            return _sigmoid(output)
        if not 0 <= output <= 1:
            raise ProviderReplyInvalid(
                f'{self.name} gave {output:g}, which is no probability: declare {{"output": "logit"}} in its tadori.json'
            )
        return output


def _sigmoid(logit: float) -> float:
    """Of either sign without overflow, and without losing the differences between very small values."""
    small = math.exp(-abs(logit))
    return 1 / (1 + small) if logit >= 0 else small / (1 + small)


def _loaded(who: str, folder: Path, card: CrossEncoderCard) -> _Model:
    try:
        from fastembed.common.model_description import ModelSource
        from fastembed.rerank.cross_encoder import TextCrossEncoder
        from tokenizers import Tokenizer
    except ImportError as exc:
        raise MissingExtra(f"the reranker {who!r}", "fastembed") from exc
    file = onnx_file(who, folder, card.file)
    registered = f"{folder.resolve()}/{file}"
    if registered.lower() not in {known["model"].lower() for known in TextCrossEncoder.list_supported_models()}:
        # The source is never asked: fastembed insists on one, and takes the folder that is given beside it.
        TextCrossEncoder.add_custom_model(registered, ModelSource(hf="local/folder"), model_file=file)
    try:
        encoder = TextCrossEncoder(registered, cache_dir=str(folder), specific_model_path=str(folder), local_files_only=True)
        tokeniser = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as exc:
        # tokenizers raises bare Exceptions, onnxruntime a dozen classes without a common one.
        raise ConfigurationError(f"{who}: the model cannot be loaded: {' '.join(str(exc).split())[:300]}") from exc
    return _checked(who, card, encoder, tokeniser)


def _checked(who: str, card: CrossEncoderCard, encoder: Any, tokeniser: Any) -> _Model:
    width = encoder.model.model.get_outputs()[0].shape[-1]
    if isinstance(width, int) and width != 1:
        raise ConfigurationError(f"{who}: the model gives {width} numbers for a pair, and a cross-encoder gives one: use another model")
    tokeniser.no_truncation()
    tokeniser.no_padding()
    most = int(encoder.model.tokenizer.truncation["max_length"])
    return _Model(card, encoder, tokeniser, min(most, card.max_tokens or MAX_TOKENS), tokeniser.num_special_tokens_to_add(True))


def _fitted(model: _Model, query: str, texts: list[str]) -> tuple[str, list[str]]:
    """Each pair within the window: the query whole up to half of it, the texts cut after a token."""
    room = model.window - model.special
    query, used = _cut(model, query, room // 2)
    return query, [_cut(model, text, room - used)[0] for text in texts]


def _cut(model: _Model, text: str, tokens: int) -> tuple[str, int]:
    """The beginning of `text` that has so many tokens, and how many it has."""
    encoded = model.tokeniser.encode(text, add_special_tokens=False)
    if len(encoded.ids) <= tokens:
        return text, len(encoded.ids)
    return text[: encoded.offsets[tokens - 1][1]], tokens
