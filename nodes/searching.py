"""Asks a search tool with the query of this round, and writes down what came back.

Shared ground of retrieve and knowledge_graph.
"""

from collections.abc import Sequence

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from nodes.context import knobs
from nodes.knobs import Knobs
from nodes.records import Degraded, Found, Step, Usage, add_usage, no_usage
from nodes.state import RagState
from retrievers.passages import Bounds, Imagined
from retrievers.types import Filters, SearchResult

REFETCH = 2
"""How many times as many passages the refetch asks for."""


async def searched(state: RagState, runtime: Runtime[Knobs], tool: BaseTool, within: Filters) -> SearchResult:
    """What the tool finds within these filters, in its artifact. Raises StorageError, InvalidArgument, ProviderError."""
    wanted = knobs(runtime)
    arguments = {
        "query": state.query,
        "k": wanted.top_k * (REFETCH if state.refetch else 1),
        "bounds": Bounds(wanted.collection, within, wanted.fusion),
        "imagined": Imagined(tuple(state.hypothetical)) if state.hypothetical else None,
    }
    call = {"type": "tool_call", "name": tool.name, "id": f"{tool.name}-{len(state.tried)}", "args": arguments}
    result: SearchResult = (await tool.ainvoke(call)).artifact
    return result


def found(state: RagState, result: SearchResult) -> Found:
    """As fuse takes it."""
    return {
        "place": state.place,
        "query": state.query,
        "passages": result["passages"],
        "no_answer": result["no_answer"],
        "chunk_count": result["chunk_count"],
    }


def spent(results: Sequence[SearchResult]) -> Usage:
    """What a model that reranked has used."""
    usage = no_usage()
    for result in results:
        if "spent" in result:
            usage = add_usage(usage, {"cost_usd": None, **result["spent"]})
    return usage


def degraded(step: Step, result: SearchResult) -> list[Degraded]:
    """What could not run in the search."""
    return [{"step": step, "cause": cause, "fallback": instead} for cause, instead in result["degraded"]]
