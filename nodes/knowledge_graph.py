"""Asks the knowledge graph beside the documents.

Follows route, leads to fuse; calls the very tool that an agent would bind.
"""

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from nodes.context import Clock
from nodes.knobs import Knobs
from nodes.state import RagState, RagUpdate


async def knowledge_graph(state: RagState, runtime: Runtime[Knobs], *, tool: BaseTool | None) -> RagUpdate:
    """Nothing where there is no graph: the documents are searched beside it."""
    return {"trail": [Clock("knowledge_graph").event("decision", "not_configured", "there is no knowledge graph")]}
