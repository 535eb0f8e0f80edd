"""A turn that waits for its user survives a restart: nothing that was paid for is paid for again."""

import json
from pathlib import Path

import pytest
from langgraph.types import Command
from memory_search import MemorySearch, Text

from graphs.rag import build_graph
from graphs.settings import Settings
from graphs.wiring import Services
from nodes.structured import Decider
from retrievers.providers.fakes import HashEmbedder, ScriptedChat
from retrievers.tools import search_tool

TEXTS = [
    Text("The head bolts need a torque of 12 Nm.", "helios.md", "Helios manual", ("Torque",)),
    Text("The head bolts need a torque of 15 Nm.", "orion.md", "Orion manual", ("Torque",)),
]
QUESTION = "What torque do the head bolts need?"
BOTH = json.dumps({"verdicts": [{"id": 1, "relevant": True}, {"id": 2, "relevant": True}], "sufficient": True, "confidence": 0.9})
ANSWER = json.dumps({"claims": [{"text": "15 Nm.", "passage": 1, "quote": "The head bolts need a torque of 15 Nm."}]})


async def run(home: Path, tenant: str, given, replies):
    """One run of a process of its own on the thread: (output, model calls, searches)."""
    services = Services(Settings(home=home, tenant=tenant))
    search, chat = MemorySearch(TEXTS, HashEmbedder()), ScriptedChat(replies=replies)
    async with services.threads() as saver:
        graph = build_graph(
            search=search, search_tool=search_tool(search), embedder=search.embedder, chat=Decider(chat), checkpointer=saver
        )
        config = {"configurable": {"thread_id": services.thread_id("bolts")}}
        output = await graph.ainvoke(given, config, context={"clarify": True})
    await services.close()
    return output, len(chat.prompts), len(search.queries)


@pytest.mark.rule("F16", "R2")
async def test_a_paused_turn_goes_on_after_a_restart_without_a_call_or_a_search_twice(server_home: Path, server_dsn: str, tenant: str):
    """F16, R2: the grades and what was found come from the thread; only the answer is asked for, from the document that was named."""
    paused, calls, searches = await run(server_home, tenant, {"question": QUESTION}, [BOTH])
    assert paused["__interrupt__"][0].value["options"] == [
        {"document": "helios.md", "title": "Helios manual"},
        {"document": "orion.md", "title": "Orion manual"},
    ]
    assert (calls, searches) == (1, 1)

    output, calls, searches = await run(server_home, tenant, Command(resume="Orion manual"), [ANSWER])
    assert (output["status"], output["answer"]) == ("answered", "15 Nm. [1]")
    assert [citation["document"] for citation in output["citations"]] == ["orion.md"]
    assert (calls, searches, output["usage"]["calls"]) == (1, 0, 2)
