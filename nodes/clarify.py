"""Asks the user back where several documents could be meant.

Between sufficiency and generate, where the caller wants it. Pauses the turn where it can be resumed, else ends it.
"""

from langgraph.runtime import Runtime

from nodes.knobs import Knobs
from nodes.state import RagState, RagUpdate


async def clarify(state: RagState, runtime: Runtime[Knobs], *, pausable: bool) -> RagUpdate:
    """Nothing where the question is clear."""
    return {}
