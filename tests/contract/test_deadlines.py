"""A caller's deadline holds with real clients and servers that do not answer."""

import time

import pytest
from memory_search import MemorySearch, Text
from servers.chat import ChatServer
from servers.loopback import Reply
from servers.tavily import TavilyServer

from graphs.agent import build_agent
from graphs.rag import build_graph
from nodes.structured import Decider
from retrievers.providers.chat import resolve_chat
from retrievers.providers.fakes import HashEmbedder
from retrievers.providers.search_tavily import TavilySearch
from retrievers.tools import search_tool, web_tool

TEXTS = [Text("Nightly backups are kept for 35 days. They start at 02:30.", "ops.md", "Operations", ("Backups",))]
DAYS = "How long are nightly backups kept?"
QUOTE = "Nightly backups are kept for 35 days."
RELEVANT = {"verdicts": [{"id": 1, "relevant": "yes"}], "sufficient": True, "confidence": 0.9, "missing": ""}
DEADLINE_S = 4.0
TOLERANCE_S = 1.5
"""On top of it: a loaded machine imports the client's package meanwhile."""


def model(server):
    return Decider(resolve_chat("openai:test", base_url=server.base_url, timeout_s=60))


async def timed(graph, question):
    started = time.perf_counter()
    output = await graph.ainvoke({"question": question}, context={"deadline_s": DEADLINE_S})
    return output, time.perf_counter() - started


@pytest.mark.rule("limit", "R13")
@pytest.mark.parametrize("script", [(Reply(hang=True),), (RELEVANT, Reply(hang=True)), (Reply(status=429, headers={"retry-after": "30"}),)])
async def test_a_model_that_hangs_or_asks_to_wait_is_given_up_in_time(script):
    """limit, R13: in grading, in the answer, and between retries."""
    memory = MemorySearch(TEXTS, HashEmbedder())
    with ChatServer(*script, always=Reply(hang=True)) as server:
        chat = model(server)
        await chat.prepare()
        output, seconds = await timed(
            build_graph(search=memory, search_tool=search_tool(memory), embedder=memory.embedder, chat=chat), DAYS
        )
    assert seconds < DEADLINE_S + TOLERANCE_S
    assert output["citations"][0]["quote"] == QUOTE
    assert output["status"] in ("budget_exhausted", "answered")
    assert output["status"] == "budget_exhausted" or output["degraded"]


@pytest.mark.rule("limit", "R13", "F25")
async def test_a_web_that_hangs_is_given_up_in_time():
    """limit, R13, F25: budget_exhausted and no answer."""
    memory = MemorySearch(TEXTS, HashEmbedder())
    with TavilyServer(None, Reply(hang=True)) as server:
        web = web_tool(TavilySearch(api_key="tvly-test", base_url=server.url, timeout_s=60))
        graph = build_graph(search=memory, search_tool=search_tool(memory), embedder=memory.embedder, web_tool=web)
        output, seconds = await timed(graph, "Who won the 1998 football world cup?")
    assert seconds < DEADLINE_S + TOLERANCE_S
    assert (output["status"], output["citations"]) == ("budget_exhausted", [])


@pytest.mark.rule("limit", "R13")
async def test_the_agent_holds_it_too():
    """limit, R13: a plain search, and quotes from it."""
    memory = MemorySearch(TEXTS, HashEmbedder())
    with ChatServer(always=Reply(hang=True)) as server:
        chat = model(server)
        await chat.prepare()
        output, seconds = await timed(build_agent(tools=[search_tool(memory)], embedder=memory.embedder, chat=chat), DAYS)
    assert seconds < DEADLINE_S + TOLERANCE_S
    assert (output["status"], output["citations"][0]["quote"]) == ("budget_exhausted", QUOTE)
