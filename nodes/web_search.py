"""Looks on the web, once, when the documents hold nothing that helps.

Follows grade or an ended rewrite, leads back to grade: a web page is no more trusted than any other passage. Calls the very tool
that an agent would bind.
"""

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from nodes.context import Clock
from nodes.knobs import Knobs
from nodes.state import RagState, RagUpdate
from nodes.web_pages import as_passage, scored
from retrievers.errors import ConfigurationError, ProviderError
from retrievers.types import Embedder, WebPage

WEB_RESULTS = 5
"""As many as an answer's prompt takes."""


async def web_search(state: RagState, runtime: Runtime[Knobs], *, tool: BaseTool | None, embedder: Embedder) -> RagUpdate:
    """Searches for the user's own question; without a tool only says that none is configured. A web that fails is a degradation."""
    clock = Clock("web_search")
    tried: RagUpdate = {"web_tries": state.web_tries + 1, "passages": []}
    if tool is None:
        event = clock.event("decision", "not_configured", "no web search is configured")
        return {**tried, "web_outcome": "not_configured", "trail": [event]}
    arguments = {"query": state.standalone, "limit": WEB_RESULTS}
    try:
        message = await tool.ainvoke({"type": "tool_call", "name": tool.name, "id": "web_search", "args": arguments})
    except (ProviderError, ConfigurationError) as exc:
        event, degraded = clock.fallback(str(exc), "answer from the documents alone")
        return {**tried, "web_outcome": "failed", "trail": [event], "degraded": [degraded]}
    pages: list[WebPage] = [page for page in message.artifact if page["text"].strip()]
    passages = await scored(state.standalone, [as_passage(page, embedder) for page in pages], embedder)
    event = clock.event(
        "search", f"{len(passages)} pages", f"searched the web for {state.standalone!r}", urls=[page["url"] for page in pages]
    )
    return {**tried, "passages": passages, "web_outcome": None if passages else "nothing", "trail": [event]}
