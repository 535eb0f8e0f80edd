"""LangChain's own suites over the reading tools, what they tell a model, and what no model can ask of them."""

import json
from typing import Any

import pytest
from contract.test_tools import FOREIGN, PASSAGE, Recorded, call
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from langchain_tests.integration_tests import ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from pydantic import ValidationError
from pytest_socket import disable_socket, enable_socket

from retrievers.errors import DatabaseUnavailable
from retrievers.passages import Bounds, StoredPassage, unknown_passage
from retrievers.providers.fakes import HashEmbedder
from retrievers.reading_tools import compact_tool, neighbours_tool, passages_tool, reading_tools
from retrievers.types import Filters

TEXT = "Check the oil. The seal wears after a year. Replace the seal with care."
LONG = {**PASSAGE, "text": TEXT * 10, "token_count": 140}


def count(text: str) -> int:
    return HashEmbedder().count_tokens(text)


def stored(id: str, text: str, start: int) -> StoredPassage:
    fields = {name: PASSAGE[name] for name in StoredPassage.__annotations__}
    return {**fields, "id": id, "text": text, "start": start, "end": start + len(text)}  # type: ignore[typeddict-item]


class Shelf:
    """A reader of two passages that overlap, which keeps what it was asked."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.asked: list[dict[str, Any]] = []
        self.kept = [stored("c1", "The seal wears. Replace it.", 0), stored("c2", "Replace it. Then oil it.", 16)]

    async def read(self, ids, **given):
        self.asked.append({"ids": ids, **given})
        if self.error:
            raise self.error
        known = {passage["id"]: passage for passage in self.kept}
        return {"passages": [known[id] for id in ids if id in known], "unknown": [id for id in ids if id not in known]}

    async def neighbours(self, passage, **given):
        self.asked.append({"passage": passage, **given})
        known = any(passage == one["id"] for one in self.kept)
        return {"passages": self.kept, "unknown": []} if known else {"passages": [], "unknown": [passage]}


@pytest.fixture(autouse=True)
def _no_network():
    disable_socket(allow_unix_socket=True)
    yield
    enable_socket()


class _Compact:
    @property
    def tool_constructor(self) -> BaseTool:
        return compact_tool(Recorded([LONG]), count)

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"query": "seal", "k": 3}


class _Neighbours:
    @property
    def tool_constructor(self) -> BaseTool:
        return neighbours_tool(Shelf(), count)

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"id": "c1"}


class _Passages:
    @property
    def tool_constructor(self) -> BaseTool:
        return passages_tool(Shelf(), count)

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"ids": ["c2", "c1"]}


@pytest.mark.rule("L1")
class TestCompactUnit(_Compact, ToolsUnitTests):
    """L1: all of langchain-tests' unit suite for tools."""


@pytest.mark.rule("L1")
class TestCompact(_Compact, ToolsIntegrationTests):
    """L1: all of langchain-tests' integration suite for tools."""


@pytest.mark.rule("L1")
class TestNeighboursUnit(_Neighbours, ToolsUnitTests):
    """L1: all of langchain-tests' unit suite for tools."""


@pytest.mark.rule("L1")
class TestNeighbours(_Neighbours, ToolsIntegrationTests):
    """L1: all of langchain-tests' integration suite for tools."""


@pytest.mark.rule("L1")
class TestPassagesUnit(_Passages, ToolsUnitTests):
    """L1: all of langchain-tests' unit suite for tools."""


@pytest.mark.rule("L1")
class TestPassages(_Passages, ToolsIntegrationTests):
    """L1: all of langchain-tests' integration suite for tools."""


@pytest.mark.rule("disclosure")
async def test_a_compact_hit_is_an_id_a_score_with_its_parts_the_tokens_and_a_few_words():
    """disclosure: one line a hit, the words around the match, and what was saved against the full text, in message and artifact."""
    tool = compact_tool(Recorded([LONG]), count)
    message = await tool.ainvoke(call(tool, query="how does a seal wear?"))
    line, told = message.content.splitlines()
    assert line.startswith("[1] c1 0.90 b1.0 c0.80 140t …The seal wears after a year. Replace the seal with care.")
    tokens = message.artifact["tokens"]
    assert told == f"{tokens['compact']} tokens, {tokens['full']} in full: {tokens['saved']} saved."
    assert (tokens["compact"], tokens["full"]) == (count(line), count(f"[1] Pumps > Seals (pump.md, p. 3)\n{LONG['text'].strip()}"))
    assert tokens["saved"] == tokens["full"] - tokens["compact"] > 0
    assert message.artifact["hits"][0]["scores"] == PASSAGE["scores"]


@pytest.mark.rule("T10")
async def test_a_part_of_the_score_that_no_arm_gave_is_left_out():
    """T10: a score that is not there is not zero."""
    tool = compact_tool(Recorded([{**PASSAGE, "scores": {"bm25": 2.0, "cosine": None, "fused": 2.0}, "score": 2.0}]), count)
    assert (await tool.ainvoke(call(tool, query="seal"))).content.startswith("[1] c1 2.00 b2.0 4t The seal wears.")


