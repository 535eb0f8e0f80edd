"""Every step that asks somebody outside, out of order in every way, with the real clients: a status with its reason, in time."""

import time
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, get_args

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from memory_search import MemorySearch, Text
from servers.cohere import RerankServer
from servers.loopback import Reply
from servers.steps import FAULTS, Named, StepServer
from servers.tavily import TavilyServer

from graphs.agent import build_agent
from graphs.rag import build_graph
from nodes.rating import rate
from nodes.records import Status
from nodes.structured import Decider
from retrievers.errors import DatabaseUnavailable
from retrievers.providers.chat import resolve_chat
from retrievers.providers.fakes import HashEmbedder
from retrievers.providers.rerank_chat import ChatReranker
from retrievers.providers.rerank_cohere import CohereReranker
from retrievers.providers.search_tavily import TavilySearch
from retrievers.reranking import Reranking
from retrievers.tools import search_tool, web_tool

TIMEOUT_S = 0.5
"""For a call with all its tries, where it is waited for in vain."""
PATIENT_S = 10.0
"""The same where it is answered."""
DEADLINE_S = 6.0
"""For a whole turn: one call that is waited for in vain, none after it, and room for a slow machine."""

DAYS = "How long are nightly backups kept?"
BOTH = "What is the difference between nightly backups and weekly backups?"
WHY = "Why are backups kept?"
CUP = "Who won the 1998 football world cup?"
TEXTS = (
    Text("Nightly backups are kept for 35 days. They start at 02:30.", "ops.md", "Operations", ("Backups",)),
    Text("Weekly backups are kept for 20 weeks.", "ops.md", "Operations", ("Weekly backups",), 100),
    Text("観測室の鍵は受付に返してください。", "rules.md", "規則", ("鍵",)),
)
PAGE = {"url": "https://example.org/cup", "title": "World cup", "content": "France won the 1998 football world cup.", "score": 0.9}

YES = {"verdicts": [{"id": 1, "relevant": "yes"}, {"id": 2, "relevant": "no"}], "sufficient": True, "confidence": 0.9, "missing": ""}
NO = {"verdicts": [{"id": number, "relevant": "no"} for number in (1, 2, 3)], "sufficient": False, "confidence": 0.9, "missing": "days"}
QUOTE = "Nightly backups are kept for 35 days."
ANSWER = {"claims": [{"text": "They are kept for 35 days.", "passage": 1, "quote": QUOTE}]}
INVENTED = {"claims": [{"text": "They are kept for 90 days.", "passage": 1, "quote": "Backups are kept for 90 days."}]}
GOOD: dict[str, Any] = {
    "gate": {"retrieve": True, "standalone": "When do nightly backups start?", "reason": "a fact", "route": ""},
    "grade": YES,
    "generate": ANSWER,
    "repair": ANSWER,
    "rewrite": {"query": "retention of nightly backups"},
    "direct": "Hello to you.",
    "agent": "I have read enough.",
    "rerank": {"ratings": [{"id": 1, "score": 10}, {"id": 2, "score": 2}, {"id": 3, "score": 0}]},
    "hyde": "Backups are made so that lost files can be put back.",
    "decompose": {"questions": ["How long are nightly backups kept?", "How long are weekly backups kept?"]},
}
UNREADABLE = ("empty", "thinking cut off", "no end")
"""Faults after which no step has anything to go by."""

FOLLOW_UP = [HumanMessage(DAYS), AIMessage("They are kept for 35 days. [1]"), HumanMessage("And when do they start?")]


@dataclass(frozen=True)
class Step:
    """A question that leads to a step. `without` are the statuses that the turn may have when the step is out of order."""

    name: str
    asks: dict[str, Any]
    without: tuple[Status, ...]
    replies: dict[str, Any] = field(default_factory=dict)


STEPS = (
    Step("gate", {"messages": FOLLOW_UP}, ("answered", "partial", "no_evidence")),
    Step("decompose", {"question": BOTH}, ("answered", "partial", "no_evidence")),
    Step("hyde", {"question": WHY}, ("answered", "partial", "no_evidence")),
    Step("grade", {"question": DAYS}, ("answered",)),
    Step("rewrite", {"question": DAYS}, ("no_evidence",), {"grade": NO}),
    Step("generate", {"question": DAYS}, ("answered", "no_evidence")),
    Step("repair", {"question": DAYS}, ("answered", "no_evidence"), {"generate": INVENTED}),
    Step("direct", {"question": "Hello!"}, ("direct",)),
    Step("agent", {"question": DAYS}, ("answered",)),
    Step("rerank", {"question": DAYS}, ("answered",)),
)


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    """Importing a vendor's package takes seconds, which no call's time shall pay for."""
    resolve_chat("openai:warm", base_url="http://127.0.0.1:1/v1").inner()  # type: ignore[attr-defined]
    import_module("tavily")
    import_module("cohere").AsyncClientV2("key")


