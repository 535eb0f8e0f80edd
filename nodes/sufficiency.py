"""Decides whether the kept passages hold the answer, and what is missing.

Follows grade; leads to the answer, to a deeper search or to a rewrite. With a model the verdict came with the grades, in the same call.
"""

from langgraph.runtime import Runtime

from nodes.context import Clock
from nodes.knobs import Knobs
from nodes.state import RagState, RagUpdate
from nodes.structured import Decider


async def sufficiency(state: RagState, runtime: Runtime[Knobs], *, chat: Decider | None) -> RagUpdate:
    """The verdict on what was kept."""
    clock = Clock("sufficiency")
    event = clock.event("check", "sufficient", "a passage was kept")
    return {"sufficiency": {"sufficient": True, "confidence": 1.0, "missing": ""}, "refetch": False, "trail": [event]}