async def test_no_hits_are_a_sentence_and_save_nothing():
    tool = compact_tool(Recorded([]), count)
    message = await tool.ainvoke(call(tool, query="seal"))
    assert (message.content, message.artifact["hits"], message.artifact["tokens"]["saved"]) == ("Nothing in the documents matches.", [], 0)


@pytest.mark.rule("disclosure")
async def test_neighbours_say_once_what_they_share():
    """disclosure: chunks overlap; the model reads the document's text, not its seams."""
    tool, place = neighbours_tool(Shelf(), count), "Pumps > Seals (pump.md, p. 3)"
    message = await tool.ainvoke(call(tool, id="c1"))
    assert message.content == f"c1 {place}\nThe seal wears. Replace it.\n\nc2 {place}\nThen oil it."
    assert [passage["text"] for passage in message.artifact["passages"]] == ["The seal wears. Replace it.", "Replace it. Then oil it."]
    assert message.artifact["tokens"] == count(message.content)


@pytest.mark.rule("disclosure")
async def test_whole_passages_keep_the_order_of_their_ids_and_unknown_ones_are_named():
    """disclosure: an id that is unknown, foreign or not to be read is told in one and the same sentence."""
    tool = passages_tool(Shelf(), count)
    message = await tool.ainvoke(call(tool, ids=["c2", "zz", "c1"]))
    assert [line.split()[0] for line in message.content.splitlines() if "pump.md" in line] == ["c2", "c1"]
    assert message.content.endswith(unknown_passage("zz"))
    assert message.artifact["unknown"] == ["zz"]


async def test_where_to_look_is_injected_by_the_caller():
    search, shelf, bounds = Recorded([]), Shelf(), Bounds("manuals", Filters((("product", "pump"),)))
    compact, neighbours, passages = reading_tools(search, shelf, count)
    await compact.ainvoke(call(compact, query="seal", bounds=bounds))
    await neighbours.ainvoke(call(neighbours, id="c1", before=1, after=2, bounds=bounds))
    await passages.ainvoke(call(passages, ids=["c1"], bounds=bounds))
    where = {"collection": "manuals", "filters": bounds.filters}
    assert search.asked == [{"query": "seal", "k": 10, "fusion": None, "hypothetical": (), **where}]
    assert shelf.asked == [{"passage": "c1", "before": 1, "after": 2, **where}, {"ids": ["c1"], **where}]


@pytest.mark.rule("F9")
@pytest.mark.parametrize("sent", FOREIGN, ids=json.dumps)
async def test_a_model_cannot_choose_where_to_read(sent):
    """F9: refused by the schema, before anything is read."""
    search, shelf = Recorded([]), Shelf()
    for tool, own in zip(reading_tools(search, shelf, count), ({"query": "seal"}, {"id": "c1"}, {"ids": ["c1"]}), strict=True):
        assert sorted(tool.tool_call_schema.model_json_schema()["properties"]) == sorted(
            {"search_compact": ["k", "query"], "read_neighbours": ["after", "before", "id"], "read_passages": ["ids"]}[tool.name]
        )
        with pytest.raises(ValidationError):
            await tool.ainvoke(call(tool, **own, **sent))
    assert search.asked == shelf.asked == []


@pytest.mark.rule("F9")
@pytest.mark.parametrize("sent", FOREIGN, ids=json.dumps)
async def test_a_tool_call_of_a_model_that_names_another_collection_never_reaches_it(sent):
    """F9: through LangGraph's own ToolNode, as an agent runs it; it drops injected arguments, any other one is an error to the model."""
    search = Recorded([PASSAGE])
    tools = reading_tools(search, Shelf(), count, Bounds("manuals"))
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(tools, handle_tool_errors=True))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    asked = AIMessage("", tool_calls=[{"name": "search_compact", "args": {"query": "seal", **sent}, "id": "1", "type": "tool_call"}])
    reply = (await graph.compile().ainvoke({"messages": [asked]}))["messages"][-1]
    dropped = "bounds" in sent
    assert (reply.status, [asked["collection"] for asked in search.asked]) == (("success", ["manuals"]) if dropped else ("error", []))


@pytest.mark.rule("store-contract")
async def test_an_error_is_raised_and_never_an_unknown_passage():
    """store-contract: unknown means that it is not there, never that nobody could look."""
    tool = passages_tool(Shelf(DatabaseUnavailable("the database cannot be reached")), count)
    with pytest.raises(DatabaseUnavailable):
        await tool.ainvoke(call(tool, ids=["c1"]))


@pytest.mark.parametrize("args", [{"ids": []}, {"ids": ["x"] * 51}, {"ids": [7]}, {"ids": "c1"}])
async def test_ids_that_are_none_or_too_many_are_refused(args):
    tool = passages_tool(Shelf(), count)
    with pytest.raises(ValidationError):
        await tool.ainvoke(call(tool, **args))
