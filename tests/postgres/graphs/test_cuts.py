"""A turn over the store while embedder or database is out of order: a status with its reason in time, nothing stored is lost."""

import socket
import threading
import time
from contextlib import contextmanager

import pytest
from drafting import contents
from ingesting import ingestion, write
from servers.embeddings import EmbeddingServer
from servers.loopback import Reply

from graphs.rag import build_graph
from retrievers.explaining import ExplainedSearch
from retrievers.providers.embed_openai import OpenAIEmbedder
from retrievers.providers.embedding_registry import Choice
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store import pools
from retrievers.store.collections import get_collection
from retrievers.store.database import Database
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.tools import search_tool

QUESTION = "How long are nightly backups kept?"
TEXT = "# Backups\n\nNightly backups are kept for 35 days.\n"
TIMEOUT_S = 0.5

EMBEDDER_FAULTS = {
    "refused": None,
    "hangs": Reply(hang=True),
    "429": Reply({"error": {"message": "slow"}}, status=429, headers={"retry-after": "0.05"}),
    "500": Reply({"error": {"message": "boom"}}, status=500),
    "401": Reply({"error": {"message": "bad key sk-canary"}}, status=401),
    "drips": Reply({"data": []}, headers={"content-length": "9999"}, drip=0.02),
    "half a JSON": Reply({"data": [{"embedding": [1.0]}]}, cut=True),
    "no vectors": Reply({"data": []}),
}


def graph_over(database, scope, embedder):
    search = ExplainedSearch(database, embedder, EmbeddingCache(database), scope)
    return build_graph(search=search, search_tool=search_tool(search), embedder=embedder)


async def timed(graph):
    started = time.monotonic()
    return await graph.ainvoke({"question": QUESTION}), time.monotonic() - started


def embedder_at(server: EmbeddingServer) -> OpenAIEmbedder:
    return OpenAIEmbedder(Choice("openai", "text-embedding-3-small"), base_url=server.base_url, api_key="sk-key", timeout_s=TIMEOUT_S)


@pytest.mark.rule("R13")
@pytest.mark.parametrize("fault", EMBEDDER_FAULTS.values(), ids=EMBEDDER_FAULTS.keys())
async def test_an_embedder_that_is_out_of_order_fails_the_turn_with_its_reason_and_changes_nothing(database, scope, tmp_path, fault):
    """R13: never `nothing found`; the documents stay as they were."""
    with EmbeddingServer(dims=1536) as healthy:
        await ingestion(database, embedder_at(healthy)).ingest(scope, "default", [write(tmp_path, {"ops.md": TEXT})])
    stored = await contents(database, scope, await get_collection(database, scope, "default"))
    with EmbeddingServer(*[fault or Reply("")] * 9, dims=1536) as broken:
        embedder = embedder_at(healthy if fault is None else broken)
        output, took = await timed(graph_over(database, scope, embedder))
    assert took < 10 * TIMEOUT_S
    assert output["status"] == "failed"
    assert "openai:text-embedding-3-small" in output["reason"]
    assert "sk-canary" not in str(output)
    assert await contents(database, scope, await get_collection(database, scope, "default")) == stored


@contextmanager
def listener(*, answers: bool):
    """The port of something that is no PostgreSQL: it says nothing, or something else."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def accept() -> None:
            try:
                while True:
                    held.append(server.accept()[0])
                    if answers:
                        held[-1].sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                        held[-1].close()
            except OSError:
                return

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]
        server.close()
        for connection in held:
            connection.close()


@pytest.mark.rule("R13", "F22")
@pytest.mark.parametrize("cut", ["refused", "silent", "something else"])
async def test_a_database_that_is_out_of_order_fails_the_turn_with_its_reason(home, monkeypatch, cut):
    """R13, F22: in time, and without the password."""
    monkeypatch.setitem(pools._NETWORK, "connect_timeout", 2)
    with listener(answers=cut == "something else") as port:
        port = 1 if cut == "refused" else port
        database = Database(f"postgresql://owner:canary@127.0.0.1:{port}/tadori", home=home)
        output, took = await timed(graph_over(database, Scope.operator("local"), HashEmbedder()))
        await database.close()
    assert took < 10
    assert output["status"] == "failed"
    assert "the database" in output["reason"]
    assert "canary" not in str(output)
