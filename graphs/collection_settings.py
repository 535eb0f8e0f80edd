"""What `tadori collections` does: lists the tenant's collections, shows how one ranks, and changes that by hand.

Called by graphs.commands when the command runs; `tadori tune` changes the same values by measurement.
"""

import argparse
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from graphs.commands import Result
from graphs.parsing import parse_fusion
from graphs.render_why import aligned
from graphs.wiring import Services
from retrievers.errors import InvalidArgument
from retrievers.ranking import Ranking
from retrievers.trial import Trials
from retrievers.types import Collection, Setting

_NUMBERS = tuple(field.name for field in fields(Ranking) if field.name != "answer")
_KEYS = ("fusion", "no_answer", *_NUMBERS)


async def collections(services: Services, options: argparse.Namespace) -> Result:
    """All of them in a line each, or one with every value."""
    if options.name is None:
        if options.set:
            raise InvalidArgument("--set needs the name of a collection: tadori collections NAME --set KEY=VALUE")
        return _listed(await services.collections())
    trials = Trials(services.database, services.embedder, services.cache, services.operator)
    collection = await trials.collection(options.name)
    if options.set:
        await trials.store(collection, changed(_setting_of(collection), options.set, services.embedder.spec.no_answer))
        collection = await trials.collection(options.name)
    return _shown(collection)


def changed(setting: Setting, pairs: Sequence[str], no_answer: float) -> Setting:
    """The setting with each KEY=VALUE in it; an empty value gives back what is shipped, `no_answer` the model's. Raises InvalidArgument."""
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or key not in _KEYS:
            raise InvalidArgument(f"{pair!r} is not KEY=VALUE with one of the keys {', '.join(_KEYS)}")
        setting = _with(setting, key, value.strip(), no_answer)
    return setting


def _with(setting: Setting, key: str, value: str, no_answer: float) -> Setting:
    if key == "fusion":
        fusion, weights = parse_fusion(value)
        return replace(setting, fusion=fusion or "absolute", weights=weights)
    if key == "no_answer":
        return replace(setting, no_answer=_number(key, value) if value else no_answer)
    given: Any = getattr(Ranking(), key) if not value else int(_number(key, value)) if key == "fetch" else _number(key, value)
    try:
        return replace(setting, ranking=replace(setting.ranking, **{key: given}))
    except ValueError as exc:
        raise InvalidArgument(str(exc)) from exc


def _number(key: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError as exc:
        raise InvalidArgument(f"{key}={value!r} is not a number") from exc
    if number != number or number in (float("inf"), float("-inf")):
        raise InvalidArgument(f"{key}={value!r} is not a number that can be compared")
    return number


def _setting_of(collection: Collection) -> Setting:
    return Setting(collection.fusion, collection.weights, collection.no_answer, collection.ranking)


def _values(collection: Collection) -> dict[str, object]:
    ranking = asdict(collection.ranking)
    weights = list(collection.weights) if collection.weights else None
    return {"fusion": collection.fusion, "weights": weights, "no_answer": round(collection.no_answer, 4), **ranking}


def _about(collection: Collection) -> dict[str, object]:
    spec = collection.embedding
    return {
        "name": collection.name,
        "chunks": collection.chunk_count,
        "embedding_model": spec.model,
        "dims": spec.dims,
        "index": spec.index_kind,
        "analyser": collection.analyser,
    }


def _listed(found: Sequence[Collection]) -> Result:
    rows = [("name", "chunks", "embeddings", "index", "analyser"), *map(_line, found)]
    return Result(
        {"collections": [_about(collection) for collection in found]}, aligned(rows) if found else "There are no collections yet."
    )


def _line(collection: Collection) -> tuple[str, ...]:
    spec = collection.embedding
    return (collection.name, str(collection.chunk_count), f"{spec.model}, {spec.dims}", spec.index_kind, collection.analyser)


def _shown(collection: Collection) -> Result:
    values = _values(collection)
    rows = [(name, "-" if value is None else str(value)) for name, value in (_about(collection) | values).items()]
    return Result({**_about(collection), "setting": values}, aligned(rows))
