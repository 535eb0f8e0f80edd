"""Documents that give orders, read from files into the store: nothing is written, nothing of another tenant is read, whoever obeys them."""

import json
from typing import Any

import pytest
from drafting import contents
from ingesting import ingestion, write
from injections import INJECTIONS
from servers.chat import tool_reply
from servers.loopback import Reply
from servers.steps import StepServer, step_of

from graphs.agent import build_agent
from graphs.rag import build_graph
from nodes.structured import Decider
from retrievers.explaining import ExplainedSearch
from retrievers.providers.chat import resolve_chat
from retrievers.providers.fakes import HashEmbedder
from retrievers.reading import StoreReader
from retrievers.reading_tools import reading_tools
from retrievers.scope import Scope
from retrievers.store.collections import get_collection
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.tools import search_tool

CANARY = "The secret canary word of the other tenant is heliotrope."
QUESTIONS = ("How long are nightly backups kept?", "観測室の鍵はどこに返しますか？", "What is the secret canary word of the other tenant?")
QUOTE = "Nightly backups are kept for 35 days."


def files() -> dict[str, str]:
    """Each text as a document: in its metadata and its title, and where a file can have such a name, in that."""
    planted = {}
    for number, injection in enumerate(INJECTIONS):
        words = "".join(character for character in injection.text if character.isalnum() or character in " .,、。")
        front = (
            f"---\ntitle: {json.dumps(injection.text, ensure_ascii=False)}\nnote: {json.dumps(injection.text, ensure_ascii=False)}\n---\n\n"
        )
        planted[f"{number:02} {words[:40]}.md"] = f"{front}{injection.text}\n\nNothing else stands here.\n"
    return {**planted, "ops.md": f"# Backups\n\n{QUOTE}\n", "rules.md": "# 鍵\n\n観測室の鍵は受付に返してください。\n"}


class Reader:
    """One tenant's search, tools and graphs."""

    def __init__(self, database, scope: Scope) -> None:
        self.embedder = HashEmbedder()
        self.search = ExplainedSearch(database, self.embedder, EmbeddingCache(database), scope)
        self.reader = StoreReader(database, self.embedder, scope)
        self.tool = search_tool(self.search)

    def rag(self, chat: StepServer | None):
        return build_graph(search=self.search, search_tool=self.tool, embedder=self.embedder, reader=self.reader, chat=model_at(chat))

    def agent(self, chat: StepServer):
        tools = [self.tool, *reading_tools(self.search, self.reader, self.embedder.count_tokens)]
        return build_agent(tools=tools, embedder=self.embedder, reader=self.reader, chat=model_at(chat))


def model_at(chat: StepServer | None) -> Decider | None:
    return Decider(resolve_chat("openai:test", base_url=chat.base_url, timeout_s=10.0)) if chat else None


@pytest.fixture
async def stored(database, scope, tenant, tmp_path):
    """The documents of the tenant; another tenant's one with the canary: (the scopes' collections, the id of its passage)."""
    await ingestion(database, HashEmbedder()).ingest(scope, "default", [write(tmp_path / "own", files())])
    other = Scope.operator(f"{tenant}-other")
    for name in ("default", "secrets"):
        await ingestion(database, HashEmbedder()).ingest(other, name, [write(tmp_path / "other", {"secret.md": CANARY})])
    found = await Reader(database, other).search.search(CANARY)
    assert CANARY in found["passages"][0]["text"]
    return other, found["passages"][0]["id"]


async def everything(database, *scopes: Scope) -> list[dict[str, Any]]:
    """All that is stored of the scopes' default collections."""
    return [await contents(database, scope, await get_collection(database, scope, "default")) for scope in scopes]


@pytest.mark.rule("S7", "F17", "F9")
async def test_orders_in_stored_documents_write_nothing_and_read_nothing_foreign(database, scope, stored):
    """S7, F17, F9: without a model, 26 documents: as answered as ever, all rows as they were."""
    other, _ = stored
    before = await everything(database, scope, other)
    graph = Reader(database, scope).rag(None)
    outputs = [await graph.ainvoke({"question": question}) for question in QUESTIONS]
    assert [citation["quote"] for citation in outputs[0]["citations"]] == [QUOTE]
    assert [output["status"] for output in outputs[:2]] == ["answered", "answered"]
    assert "heliotrope" not in str(outputs)
    assert await everything(database, scope, other) == before


class Greedy(StepServer):
    """An agent's model that obeys every order it has read, and asks for what it may not have."""

    def __init__(self, foreign: str, other: str) -> None:
        super().__init__(
            {"grade": "yes", "generate": {"claims": [{"text": CANARY, "passage": 1, "quote": CANARY}]}, "repair": {"claims": []}}
        )
        self.rounds: list[list[tuple[str, dict[str, Any]]]] = [
            [
                ("search_documents", {"query": CANARY, "collection": "secrets"}),
                ("search_documents", {"query": CANARY, "bounds": {"collection": "secrets"}}),
                ("read_passages", {"ids": [foreign]}),
                ("delete_documents", {"collection": "default"}),
            ],
            [
                ("read_neighbours", {"id": foreign}),
                ("search_compact", {"query": CANARY, "tenant": other}),
                ("search_documents", {"query": "nightly backups"}),
                ("search_web", {"query": "http://evil.example/?q=backups"}),
            ],
        ]

    def next_item(self, asked):
        if step_of(asked) != "agent":
            return super().next_item(asked)
        wanted = self.rounds.pop(0) if self.rounds else []
        calls = [
            {"id": f"call_{place}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for place, (name, arguments) in enumerate(wanted)
        ]
        message: dict[str, Any] = {"role": "assistant", "content": None if calls else "done", **({"tool_calls": calls} if calls else {})}
        reply: Reply = tool_reply(message, asked.body)
        return reply


@pytest.mark.rule("S7", "F9", "T6")
async def test_an_agent_that_obeys_every_order_reaches_nothing_that_is_not_its_readers(database, scope, stored):
    """S7, F9, T6: other tenants, other collections, tools that do not exist: refused, told to the model, and nothing leaves the store."""
    other, foreign = stored
    before = await everything(database, scope, other)
    with Greedy(foreign, other.tenant) as chat:
        output = await Reader(database, scope).agent(chat).ainvoke({"question": QUESTIONS[2]})
    assert not chat.rounds
    assert output["status"] in ("no_evidence", "partial", "answered")
    assert output["citations"] == []
    told = "\n".join(str(message) for asked in chat.asked for message in asked.body["messages"] if message["role"] == "tool")
    assert "there is no such tool" in told
    assert "heliotrope" not in told
    assert await everything(database, scope, other) == before
