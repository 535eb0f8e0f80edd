"""What a folder with an embedding model says of it: pooling, prefixes, and a fingerprint of what is in it.

Used by embed_fastembed.py; the folder is as a model's page gives it to download, with tadori.json for what that leaves open.
"""

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from retrievers.errors import ConfigurationError
from retrievers.providers.embedding_registry import KnownModel, find_model, prefixes_of
from retrievers.providers.model_folder import CARD, onnx_file, read_card

Pooling = Literal["CLS", "MEAN", "LAST_TOKEN", "DISABLED"]

_POOLINGS: dict[str, Pooling] = {
    "pooling_mode_cls_token": "CLS",
    "pooling_mode_mean_tokens": "MEAN",
    "pooling_mode_lasttoken": "LAST_TOKEN",
}
"""As sentence-transformers writes them to 1_Pooling/config.json."""

_CHUNK_BYTES = 1 << 20


class EmbeddingCard(BaseModel):
    """What tadori.json may declare; a field that is absent is looked for in the files that came with the model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    query_prefix: str | None = None
    passage_prefix: str | None = None
    pooling: Literal["cls", "mean", "last_token", "none"] | None = None
    file: str | None = None


@dataclass(frozen=True)
class EmbeddingFolder:
    """A folder as read. `digest` changes with the model's weights, tokeniser, pooling and prefixes."""

    who: str
    path: Path
    file: str
    pooling: Pooling
    prefixes: tuple[str, str]
    digest: str
    known: KnownModel | None

    def identity(self, dims: int | None) -> str:
        """The model's name in the store: the same wherever the folder lies, another for other content."""
        return f"fastembed:{self.path.resolve().name}{f'@{dims}' if dims else ''}#{self.digest}"


def read_folder(who: str, path: Path) -> EmbeddingFolder:
    """Raises ConfigurationError for what is missing; reads the whole model for its fingerprint (about a second for 500 MB)."""
    card = read_card(who, path, EmbeddingCard)
    file = onnx_file(who, path, card.file)
    known = find_model("fastembed", path.resolve().name)
    pooling = _pooling(who, path, card)
    prefixes = _prefixes(path, card, known)
    return EmbeddingFolder(who, path, file, pooling, prefixes, _digest(path, file, pooling, prefixes), known)


def _pooling(who: str, path: Path, card: EmbeddingCard) -> Pooling:
    if card.pooling is not None:
        return {"cls": "CLS", "mean": "MEAN", "last_token": "LAST_TOKEN", "none": "DISABLED"}[card.pooling]  # type: ignore[return-value]
    declared = _json(path / "1_Pooling" / "config.json")
    found = [pooling for name, pooling in _POOLINGS.items() if declared.get(name)]
    if len(found) != 1:
        raise ConfigurationError(
            f"{who}: it is not known how the vectors of its tokens become one: copy 1_Pooling/config.json from where the model comes from, "
            f'or write {{"pooling": "cls"}}, "mean", "last_token" or "none" to its {CARD}'
        )
    return found[0]


def _prefixes(path: Path, card: EmbeddingCard, known: KnownModel | None) -> tuple[str, str]:
    """Before a query and before a passage: tadori.json, then sentence-transformers' prompts, then what is known by the folder's name."""
    prompts = _json(path / "config_sentence_transformers.json").get("prompts") or {}
    usual = prefixes_of(path.resolve().name, known)
    query = prompts.get("query") or usual[0]
    passage = prompts.get("passage") or prompts.get("document") or usual[1]
    return (
        query if card.query_prefix is None else card.query_prefix,
        passage if card.passage_prefix is None else card.passage_prefix,
    )


def _json(path: Path) -> dict[str, Any]:
    """The object in a file; empty where there is none."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as exc:
        raise ConfigurationError(f"{str(path)!r} cannot be read ({exc}): copy it once more from where the model comes from") from exc
    return found if isinstance(found, dict) else {}


def _digest(path: Path, file: str, pooling: Pooling, prefixes: tuple[str, str]) -> str:
    digest = sha256(json.dumps([pooling, *prefixes]).encode())
    weights = path / file
    # Large models keep their weights in files beside the graph, such as model.onnx_data.
    for part in (weights, *sorted(weights.parent.glob(f"{weights.name}?data*")), path / "tokenizer.json"):
        with part.open("rb") as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                digest.update(chunk)
    return digest.hexdigest()[:12]
