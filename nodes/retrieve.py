"""Searches the documents with the query of this round.

Follows route and rewrite; calls the very tool that an agent would bind. A storage error is not caught: it is never "nothing found".
"""

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from nodes.context import Clock, filters, knobs
from nodes.knobs import Knobs
from nodes.records import Degraded, Usage, no_usage
from nodes.state import RagState, RagUpdate
from retrievers.passages import Bounds
from retrievers.types import SearchResult

REFETCH = 2
"""How many times as many passages the refetch asks for."""


async def retrieve(state: RagState, runtime: Runtime[Knobs], *, tool: BaseTool) -> RagUpdate:
    """`tool` is search_documents; its artifact is a SearchResult. Raises StorageError, InvalidArgument, ProviderError."""
    clock, wanted = Clock("retrieve"), knobs(runtime)
    bounds = Bounds(wanted.collection, filters(wanted), wanted.fusion)
    arguments = {"query": state.query, "k": wanted.top_k * (REFETCH if state.refetch else 1), "bounds": bounds}
    call = {"type": "tool_call", "name": tool.name, "id": f"retrieve-{len(state.tried)}", "args": arguments}
    result: SearchResult = (await tool.ainvoke(call)).artifact
    degraded: list[Degraded] = [{"step": "retrieve", "cause": cause, "fallback": instead} for cause, instead in result["degraded"]]
    usage: Usage = {"cost_usd": None, **result["spent"]} if "spent" in result else no_usage()
    found = f"{len(result['passages'])} passages of {result['chunk_count']}"
    return {
        "found": [
            {
                "place": state.place,
                "query": state.query,
                "passages": result["passages"],
                "no_answer": result["no_answer"],
                "chunk_count": result["chunk_count"],
            }
        ],
        "degraded": degraded,
        "usage": usage,
        "trail": [clock.event("search", found, f"searched {state.query!r}", query=state.query, timings_ms={**result["timings_ms"]})],
    }
