"""Reads JSON the way models write it: between prose, after thinking, in a tool call, or cut off.

Shared ground of nodes/structured.py and nodes/drafting.py; pure.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel, ValidationError

from nodes.budget import estimated_tokens
from nodes.records import Usage
from retrievers.ledger import Price

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")

MOST_CHARS = 200_000
"""Of a reply that are looked at, its thinking left out: ten times what our models may write. A server that does not stop is cut here."""

MOST_OPENINGS = 50
"""Braces from which JSON is tried: half of them the last of the reply, half the first, so that the work grows with its length alone."""

_LONG_SPACE = re.compile(r"(\s)\s{8,}")
_THOUGHT = re.compile(r"<(think|thinking|reasoning|thought)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Reply(Generic[T]):
    """`value` is None when nothing could be read from the reply; `text` is what the model said, its thinking left out."""

    value: T | None
    usage: Usage
    text: str


def usage_of(message: AIMessage, asked: Sequence[BaseMessage], price: Price | None = None) -> Usage:
    """As the provider counted; estimated where it did not, as many do not for a stream. The cost is unknown without a price."""
    counted = message.usage_metadata
    tokens = (counted["input_tokens"], counted["output_tokens"]) if counted else (estimated_tokens(asked), estimated_tokens([message]))
    return {"calls": 1, "input_tokens": tokens[0], "output_tokens": tokens[1], "cost_usd": price.of(*tokens) if price else None}


def without_thinking(text: str) -> str:
    """`text` without its thinking blocks; one that was cut off takes the rest with it."""
    return _THOUGHT.sub("", text)


def readable(text: str) -> str:
    """What is looked at of a reply in prose: without thinking, cut at MOST_CHARS, long white space shortened."""
    return _LONG_SPACE.sub(r"\1", without_thinking(text)[:MOST_CHARS]).strip()


def json_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The schema as a model is held to it: every field required and nothing else allowed, whatever we tolerate in what it says.

    A server that generates by the schema would leave out what may be left out; our docstrings are not for the model.
    """
    return {**_strict(schema.model_json_schema()), "title": schema.__name__}


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    if "anyOf" in node:
        return _strict(next(option for option in node["anyOf"] if option != {"type": "null"}))
    kept = {name: _strict(value) for name, value in node.items() if name not in ("title", "default", "description", "properties")}
    if "properties" in node:
        kept["properties"] = {name: _strict(value) for name, value in node["properties"].items()}
        kept |= {"required": list(node["properties"]), "additionalProperties": False}
    return kept


def value_in(schema: type[M], raw: AIMessage, parsed: object, bare: str | None) -> M | None:
    """The reply as `schema`, from whichever of its parts holds it; text without JSON fills the field `bare`. None when nothing does."""
    for candidate in _candidates(raw, parsed):
        if (value := _as(schema, candidate)) is not None:
            return value
    text = readable(raw.text)
    return _as(schema, {bare: text}) if bare is not None and text else None


def _as(schema: type[M], value: object) -> M | None:
    try:
        return schema.model_validate(value)
    except (ValidationError, RecursionError):
        # The second for lists in lists in lists, which cannot be turned into text.
        return None


def _candidates(raw: AIMessage, parsed: object) -> Iterator[object]:
    """What might be the value, likeliest first."""
    if isinstance(parsed, dict):
        yield parsed
    yield from (call["args"] for call in raw.tool_calls)
    text = without_thinking(raw.text)[:MOST_CHARS]
    for opening, closing in ("[]", "{}") if _starts_with_a_list(text) else ("{}",):
        start, end = text.find(opening), text.rfind(closing)
        if 0 <= start < end:
            yield from _loaded(text[start : end + 1])
    # Braces in the prose before the JSON spoil that slice.
    for start in _openings(text):
        yield from _loaded(text[start:])


def _openings(text: str) -> list[int]:
    """Where JSON may start: the last braces, backwards, then the first, at most MOST_OPENINGS."""
    found, half = [match.start() for match in re.finditer(r"\{", text)], MOST_OPENINGS // 2
    return [*reversed(found[-half:]), *found[:-half][:half]]


def _starts_with_a_list(text: str) -> bool:
    return re.match(r"[^{]*\[\s*\{", text) is not None


def _loaded(text: str) -> Iterator[object]:
    try:
        yield json.JSONDecoder(strict=False).raw_decode(text)[0]
    except (ValueError, RecursionError):
        return


_LIST_OF_CLAIMS = re.compile(r'"claims"\s*:\s*\[|^\s*\[(?=\s*\{)')
_BETWEEN = re.compile(r"[\s,]*")


def entries_so_far(text: str, most: int) -> list[dict[str, Any]]:
    """The first `most` objects of the list of claims that are complete in a reply that has not ended, or was cut off."""
    said = without_thinking(text)[:MOST_CHARS]
    opening = _LIST_OF_CLAIMS.search(said)
    entries: list[dict[str, Any]] = []
    at = opening.end() if opening else len(said)
    while len(entries) < most and (found := _BETWEEN.match(said, at)) and said.startswith("{", found.end()):
        try:
            entry, at = json.JSONDecoder(strict=False).raw_decode(said, found.end())
        except (ValueError, RecursionError):
            break
        entries.append(entry)
    return entries
