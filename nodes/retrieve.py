"""Searches the documents with the query of this round.

Follows route and rewrite; calls the very tool that an agent would bind. A storage error is not caught: it is never "nothing found".
"""

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from nodes.context import Clock, filters, knobs
from nodes.state import Degraded, Knobs, RagState, RagUpdate, Usage, no_usage
from retrievers.passages import Bounds
from retrievers.types import SearchResult


async def retrieve(state: RagState, runtime: Runtime[Knobs], *, tool: BaseTool) -> RagUpdate:
    """`tool` is search_documents; its artifact is a SearchResult. Raises StorageError, InvalidArgument, ProviderError."""
    clock, wanted = Clock("retrieve"), knobs(runtime)
    bounds = Bounds(wanted.collection, filters(wanted), wanted.fusion)
    arguments = {"query": state.query, "k": wanted.top_k, "bounds": bounds}
    call = {"type": "tool_call", "name": tool.name, "id": f"retrieve-{len(state.tried)}", "args": arguments}
    result: SearchResult = (await tool.ainvoke(call)).artifact
    degraded: list[Degraded] = [{"step": "retrieve", "cause": cause, "fallback": instead} for cause, instead in result["degraded"]]
    usage: Usage = {**result["spent"], "cost_usd": None} if "spent" in result else no_usage()
    found = f"{len(result['passages'])} passages of {result['chunk_count']}"
    return {
        "passages": result["passages"],
        "no_answer": result["no_answer"],
        "chunk_count": result["chunk_count"],
        "tried": [*state.tried, state.query],
        "degraded": degraded,
        "usage": usage,
        "trail": [clock.event("search", found, f"searched {state.query!r}", query=state.query, timings_ms={**result["timings_ms"]})],
    }
