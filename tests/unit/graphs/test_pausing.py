"""A thread that waits takes the reply, and anything else as a new question."""

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from memory_search import MemorySearch, Text

from graphs.pausing import as_asked_back, reply_to_pause
from graphs.rag import build_graph
from retrievers.providers.fakes import HashEmbedder
from retrievers.tools import search_tool

TEXTS = [
    Text("The head bolts need a torque of 12 Nm.", "helios.md", "Helios manual", ("Torque",)),
    Text("The head bolts need a torque of 15 Nm.", "orion.md", "Orion manual", ("Torque",)),
]
THREAD = {"configurable": {"thread_id": "t"}}


@pytest.fixture
async def paused():
    search = MemorySearch(TEXTS, HashEmbedder())
    graph = build_graph(search=search, search_tool=search_tool(search), embedder=search.embedder, checkpointer=InMemorySaver())
    output = await graph.ainvoke({"question": "What torque do the head bolts need?"}, THREAD, context={"clarify": True})
    return graph, output


async def test_a_turn_that_waits_is_shown_as_one_that_needs_input(paused):
    shown = as_asked_back(paused[1])
    assert shown["status"] == "needs_input"
    assert shown["answer"].splitlines()[1:] == ["1. Helios manual (helios.md)", "2. Orion manual (orion.md)"]


@pytest.mark.parametrize("said", ["2", "orion.md", "The Orion manual.", "the Orion", "Orion please", "Orionの方", "the second one", "後者"])
async def test_a_reply_that_names_an_option_goes_on(paused, said):
    graph, _ = paused
    output = await graph.ainvoke(await reply_to_pause(graph, THREAD, said), THREAD, context={"clarify": True})
    assert [citation["document"] for citation in output["citations"]] == ["orion.md"]
    assert as_asked_back(output) == output


@pytest.mark.parametrize("said", ["When is tea served?", "What does the Orion manual say of oil?", "hm"])
async def test_anything_else_is_a_new_question(paused, said):
    assert await reply_to_pause(paused[0], THREAD, said) is None


async def test_a_number_that_no_option_has_is_asked_for_again(paused):
    graph, _ = paused
    output = as_asked_back(await graph.ainvoke(await reply_to_pause(graph, THREAD, "3"), THREAD, context={"clarify": True}))
    assert output["status"] == "needs_input"
    assert output["answer"].startswith("“3” names none of the 2 documents.")


async def test_the_question_before_stays_the_question_of_the_resumed_turn(paused):
    graph, _ = paused
    await graph.ainvoke(await reply_to_pause(graph, THREAD, "the Orion"), THREAD, context={"clarify": True})
    assert (await graph.aget_state(THREAD)).values["question"] == "What torque do the head bolts need?"


async def test_a_thread_that_does_not_wait_has_no_reply(paused):
    assert await reply_to_pause(paused[0], {"configurable": {"thread_id": "new"}}, "2") is None
