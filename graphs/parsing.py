"""Reads the options of the command line that are more than a name or a number: fusion, filters, dates.

Used by graphs.commands and the modules of single commands; a mistake is an InvalidArgument that says what to write.
"""

import argparse
from datetime import datetime

from retrievers.errors import InvalidArgument
from retrievers.types import Filters, Fusion


def parse_fusion(given: str | None) -> tuple[Fusion | None, tuple[float, float] | None]:
    """`rrf` -> ("rrf", None); `weighted:.4,.6` -> ("weighted", (.4, .6)); None -> (None, None)."""
    match (given or "").partition(":"):
        case ("", "", ""):
            return None, None
        case ("absolute" | "rrf" | "weighted" as fusion, "", ""):
            return fusion, None
        case ("weighted", ":", pair):
            return "weighted", _weights(pair)
    raise InvalidArgument(f"fusion {given!r} is not known: use absolute, rrf or weighted:LEXICAL,VECTOR, such as weighted:.4,.6")


def _weights(pair: str) -> tuple[float, float]:
    try:
        lexical, vector = (float(part) for part in pair.split(","))
    except ValueError as exc:
        raise InvalidArgument(f"weights {pair!r} are not two numbers: write weighted:LEXICAL,VECTOR, such as weighted:.4,.6") from exc
    if not (0 <= lexical < float("inf") and 0 <= vector < float("inf") and lexical + vector > 0):
        raise InvalidArgument(f"weights {pair!r} must not be negative, and not both 0")
    return lexical, vector


_BUDGETS = {"deadline_s": "--deadline", "max_model_calls": "--max-model-calls", "max_tokens": "--max-tokens"}


def parse_budgets(options: argparse.Namespace) -> dict[str, float | int | bool]:
    """The knobs of `--deadline`, `--max-model-calls`, `--max-tokens` and `--clarify`; an option that was not given is none of them."""
    # pydantic costs 0.2 s, which only a question pays.
    from pydantic import ValidationError

    from nodes.knobs import Knobs

    given = {"deadline_s": options.deadline, "max_model_calls": options.max_model_calls, "max_tokens": options.max_tokens}
    knobs: dict[str, float | int | bool] = {name: value for name, value in given.items() if value is not None}
    try:
        Knobs.model_validate(knobs)
    except ValidationError as exc:
        fault = exc.errors()[0]
        name = str(fault["loc"][0])
        raise InvalidArgument(f"{_BUDGETS[name]} {knobs[name]!r}: {fault['msg'].lower()}") from exc
    return {**knobs, "clarify": True} if options.clarify else knobs


def parse_filters(options: argparse.Namespace) -> Filters:
    """The filters of `--filter`, `--since` and `--until`."""
    pairs = []
    for given in options.filter:
        key, equals, value = given.partition("=")
        if not equals or not key:
            raise InvalidArgument(f"filter {given!r} is not KEY=VALUE")
        pairs.append((key, value))
    return Filters(tuple(pairs), parse_moment("--since", options.since), parse_moment("--until", options.until))


def parse_moment(option: str, given: str | None) -> datetime | None:
    """An ISO date or time as a moment; None stays None."""
    if given is None:
        return None
    try:
        moment = datetime.fromisoformat(given)
        # A date without a zone means the user's own; at either end of the calendar there is none.
        return moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError) as exc:
        raise InvalidArgument(f"{option} {given!r} is not an ISO date or time: write 2026-11-30 or 2026-11-30T09:00+09:00") from exc
