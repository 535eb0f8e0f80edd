"""What a caller sees of a turn beside its end: while it runs, when it is asked wrongly, and in what is kept of it."""

import logging
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from memory_search import MemorySearch, Text

from graphs.api import ask
from graphs.rag import build_graph
from retrievers.providers.fakes import HashEmbedder
from retrievers.tools import search_tool

TEXTS = (
    Text("Nightly backups are kept for 35 days. They start at 02:30.", "ops.md", "Operations", ("Backups",)),
    Text("Weekly backups are kept for 20 weeks.", "ops.md", "Operations", ("Weekly backups",), 100),
)
DAYS = "How long are nightly backups kept?"
THREAD: Any = {"configurable": {"thread_id": "one"}}


def graph(saver: InMemorySaver | None = None) -> Any:
    search = MemorySearch(TEXTS, HashEmbedder())
    return build_graph(search=search, search_tool=search_tool(search), embedder=search.embedder, checkpointer=saver)


@pytest.mark.rule("R13")
async def test_a_running_turn_has_no_status_and_the_last_state_has_one():
    """R13: a turn that runs is not shown as failed, nor as the turn before it; the thread keeps how the last one ended."""
    saver = InMemorySaver()
    for question in (DAYS, "How long are weekly backups kept?"):
        states = [state async for state in graph(saver).astream({"question": question}, THREAD, stream_mode="values")]
        assert len(states) > 5
        assert [state["status"] for state in states if "status" in state] == ["answered"]
        assert states[-1]["status"] == "answered"
        assert all(state.get("answer") in ("", None) for state in states[1:-1])
        assert (await graph(saver).aget_state(THREAD)).values["status"] == "answered"


@pytest.mark.rule("R13")
@pytest.mark.parametrize("question", [5, ["How long?"], {"text": "How long?"}, b"How long?", True])
async def test_a_question_that_is_no_text_fails_in_words(question):
    """R13: never a traceback."""
    output = await graph().ainvoke({"question": question})
    assert output["status"] == "failed"
    assert output["reason"] == f"the question is no text, but of the type {type(question).__name__}: give `question` as a string"
    assert output["messages"][-1].text == output["answer"]


@pytest.mark.rule("R13")
@pytest.mark.parametrize(
    "messages", [5, b"How long?", [5], ["How long?", None], [{"text": "How long?"}], [{"role": "king", "content": "x"}]]
)
async def test_messages_that_are_none_fail_in_words(messages):
    """R13: also beside a question that is one."""
    output = await graph().ainvoke({"question": DAYS, "messages": messages})
    assert output["status"] == "failed"
    assert output["reason"].startswith("`messages` cannot be read (")
    assert [message.text for message in output["messages"]] == [output["answer"]]


@pytest.mark.rule("R13", "F31")
@pytest.mark.parametrize("wrong", [{"question": 5}, {"messages": [5]}, {"question": "x" * 8001}])
async def test_a_thread_goes_on_after_an_input_that_was_none(wrong):
    """R13, F31: the next message is a question of its own."""
    saver = InMemorySaver()
    await graph(saver).ainvoke({"question": DAYS}, THREAD)
    assert (await graph(saver).ainvoke(wrong, THREAD))["status"] == "failed"
    output = await graph(saver).ainvoke({"messages": [HumanMessage("How long are weekly backups kept?")]}, THREAD)
    assert output["status"] == "answered"
    assert output["citations"][0]["quote"] == "Weekly backups are kept for 20 weeks."


def test_a_run_without_an_event_loop_says_that_it_needs_one():
    with pytest.raises(TypeError, match='No synchronous function provided to "gate"'):
        graph().invoke({"question": DAYS})


async def test_a_thread_that_ask_continues_keeps_plain_values(caplog):
    """An object of a class would bind what is stored to this version."""
    saver = InMemorySaver()

    @asynccontextmanager
    async def threads():
        yield saver

    services: Any = SimpleNamespace(operator=None, rag=lambda scope, saver: graph(saver), threads=threads, thread_id=lambda thread: thread)
    with caplog.at_level(logging.WARNING):
        for question in (DAYS, "How long are weekly backups kept?"):
            assert (await ask(question, thread="one", services=services))["status"] == "answered"
        kept = [snapshot async for snapshot in graph(saver).aget_state_history(THREAD)]
    assert len(kept) > 10
    assert "unregistered type" not in caplog.text
