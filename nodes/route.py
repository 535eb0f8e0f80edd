"""Chooses how to look for the answer.

Follows the gate; heuristics only, so it costs nothing. One way exists so far: the hybrid search.
"""

import re

from langgraph.runtime import Runtime

from nodes.context import Clock
from nodes.knobs import Knobs
from nodes.state import RagState, RagUpdate
from nodes.structured import Decider

_EXACT = re.compile(r"[\"“「『][^\"”」』]{2,}[\"”」』]|\b(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])[\w.-]+\b|\b[A-Z]{2,}[A-Z0-9_]*\b|\w+\(\)|\w+_\w+")
"""Quoted words, codes such as XR-4200, constants and function names."""


async def route(state: RagState, runtime: Runtime[Knobs], *, chat: Decider | None, graph: bool, web: bool) -> RagUpdate:
    """The first search query is the stand-alone question itself, in the user's words."""
    clock = Clock("route")
    exact = _EXACT.findall(state.standalone)
    reason = "holds exact terms, which the lexical arm finds" if exact else "a question in plain words"
    return {
        "route": "hybrid",
        "query": state.standalone,
        "trail": [clock.event("decision", "hybrid", reason, exact_terms=[*exact])],
    }
