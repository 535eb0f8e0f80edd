"""The graph's node calls the tool of the agents and tells by which path each passage was reached."""

import pytest
from memory_search import MemorySearch, Text
from turns import passage, runtime, turn

from nodes.knowledge_graph import knowledge_graph
from retrievers.errors import DatabaseUnavailable
from retrievers.providers.fakes import HashEmbedder
from retrievers.tools import graph_tool

PATH = [{"entity": "Ada Fenn", "id": "p1", "document": "film.md", "title": "Salt Road"}]


class Walking(MemorySearch):
    """Says of its second passage that the graph led to it."""

    async def search(self, query, **arguments):
        result = await super().search(query, **arguments)
        for found in result["passages"][1:2]:
            found.update(path=PATH, lifted=0.9)
        return result


def walking(**fields) -> Walking:
    return Walking([Text(f"Note {number} on the salt road.", f"{number}.md") for number in range(8)], HashEmbedder(), **fields)


@pytest.mark.rule("kg")
async def test_the_path_of_each_passage_stands_in_the_trail():
    """kg: who reads the trail sees why a passage is there."""
    update = await knowledge_graph(turn(), runtime(), tool=graph_tool(walking()))
    event = update["trail"][0]
    assert event["decision"] == "5 passages of 8, 1 by the graph"
    assert "mentions 'Ada Fenn', as 'Salt Road' does" in event["reason"]
    assert event["data"]["paths"][0]["path"] == PATH
    assert len(update["found"][0]["passages"]) == 5


@pytest.mark.rule("kg")
async def test_without_a_graph_it_says_so_and_finds_nothing():
    """kg: retrieve comes then."""
    update = await knowledge_graph(turn(), runtime(), tool=None)
    assert [event["decision"] for event in update["trail"]] == ["not_configured"]
    assert "found" not in update


@pytest.mark.rule("kg", "store-contract")
async def test_an_error_is_raised_and_never_nothing_found():
    """kg, store-contract."""
    with pytest.raises(DatabaseUnavailable):
        await knowledge_graph(turn(), runtime(), tool=graph_tool(walking(error=DatabaseUnavailable("the database is down"))))


@pytest.mark.rule("kg")
async def test_a_model_reads_the_path_in_the_tools_message():
    """kg: the agent sees how a passage was reached."""
    message = await graph_tool(walking()).ainvoke({"query": "salt road", "k": 2})
    assert "reached by the graph: it mentions 'Ada Fenn', as 'Salt Road' does" in message


def test_a_passage_of_the_tests_has_no_path():
    assert "path" not in passage()