class Reranked(MemorySearch):
    """The search in memory with the stage that reorders."""

    stage: Reranking

    async def search(self, query, **given):
        result = await super().search(query, **given)
        return {**result, "passages": await self.stage.apply(query, result["passages"], result)}


def reranked(stage: Reranking) -> Reranked:
    search = Reranked(TEXTS, HashEmbedder())
    search.stage = stage
    return search


async def ask(
    asks: dict[str, Any],
    chat: StepServer | None = None,
    search: MemorySearch | None = None,
    web: TavilyServer | None = None,
    *,
    agent: bool = False,
    timeout_s: float = TIMEOUT_S,
):
    """The turn's output and how long it took."""
    model = Decider(resolve_chat("openai:test", base_url=chat.base_url, timeout_s=timeout_s)) if chat else None
    tool = web_tool(TavilySearch(api_key="tvly-test", base_url=web.url, timeout_s=TIMEOUT_S)) if web else None
    search = search or MemorySearch(TEXTS, HashEmbedder())
    graph: Any = build_graph(search=search, search_tool=search_tool(search), embedder=search.embedder, web_tool=tool, chat=model)
    if agent:
        graph = build_agent(tools=[search_tool(search)], embedder=search.embedder, chat=model)
    started = time.monotonic()
    return await graph.ainvoke(asks), time.monotonic() - started


def rerank_by_chat(chat: StepServer, timeout_s: float = TIMEOUT_S) -> Reranking:
    model = Decider(resolve_chat("openai:test", base_url=chat.base_url, timeout_s=timeout_s))
    reranker = ChatReranker(lambda query, texts: rate(model, query, texts), prepare=model.prepare, name="openai:test", count=len)
    return Reranking(reranker, timeout_s=timeout_s)


def check(output: dict[str, Any], took: float, allowed: tuple[Status, ...]) -> None:
    """What holds of every turn, whatever was out of order."""
    assert took < DEADLINE_S
    assert output["status"] in get_args(Status)
    assert output["status"] in allowed, output["reason"]
    assert output["answer"].strip()
    assert output["reason"].strip()
    assert output["messages"][-1].text == output["answer"]
    assert all(citation["verified"] for citation in output["citations"])
    assert bool(output["citations"]) is (output["status"] in ("answered", "partial"))
    assert "sk-canary" not in str(output)
    assert "delete_documents" not in output["answer"]


@pytest.mark.rule("R13", "F2", "T14")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
async def test_a_step_of_the_model_that_is_out_of_order_leaves_a_status_with_its_reason(step: Step, fault: Named):
    """R13, F2, T14: every step by every fault; what did not arrive or cannot be read is in `degraded`."""
    with StepServer({**GOOD, **step.replies}, step.name, fault.fault) as chat:
        # What is answered at once needs no short patience, which a busy machine would try.
        patience = PATIENT_S if fault.heard else TIMEOUT_S
        search = reranked(rerank_by_chat(chat, patience)) if step.name == "rerank" else None
        output, took = await ask(step.asks, chat, search, agent=step.name == "agent", timeout_s=patience)
    # On a busy machine a call may be given up before the server has seen it; that the step asks at all is the next test's.
    assert step.name in chat.steps or not fault.heard
    check(output, took, step.without)
    named = "retrieve" if step.name == "rerank" else "generate" if step.name in ("repair", "direct") else step.name
    if not fault.heard:
        assert named in [entry["step"] for entry in output["degraded"]]
        assert all(entry["cause"] and entry["fallback"] for entry in output["degraded"])
    # A model that is there and useless is as visible as one that is gone; an agent that says nothing has chosen to stop.
    if fault.name in UNREADABLE and step.name != "agent":
        assert named in [entry["step"] for entry in output["degraded"]]


@pytest.mark.rule("R13")
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
async def test_each_step_in_order_degrades_nothing(step: Step):
    """R13: the matrix starts from turns that go well."""
    with StepServer({**GOOD, **step.replies}) as chat:
        search = reranked(rerank_by_chat(chat, PATIENT_S)) if step.name == "rerank" else None
        output, _ = await ask(step.asks, chat, search, agent=step.name == "agent", timeout_s=PATIENT_S)
    assert step.name in chat.steps
    assert output["degraded"] == []


