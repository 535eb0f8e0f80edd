"""The searches as LangChain tools: an agent binds them, and the graph's own nodes call the very same objects.

Above hybrid search and the web adapters; what a model may not choose (collection, filters, fusion) is injected by the caller.
"""

from typing import Annotated, Any

from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool
from pydantic import BaseModel, Field, InstanceOf

from retrievers.blocking import wait_for
from retrievers.types import DEFAULT_COLLECTION, NO_FILTERS, Filters, Fusion, Passage, PassageSearch, SearchResult, WebPage, WebSearch

SEARCH_TOOL = "search_documents"
WEB_TOOL = "search_web"

NOTHING_FOUND = "Nothing in the documents matches."
NO_PAGES = "The web search found no page."


class SearchArguments(BaseModel):
    """A model fills in `query` and `k`. Filters are taken as a Filters object only, which no model can write."""

    query: str = Field(description="What to look for: a question or keywords, in the language of the documents.")
    k: int = Field(5, ge=1, le=100, description="How many passages to return.")
    collection: Annotated[str, InjectedToolArg] = DEFAULT_COLLECTION
    filters: Annotated[InstanceOf[Filters], InjectedToolArg] = NO_FILTERS
    fusion: Annotated[Fusion | None, InjectedToolArg] = None


class WebArguments(BaseModel):
    """A model fills in both."""

    query: str = Field(description="What to look for on the web: a short question or keywords.")
    limit: int = Field(5, ge=1, le=20, description="How many pages to return.")


def search_tool(search: PassageSearch) -> BaseTool:
    """`search_documents`: the message is for the model, the artifact is the SearchResult. An error is raised, never "nothing"."""

    async def search_documents(
        query: str,
        k: int = 5,
        collection: Annotated[str, InjectedToolArg] = DEFAULT_COLLECTION,
        filters: Annotated[Filters, InjectedToolArg] = NO_FILTERS,
        fusion: Annotated[Fusion | None, InjectedToolArg] = None,
    ) -> tuple[str, SearchResult]:
        result = await search.search(query, collection=collection, k=k, filters=filters, fusion=fusion)
        return _numbered([_passage_lines(passage) for passage in result["passages"]], NOTHING_FOUND), result

    description = "Search the documents. Returns numbered passages, each with its title, headings and source."
    return _tool(SEARCH_TOOL, description, search_documents, SearchArguments)


def web_tool(web: WebSearch) -> BaseTool:
    """`search_web`: the message is for the model, the artifact is the list of pages. Raises ProviderError."""

    async def search_web(query: str, limit: int = 5) -> tuple[str, list[WebPage]]:
        pages = await web.search(query, limit=limit)
        return _numbered([_page_lines(page) for page in pages], NO_PAGES), pages

    description = "Search the web. Returns numbered pages, each with its title, address and an extract; nobody has checked them."
    return _tool(WEB_TOOL, description, search_web, WebArguments)


def _tool(name: str, description: str, run: Any, arguments: type[BaseModel]) -> BaseTool:
    def blocking(**values: Any) -> Any:
        return wait_for(run(**values))

    return StructuredTool(
        name=name, description=description, func=blocking, coroutine=run, args_schema=arguments, response_format="content_and_artifact"
    )


def _numbered(entries: list[str], empty: str) -> str:
    return "\n\n".join(f"[{number}] {entry}" for number, entry in enumerate(entries, start=1)) or empty


def _passage_lines(passage: Passage) -> str:
    place = [passage["title"] or passage["document"], *(heading for heading in passage["heading_path"] if heading != passage["title"])]
    source = passage["document"] if passage["page"] is None else f"{passage['document']}, p. {passage['page']}"
    return f"{' > '.join(place)} ({source})\n{passage['text'].strip()}"


def _page_lines(page: WebPage) -> str:
    return f"{page['title'] or page['url']} ({page['url']})\n{page['text'].strip()}"
