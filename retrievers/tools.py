"""The searches as LangChain tools: an agent binds them, and the graph's own nodes call the very same objects.

Above hybrid search and the web adapters; what a model may not choose (collection, filters, fusion) is injected by the caller.
"""

from collections.abc import Sequence

from langchain_core.tools import BaseTool
from pydantic import Field

from retrievers.passages import ANYWHERE, Bounds, told_path
from retrievers.tooling import Arguments, Injected, InjectedPassages, full_text, make_tool, numbered
from retrievers.types import Passage, PassageSearch, SearchResult, WebPage, WebSearch

SEARCH_TOOL = "search_documents"
GRAPH_TOOL = "search_graph"
WEB_TOOL = "search_web"

NOTHING_FOUND = "Nothing in the documents matches."
NO_PAGES = "The web search found no page."


class SearchArguments(Arguments):
    """A model fills in `query` and `k`."""

    query: str = Field(description="What to look for: a question or keywords, in the language of the documents.")
    k: int = Field(5, ge=1, le=100, description="How many passages to return.")
    bounds: Injected = None
    imagined: InjectedPassages = None


class WebArguments(Arguments):
    """A model fills in both."""

    query: str = Field(description="What to look for on the web: a short question or keywords.")
    limit: int = Field(5, ge=1, le=20, description="How many pages to return.")


def search_tool(search: PassageSearch, within: Bounds = ANYWHERE) -> BaseTool:
    """`search_documents`: the message is for the model, the artifact is the SearchResult. An error is raised, never "nothing".

    `within` is where it looks unless a call injects other bounds.
    """

    async def search_documents(
        query: str, k: int = 5, bounds: Injected = None, imagined: InjectedPassages = None
    ) -> tuple[str, SearchResult]:
        result = await found(search, query, k, bounds or within, imagined.texts if imagined else ())
        return numbered([full_text(passage) for passage in result["passages"]], NOTHING_FOUND), result

    description = "Search the documents. Returns numbered passages, each with its title, headings and source."
    return make_tool(SEARCH_TOOL, description, search_documents, SearchArguments)


def graph_tool(search: PassageSearch, within: Bounds = ANYWHERE) -> BaseTool:
    """`search_graph`: as search_documents, with passages that a walk over the knowledge graph leads to, each with its path.

    `search` is one that walks, as GraphSearch.
    """

    async def search_graph(query: str, k: int = 5, bounds: Injected = None, imagined: InjectedPassages = None) -> tuple[str, SearchResult]:
        result = await found(search, query, k, bounds or within, imagined.texts if imagined else ())
        return numbered([_with_path(passage) for passage in result["passages"]], NOTHING_FOUND), result

    description = (
        "Search the documents and the knowledge graph, for questions that take several steps or ask how things hang together: the director "
        "of the film that, the city where. Returns numbered passages, each with its title, headings and source, and how it was reached."
    )
    return make_tool(GRAPH_TOOL, description, search_graph, SearchArguments)


def web_tool(web: WebSearch) -> BaseTool:
    """`search_web`: the message is for the model, the artifact is the list of pages. Raises ProviderError."""

    async def search_web(query: str, limit: int = 5) -> tuple[str, list[WebPage]]:
        pages = await web.search(query, limit=limit)
        return numbered([_page_lines(page) for page in pages], NO_PAGES), pages

    description = "Search the web. Returns numbered pages, each with its title, address and an extract; nobody has checked them."
    return make_tool(WEB_TOOL, description, search_web, WebArguments, outside=True)


async def found(search: PassageSearch, query: str, k: int, bounds: Bounds, hypothetical: Sequence[str] = ()) -> SearchResult:
    """One search within the bounds, and with imagined passages where there are any."""
    return await search.search(
        query, collection=bounds.collection, k=k, filters=bounds.filters, fusion=bounds.fusion, hypothetical=hypothetical
    )


def _with_path(passage: Passage) -> str:
    path = told_path(passage.get("path", ()))
    return f"{full_text(passage)}\n(reached by the graph: it {path})" if path else full_text(passage)


def _page_lines(page: WebPage) -> str:
    return f"{page['title'] or page['url']} ({page['url']})\n{page['text'].strip()}"
