"""The user is asked back where several documents could be meant, and the turn goes on from there."""

import json
import time

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from memory_search import MemorySearch, Text
from turns import passage, runtime, turn

from graphs.rag import build_graph
from nodes.clarify import clarify
from nodes.structured import Decider
from retrievers.providers.fakes import HashEmbedder, ScriptedChat
from retrievers.tools import search_tool

TEXTS = [
    Text("The head bolts need a torque of 12 Nm.", "helios.md", "Helios manual", ("Torque",)),
    Text("The head bolts need a torque of 15 Nm.", "orion.md", "Orion manual", ("Torque",)),
    Text("Tea is served at four.", "tea.md", "Tea", ("Hours",)),
]
QUESTION = "What torque do the head bolts need?"
BOTH = json.dumps({"verdicts": [{"id": 1, "relevant": True}, {"id": 2, "relevant": True}], "sufficient": True, "confidence": 0.9})
OPTIONS = [{"document": "helios.md", "title": "Helios manual"}, {"document": "orion.md", "title": "Orion manual"}]
THREAD = {"configurable": {"thread_id": "t"}}


def graph_of(search, *, replies=None, checkpointer=None):
    chat = ScriptedChat(replies=list(replies)) if replies is not None else None
    decider = Decider(chat) if chat else None
    return build_graph(
        search=search, search_tool=search_tool(search), embedder=search.embedder, chat=decider, checkpointer=checkpointer
    ), chat


def searching() -> MemorySearch:
    return MemorySearch(TEXTS, HashEmbedder())


@pytest.mark.rule("F16")
async def test_without_a_thread_the_question_back_is_the_answer():
    """F16: nobody guesses which document was meant; the options stand in the answer."""
    graph, _ = graph_of(searching())
    output = await graph.ainvoke({"question": QUESTION}, context={"clarify": True})
    assert (output["status"], output["citations"]) == ("needs_input", [])
    assert output["answer"].splitlines()[1:] == ["1. Helios manual (helios.md)", "2. Orion manual (orion.md)"]
    assert output["reason"] == "2 documents could be meant, and the question does not tell which"
    assert output["messages"][-1].text == output["answer"]


@pytest.mark.rule("F16")
async def test_where_nobody_waits_the_question_back_says_how_to_ask_again():
    """F16: no number can be answered without a thread."""
    graph, _ = graph_of(searching())
    output = await graph.ainvoke({"question": QUESTION}, context={"clarify": True})
    assert output["answer"].startswith("Which of these documents do you mean? Ask again and name the document, or use a thread")


@pytest.mark.rule("F16")
async def test_both_are_answered_from_each():
    """F16: one quote of each document, without a model too."""
    graph, _ = graph_of(searching(), checkpointer=InMemorySaver())
    await graph.ainvoke({"question": QUESTION}, THREAD, context={"clarify": True})
    output = await graph.ainvoke(Command(resume="both"), THREAD, context={"clarify": True})
    assert [citation["document"] for citation in output["citations"]] == ["helios.md", "orion.md"]


@pytest.mark.rule("F16")
async def test_neither_is_no_evidence():
    """F16: and nothing is cited."""
    graph, _ = graph_of(searching(), checkpointer=InMemorySaver())
    await graph.ainvoke({"question": QUESTION}, THREAD, context={"clarify": True})
    output = await graph.ainvoke(Command(resume="neither"), THREAD, context={"clarify": True})
    assert (output["status"], output["citations"]) == ("no_evidence", [])
    assert output["reason"] == "the user said that none of the documents is meant"


async def test_a_number_that_no_document_has_is_asked_for_again_with_the_reason():
    graph, _ = graph_of(searching(), checkpointer=InMemorySaver())
    await graph.ainvoke({"question": QUESTION}, THREAD, context={"clarify": True})
    again = await graph.ainvoke(Command(resume="3"), THREAD, context={"clarify": True})
    assert again["__interrupt__"][0].value["question"].startswith("“3” names none of the 2 documents. Which of these")


async def test_a_twin_just_under_the_threshold_is_asked_about_and_answered_from_when_it_is_named():
    kept = passage("a", "The warranty lasts two years.", 0.61, document="a.md", title="A100 manual", heading_path=["Warranty"])
    near = passage("b", "The warranty lasts five years.", 0.59, document="b.md", title="B200 manual", heading_path=["Warranty"])
    state = turn("How long is the warranty?", kept=[kept], passages=[kept, near])
    update = await clarify(state, runtime(clarify=True), pausable=False)
    assert update["status"] == "needs_input"
    assert update["answer"].splitlines()[1:] == ["1. A100 manual (a.md)", "2. B200 manual (b.md)"]


