"""Looks on the web, once, when the documents hold nothing that helps.

Follows grade or an ended rewrite, leads back to grade: a web page is no more trusted than any other passage. Calls the very tool
that an agent would bind.
"""

from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlsplit

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from nodes.context import Clock
from nodes.knobs import Knobs
from nodes.records import WebOutcome
from nodes.state import RagState, RagUpdate
from nodes.web_pages import as_passage, scored
from retrievers.errors import ConfigurationError, ProviderError, ProviderRateLimited, ProviderUnavailable
from retrievers.text.condense import condense
from retrievers.types import Embedder, WebPage

WEB_RESULTS = 5
"""As many as an answer's prompt takes."""

QUERY_CHARS = 400
"""What the strictest of the services takes; a search engine makes little of more words anyway."""

PER_SITE = 2
"""Pages of one site: who owns a site can put any number of pages into a result, and must not outvote the others."""

_SECOND_LEVEL = frozenset("ac co com edu go gov ne net or org".split())  # noqa: SIM905
"""Under a country they are no site's name: example.co.jp."""


async def web_search(state: RagState, runtime: Runtime[Knobs], *, tool: BaseTool | None, embedder: Embedder) -> RagUpdate:
    """Searches for the user's own question; without a tool only says that none is configured. A web that fails is a degradation."""
    clock = Clock("web_search")
    tried: RagUpdate = {"web_tries": state.web_tries + 1, "passages": []}
    if tool is None:
        event = clock.event("decision", "not_configured", "no web search is configured")
        return {**tried, "web_outcome": "not_configured", "trail": [event]}
    asked = condense(state.standalone, QUERY_CHARS)
    call = {"type": "tool_call", "name": tool.name, "id": "web_search", "args": {"query": asked, "limit": WEB_RESULTS}}
    try:
        message = await tool.ainvoke(call)
    except (ProviderError, ConfigurationError) as exc:
        event, degraded = clock.fallback(str(exc), "answer from the documents alone")
        return {**tried, "web_outcome": _outcome(exc), "trail": [event], "degraded": [degraded]}
    pages: list[WebPage] = [page for page in message.artifact if page["text"].strip()]
    taken = _few_of_each_site(pages)
    passages = await scored(state.standalone, [as_passage(page, embedder) for page in taken], embedder)
    event = clock.event("search", f"{len(passages)} pages", _reason(asked, pages, taken), query=asked, urls=[page["url"] for page in taken])
    return {**tried, "passages": passages, "web_outcome": None if passages else "nothing", "trail": [event]}


def _outcome(exc: Exception) -> WebOutcome:
    if isinstance(exc, ProviderRateLimited):
        return "rate_limited"
    return "unavailable" if isinstance(exc, ProviderUnavailable) else "failed"


def _reason(asked: str, pages: Sequence[WebPage], taken: Sequence[WebPage]) -> str:
    left = f"; {len(pages) - len(taken)} more of the same sites, or copies, were left out" if len(taken) < len(pages) else ""
    return f"searched the web for {asked!r}{left}"


def _few_of_each_site(pages: Sequence[WebPage]) -> list[WebPage]:
    """The first pages of each site, in the provider's order, without copies of a text."""
    seen, texts = Counter[str](), set[str]()
    taken: list[WebPage] = []
    for page in pages:
        site, text = _site(page["url"]), " ".join(page["text"].split())
        if seen[site] < PER_SITE and text not in texts:
            taken.append(page)
            seen[site] += 1
            texts.add(text)
    return taken


def _site(url: str) -> str:
    """`example.org` of `https://a.example.org/b`; the whole address where it names no host."""
    try:
        labels = (urlsplit(url).hostname or url).split(".")
    except ValueError:
        return url
    under_country = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3 if under_country else -2 :])
