"""Asks the questions of an evaluation the way `tadori ask` does, and keeps of each run what can be counted.

Called by graphs.evals.runner; graphs.evals.answers makes the report.
"""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphs.evals.answers import Asked
from retrievers.errors import TadoriError
from retrievers.types import Fusion

if TYPE_CHECKING:
    from graphs.wiring import Services


async def ask_one(services: "Services", question: str, *, collection: str, fusion: Fusion | None) -> Asked:
    """One turn of its own, as the tenant's operator, without the web: that would answer what the corpus does not hold.

    A run that fails is an Asked with status `failed`, whatever stopped it on purpose; a bug goes on up.
    """
    from langgraph.errors import GraphRecursionError

    from graphs.api import ask

    started = time.perf_counter()
    try:
        answer = await ask(question, collection=collection, knobs={"web": False, "fusion": fusion}, services=services)
    except (TadoriError, GraphRecursionError) as exc:
        return Asked("failed", f"{type(exc).__name__}: {exc}", ms=(time.perf_counter() - started) * 1000)
    return asked_of(answer)


def asked_of(answer: Mapping[str, Any]) -> Asked:
    """What counts of the graph's output: its citations, and what its trail says of each passage."""
    kept: dict[str, bool] = {}
    for verdict in (verdict for event in answer["trail"] for verdict in event["data"].get("grades", ())):
        kept[verdict["id"]] = kept.get(verdict["id"], False) or verdict["relevant"]
    verdicts = [event["data"]["sufficient"] for event in answer["trail"] if "sufficient" in event["data"]]
    usage = answer["usage"]
    return Asked(
        status=answer["status"],
        reason=answer["reason"],
        cited=frozenset(citation["document"] for citation in answer["citations"]),
        kept=kept,
        sufficient=not verdicts or verdicts[-1],
        dropped=any(event["data"].get("dropped") for event in answer["trail"] if event["step"] == "cite"),
        calls=usage["calls"],
        tokens=usage["input_tokens"] + usage["output_tokens"],
        ms=answer["timings_ms"]["total"],
    )