async def test_the_question_back_is_in_the_language_of_the_question():
    kept = [
        passage(name, f"ヘッドボルトの締め付けトルクは{number}Nmです。", document=f"{name}.md", title=name, heading_path=["トルク"])
        for name, number in (("Helios", 12), ("Orion", 15))
    ]
    update = await clarify(turn("ヘッドボルトの締め付けトルクは？", kept=kept), runtime(clarify=True), pausable=False)
    assert update["answer"].startswith("どの文書についてのご質問ですか？")


async def test_it_is_off_unless_the_caller_wants_it():
    graph, _ = graph_of(searching())
    output = await graph.ainvoke({"question": QUESTION})
    assert output["status"] == "answered"


async def test_a_clear_question_is_answered_at_once():
    graph, _ = graph_of(searching(), checkpointer=InMemorySaver())
    output = await graph.ainvoke({"question": "What torque do the head bolts of the Orion need?"}, THREAD, context={"clarify": True})
    assert "__interrupt__" not in output
    assert [event["decision"] for event in output["trail"] if event["step"] == "clarify"] == ["clear"]


@pytest.mark.rule("F16")
@pytest.mark.parametrize("reply", ["orion.md", "Orion manual", "2", 2])
async def test_the_answer_rests_on_the_document_that_the_user_names(reply):
    """F16: by document, title or number; no other document is cited, and resuming asks no model and searches nothing again."""
    search = searching()
    answer = json.dumps({"claims": [{"text": "15 Nm.", "passage": 1, "quote": "The head bolts need a torque of 15 Nm."}]})
    graph, chat = graph_of(search, replies=[BOTH, answer], checkpointer=InMemorySaver())
    paused = await graph.ainvoke({"question": QUESTION}, THREAD, context={"clarify": True})
    assert paused["__interrupt__"][0].value["options"] == OPTIONS
    asked, searched = len(chat.prompts), len(search.queries)
    output = await graph.ainvoke(Command(resume=reply), THREAD, context={"clarify": True})
    assert (output["status"], output["answer"]) == ("answered", "15 Nm. [1]")
    assert [citation["document"] for citation in output["citations"]] == ["orion.md"]
    assert (len(chat.prompts), len(search.queries)) == (asked + 1, searched)
    assert {"why": "the user meant another document", "document": "helios.md"}.items() <= output["rejected"][0].items()


async def test_a_reply_that_names_nothing_is_asked_for_once_more_and_then_all_are_taken():
    graph, _ = graph_of(searching(), checkpointer=InMemorySaver())
    await graph.ainvoke({"question": QUESTION}, THREAD, context={"clarify": True})
    again = await graph.ainvoke(Command(resume="hm"), THREAD, context={"clarify": True})
    assert again["__interrupt__"][0].value["understood"] is False
    output = await graph.ainvoke(Command(resume="Ignore the documents"), THREAD, context={"clarify": True})
    assert output["status"] == "answered"
    assert [event["decision"] for event in output["trail"] if event["step"] == "clarify"] == ["all of them"]


async def test_a_second_reply_may_name_one():
    graph, _ = graph_of(searching(), checkpointer=InMemorySaver())
    await graph.ainvoke({"question": QUESTION}, THREAD, context={"clarify": True})
    await graph.ainvoke(Command(resume="hm"), THREAD, context={"clarify": True})
    output = await graph.ainvoke(Command(resume="1"), THREAD, context={"clarify": True})
    assert [citation["document"] for citation in output["citations"]] == ["helios.md"]


@pytest.mark.rule("limit")
async def test_the_callers_time_does_not_run_while_the_user_thinks(monkeypatch):
    """limit: after a pause longer than the deadline the turn still answers."""
    graph, _ = graph_of(searching(), checkpointer=InMemorySaver())
    context = {"clarify": True, "deadline_s": 4}
    await graph.ainvoke({"question": QUESTION}, THREAD, context=context)
    values = (await graph.aget_state(THREAD)).values
    assert 0 < values["time_left"] <= 4
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() + 60)
    output = await graph.ainvoke(Command(resume="1"), THREAD, context=context)
    assert output["status"] == "answered"


async def test_the_next_turn_on_the_thread_does_not_remember_the_pause():
    graph, _ = graph_of(searching(), checkpointer=InMemorySaver())
    await graph.ainvoke({"question": QUESTION}, THREAD, context={"clarify": True})
    output = await graph.ainvoke({"question": "When is tea served?"}, THREAD, context={"clarify": True})
    assert output["answer"].startswith("Tea is served at four.")
    assert (await graph.aget_state(THREAD)).values["time_left"] is None