@pytest.mark.rule("R13", "F31")
async def test_a_turn_that_fails_loses_nothing_of_the_conversation():
    """R13, F31: the turn before it stays, its own question and its reason are kept, and the next turn is as good as ever."""
    saver, config = InMemorySaver(), {"configurable": {"thread_id": "one"}}
    search = MemorySearch(TEXTS, HashEmbedder())

    def graph():
        return build_graph(search=search, search_tool=search_tool(search), embedder=search.embedder, checkpointer=saver)

    first = await graph().ainvoke({"question": DAYS}, config)
    search.error = DatabaseUnavailable("the database cannot be reached")
    failed = await graph().ainvoke({"question": "How long are weekly backups kept?"}, config)
    search.error = None
    again = await graph().ainvoke({"question": "How long are weekly backups kept?"}, config)
    assert (first["status"], failed["status"], again["status"]) == ("answered", "failed", "answered")
    assert "the database cannot be reached" in failed["reason"]
    assert [message.text for message in again["messages"]][:3] == [DAYS, first["answer"], "How long are weekly backups kept?"]


RERANK_FAULTS = {
    "429": Reply({"message": "slow"}, status=429, headers={"retry-after": "0.05"}),
    "500": Reply({"message": "boom"}, status=500),
    "401": Reply({"message": "invalid key sk-canary"}, status=401),
    "hangs": Reply(hang=True),
    "drips": Reply({"id": "r", "results": []}, headers={"content-length": "9999"}, drip=0.02),
    "cut": Reply({"id": "r", "results": [{"index": 0, "relevance_score": 0.5}]}, cut=True),
    "empty": Reply(""),
    "prose": Reply("all of them are fine"),
    "wrong JSON": Reply({"colour": "blue"}),
    "a count that does not fit": Reply({"id": "r", "results": [{"index": 0, "relevance_score": 0.5}] * 2, "meta": {}}),
    "another scale": Reply({"id": "r", "results": [{"index": place, "relevance_score": 7.5 - place} for place in range(3)], "meta": {}}),
    "null": Reply("null"),
}


@pytest.mark.rule("R13", "F18")
@pytest.mark.parametrize("fault", RERANK_FAULTS.values(), ids=RERANK_FAULTS.keys())
async def test_a_reranker_that_is_out_of_order_leaves_the_answer_and_is_named(fault: Reply):
    """R13, F18: the base order, one entry in `degraded`, never `nothing found`."""
    with RerankServer(*[fault] * 9) as server:
        reranker = CohereReranker("rerank-test", count=len, api_key="key", base_url=server.url, timeout_s=TIMEOUT_S)
        output, took = await ask({"question": DAYS}, search=reranked(Reranking(reranker, timeout_s=TIMEOUT_S)))
    check(output, took, ("answered",))
    assert [(entry["step"], entry["cause"].split(":")[0]) for entry in output["degraded"]] == [("retrieve", "reranker cohere")]


WEB_FAULTS = {
    "429": Reply({"detail": {"error": "limit"}}, status=429, headers={"retry-after": "0.05"}),
    "500": Reply({"detail": {"error": "boom"}}, status=500),
    "401": Reply({"detail": {"error": "bad key sk-canary"}}, status=401),
    "403": Reply({"detail": {"error": "plan used up"}}, status=403),
    "hangs": Reply(hang=True),
    "drips": Reply({"results": []}, headers={"content-length": "9999"}, drip=0.02),
    "cut": Reply({"results": [PAGE]}, cut=True),
    "empty": Reply(""),
    "prose": Reply("I found nothing, sorry"),
    "wrong JSON": Reply({"colour": "blue"}),
    "pages that are none": Reply({"results": ["a", 3, None]}),
    "null": Reply("null"),
}


@pytest.mark.rule("R13", "F25")
@pytest.mark.parametrize("fault", WEB_FAULTS.values(), ids=WEB_FAULTS.keys())
async def test_a_web_search_that_is_out_of_order_ends_in_an_abstention_that_says_so(fault: Reply):
    """R13, F25: the reason is in the answer, and the step in `degraded`."""
    with TavilyServer([PAGE], *[fault] * 9) as web:
        output, took = await ask({"question": CUP}, web=web)
    check(output, took, ("no_evidence",))
    assert "The web search " in output["answer"]
    assert "The web search found nothing" not in output["answer"]
    assert [entry["step"] for entry in output["degraded"]] == ["web_search"]
