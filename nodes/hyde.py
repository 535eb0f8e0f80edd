"""Lets a model imagine a passage that answers the question, to search with in the question's place.

Follows route, leads to retrieve.
"""

from langgraph.runtime import Runtime

from nodes.context import Clock
from nodes.knobs import Knobs
from nodes.state import RagState, RagUpdate
from nodes.structured import Decider


async def hyde(state: RagState, runtime: Runtime[Knobs], *, chat: Decider | None) -> RagUpdate:
    """Imagined passages, or none: then the plain query is searched."""
    clock = Clock("hyde")
    return {"hypothetical": [], "trail": [clock.event("decision", "the plain query", "no passage was imagined")]}
