"""Searches the documents and walks the knowledge graph from what it finds: for questions whose answer takes several steps.

Follows route and rewrite, leads to fuse; calls the very tool that an agent would bind. Its search is the documents' own with what the
graph leads to, so retrieve comes only where there is no graph. A storage error is not caught: it is never "nothing found".
"""

from collections.abc import Sequence

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from nodes.context import Clock, filters, knobs
from nodes.knobs import Knobs
from nodes.searching import degraded, found, searched, spent
from nodes.state import RagState, RagUpdate
from retrievers.passages import told_path
from retrievers.types import Hop, Json, Passage

_TOLD = 3
"""Paths in the reason of the event; all of them are in its data."""


async def knowledge_graph(state: RagState, runtime: Runtime[Knobs], *, tool: BaseTool | None) -> RagUpdate:
    """`tool` is search_graph; its artifact is a SearchResult, whose passages say by which path they were reached."""
    clock = Clock("knowledge_graph")
    if tool is None:
        return {"trail": [clock.event("decision", "not_configured", "there is no knowledge graph")]}
    result = await searched(state, runtime, tool, filters(knobs(runtime)))
    reached = [passage for passage in result["passages"] if "path" in passage]
    event = clock.event(
        "search",
        f"{len(result['passages'])} passages of {result['chunk_count']}, {len(reached)} by the graph",
        f"searched {state.query!r}{_told(reached)}",
        query=state.query,
        timings_ms={**result["timings_ms"]},
        paths=[
            {"id": passage["id"], "document": passage["document"], "path": [_plain(hop) for hop in passage["path"]]} for passage in reached
        ],
    )
    return {
        "found": [found(state, result)],
        "degraded": degraded("knowledge_graph", result),
        "usage": spent([result]),
        "trail": [event],
    }


def _told(reached: Sequence[Passage]) -> str:
    told = "; ".join(f"{passage['document']!r} {told_path(passage['path'])}" for passage in reached[:_TOLD])
    return f"; {told}" if told else ""


def _plain(hop: Hop) -> Json:
    return {"entity": hop["entity"], "id": hop["id"], "document": hop["document"], "title": hop["title"]}
