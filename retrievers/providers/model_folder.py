"""A folder with a model that the user brought: its ONNX file, its tokeniser, and what only the user can declare of it.

Used by the adapters that load models with fastembed; nothing is ever fetched.
"""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from retrievers.errors import ConfigurationError

Card = TypeVar("Card", bound=BaseModel)

CARD = "tadori.json"
"""The declaration, beside the model's files."""

_TOKENISER = ("tokenizer.json", "tokenizer_config.json")
_USUAL = (
    "model.onnx",
    "onnx/model.onnx",
    "model_optimized.onnx",
    "onnx/model_quantized.onnx",
    "model_quantized.onnx",
    "onnx/model_int8.onnx",
)
"""Where exports put the model; the full one before a smaller one."""


def read_card(who: str, folder: Path, kind: type[Card]) -> Card:
    """What the folder's tadori.json declares, its defaults where there is none. Raises ConfigurationError."""
    if not folder.is_dir():
        raise ConfigurationError(f"{who}: there is no folder {str(folder)!r}: give the folder that holds the model's files")
    missing = [name for name in _TOKENISER if not (folder / name).is_file()]
    if missing:
        raise ConfigurationError(f"{who}: {str(folder)!r} has no {' and no '.join(missing)}: copy them from where the model comes from")
    card = folder / CARD
    try:
        return kind.model_validate_json(card.read_text("utf-8")) if card.is_file() else kind()
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(map(str, first["loc"])) or "it"
        known = ", ".join(kind.model_fields)
        raise ConfigurationError(f"{who}: {str(card)!r} is not usable: {where}: {first['msg']}; it may declare {known}") from exc
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigurationError(f"{who}: {str(card)!r} cannot be read: {exc}") from exc


def onnx_file(who: str, folder: Path, declared: str | None) -> str:
    """The model's file, relative to the folder: the declared one, else one of the usual, else the only one there is."""
    found = sorted(path.relative_to(folder).as_posix() for path in (*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")))
    usual = [name for name in _USUAL if name in found]
    chosen = declared or next(iter(usual or found), None)
    if chosen not in found or (not declared and not usual and len(found) > 1):
        wanted = f"declares the file {declared!r}, which is not there" if declared else "does not say which file is the model"
        there = ", ".join(found) or "no .onnx file"
        raise ConfigurationError(f'{who}: {str(folder)!r} {wanted} ({there}): name it in {CARD} as {{"file": ...}}')
    return chosen
