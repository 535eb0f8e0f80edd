"""LangChain's own suites over both tools, and what a model can and cannot do with them."""

import json
from typing import Any

import pytest
from langchain_core.tools import BaseTool
from langchain_tests.integration_tests import ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests
from pydantic import ValidationError
from pytest_socket import disable_socket, enable_socket

from retrievers.errors import DatabaseUnavailable, ProviderUnavailable
from retrievers.passages import Bounds
from retrievers.providers.fakes import FixedWeb
from retrievers.text.analysis import ANALYSER
from retrievers.tools import search_tool, web_tool
from retrievers.types import Filters


@pytest.fixture(autouse=True)
def _no_network():
    disable_socket(allow_unix_socket=True)
    yield
    enable_socket()


PASSAGE = {
    "id": "c1",
    "document": "pump.md",
    "title": "Pumps",
    "heading_path": ["Pumps", "Seals"],
    "page": 3,
    "url": None,
    "origin": "person",
    "content_type": "text",
    "language": "en",
    "text": "The seal wears.\n",
    "start": 0,
    "end": 16,
    "token_count": 4,
    "metadata": {},
    "score": 0.9,
    "absolute": 0.9,
    "scores": {"bm25": 1.0, "cosine": 0.8, "fused": 0.9},
    "ranks": {"lexical": 1, "vector": 1},
    "factors": {},
}


class Recorded:
    """A passage search that finds what it is given, or raises it, and keeps what it was asked."""

    def __init__(self, found: list[Any] | Exception) -> None:
        self.found = found
        self.asked: list[dict[str, Any]] = []

    async def search(self, query: str, **given: Any) -> dict[str, Any]:
        self.asked.append({"query": query, **given})
        if isinstance(self.found, Exception):
            raise self.found
        return {
            "passages": self.found,
            "no_answer": 0.5,
            "fusion": "absolute",
            "answerable": 0.9,
            "analyser": ANALYSER,
            "chunk_count": 1,
            "timings_ms": {},
            "degraded": [],
        }


def call(tool: BaseTool, **args: Any) -> dict[str, Any]:
    return {"type": "tool_call", "id": "call-1", "name": tool.name, "args": args}


class _SearchDocuments:
    @property
    def tool_constructor(self) -> BaseTool:
        return search_tool(Recorded([PASSAGE]))

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"query": "seal", "k": 3}


class _SearchWeb:
    @property
    def tool_constructor(self) -> BaseTool:
        return web_tool(FixedWeb([{"url": "https://example.org", "title": "Seals", "text": "They wear.", "score": None}]))

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"query": "seal"}


@pytest.mark.rule("L1")
class TestSearchDocumentsUnit(_SearchDocuments, ToolsUnitTests):
    """L1: all of langchain-tests' unit suite for tools."""


@pytest.mark.rule("L1")
class TestSearchDocuments(_SearchDocuments, ToolsIntegrationTests):
    """L1: all of langchain-tests' integration suite for tools."""


@pytest.mark.rule("L1")
class TestSearchWebUnit(_SearchWeb, ToolsUnitTests):
    """L1: all of langchain-tests' unit suite for tools."""


@pytest.mark.rule("L1")
class TestSearchWeb(_SearchWeb, ToolsIntegrationTests):
    """L1: all of langchain-tests' integration suite for tools."""


@pytest.mark.rule("F9")
def test_a_model_sees_the_query_and_the_number_alone():
    """F9: collection, filters and fusion are not in the schema that a model is given."""
    schema = search_tool(Recorded([])).tool_call_schema.model_json_schema()
    assert sorted(schema["properties"]) == ["k", "query"]
    assert sorted(web_tool(FixedWeb()).tool_call_schema.model_json_schema()["properties"]) == ["limit", "query"]


FOREIGN = [
    {"collection": "other"},
    {"filters": {"metadata": [["tenant", "other"]]}},
    {"bounds": {"collection": "other"}},
    {"bounds": "other"},
    {"imagined": {"texts": ["other"]}},
    {"hypothetical": ["other"]},
    {"fusion": "rrf"},
    {"tenant": "other"},
    {"scope": {"tenant": "other", "principals": ["operator"]}},
]


@pytest.mark.rule("F9")
@pytest.mark.parametrize("sent", FOREIGN, ids=json.dumps)
async def test_a_model_cannot_choose_where_the_search_looks(sent):
    """F9: a model writes JSON; where to look is an object of ours, and an argument that the tool does not have is refused."""
    search = Recorded([])
    tool = search_tool(search)
    with pytest.raises(ValidationError):
        await tool.ainvoke(call(tool, query="seal", **json.loads(json.dumps(sent))))
    assert search.asked == []


async def test_the_caller_injects_what_the_model_may_not_choose():
    search = Recorded([])
    tool, filters = search_tool(search), Filters((("product", "pump"),))
    await tool.ainvoke(call(tool, query="seal", k=20, bounds=Bounds("manuals", filters, "rrf")))
    assert search.asked == [{"query": "seal", "k": 20, "collection": "manuals", "filters": filters, "fusion": "rrf", "hypothetical": ()}]


async def test_the_model_reads_numbered_passages_with_their_place():
    search = Recorded([PASSAGE, {**PASSAGE, "title": "", "heading_path": [], "page": None, "text": "No title here."}])
    tool = search_tool(search)
    message = await tool.ainvoke(call(tool, query="seal"))
    assert message.content == "[1] Pumps > Seals (pump.md, p. 3)\nThe seal wears.\n\n[2] pump.md (pump.md)\nNo title here."
    assert message.artifact["passages"] == search.found


async def test_nothing_found_and_an_error_are_two_things():
    empty, broken = search_tool(Recorded([])), search_tool(Recorded(DatabaseUnavailable("the database cannot be reached")))
    assert (await empty.ainvoke(call(empty, query="seal"))).content == "Nothing in the documents matches."
    with pytest.raises(DatabaseUnavailable, match="cannot be reached"):
        await broken.ainvoke(call(broken, query="seal"))


async def test_a_failed_web_search_is_an_error_and_an_empty_one_a_message():
    empty, broken = web_tool(FixedWeb()), web_tool(FixedWeb(error=ProviderUnavailable("status 500")))
    message = await empty.ainvoke(call(empty, query="seal"))
    assert (message.content, message.artifact) == ("The web search found no page.", [])
    with pytest.raises(ProviderUnavailable):
        await broken.ainvoke(call(broken, query="seal"))


@pytest.mark.parametrize("k", [0, 101, "many"])
async def test_a_number_out_of_range_is_refused(k):
    tool = search_tool(Recorded([]))
    with pytest.raises(ValidationError):
        await tool.ainvoke(call(tool, query="seal", k=k))
