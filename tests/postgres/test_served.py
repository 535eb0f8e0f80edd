"""The served graph: `langgraph dev` without key or network, driven through what LangGraph Studio calls."""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.ledger import Ledger

ROOT = Path(__file__).parent.parent.parent
START_S = 90
"""The server starts in 5 s on an idle machine; a loaded one may take long."""

GUIDE = "# Backups\n\nNightly backups are kept for 35 days.\n\n# 鍵\n\n観測室の鍵は受付に返してください。\n"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_until_ok(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        if process.poll() is not None:
            raise AssertionError(f"the server stopped: {log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(f"{url}/ok", timeout=2) as reply:
                if reply.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"the server did not start in {START_S} s: {log.read_text()[-2000:]}")


@pytest.fixture(scope="module")
def server(server_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a development server over the test's own database, its ingest root set."""
    folder = tmp_path_factory.mktemp("served")
    log, port = folder / "log", free_port()
    unset = {"OPENAI_API_KEY", "TADORI_CHAT_MODEL", "LANGSMITH_API_KEY", "LANGCHAIN_API_KEY", "TADORI_DATABASE_URL"}
    environment = {name: value for name, value in os.environ.items() if name not in unset}  # noqa: TID251
    environment |= {"TADORI_HOME": str(server_home), "TADORI_TENANT": "served", "TADORI_INGEST_ROOT": str(folder)}
    (folder / "guide.md").write_text(GUIDE, "utf-8")
    (folder / "graphs").symlink_to(ROOT / "graphs")
    shutil.copy(ROOT / "langgraph.json", folder)
    command = [
        sys.executable,
        "-m",
        "langgraph_cli",
        "dev",
        "--no-browser",
        "--no-reload",
        "--port",
        str(port),
        "--config",
        str(ROOT / "langgraph.json"),
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        wait_until_ok(f"http://127.0.0.1:{port}", process, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture
async def client(server: str) -> AsyncIterator[LangGraphClient]:
    """The SDK's client, as Studio's calls would be made."""
    async with get_client(url=server) as client:
        yield client


@pytest.fixture
async def ingested(client: LangGraphClient) -> None:
    """The guide in the tenant's default collection, put there by the served ingest graph."""
    result = await client.runs.wait(None, "ingest", input={"paths": ["guide.md"]})
    assert [file["status"] for file in result["report"]["files"]] in (["added"], ["unchanged"]), result


async def test_studio_finds_all_graphs_with_schemas_that_are_not_null(client: LangGraphClient) -> None:
    assistants = await client.assistants.search()
    assert {assistant["graph_id"] for assistant in assistants} == {"rag", "agent", "ingest"}
    for assistant in assistants:
        schemas = await client.assistants.get_schemas(assistant["assistant_id"])
        assert all(schemas[name] for name in ("input_schema", "output_schema", "state_schema", "context_schema")), assistant["graph_id"]
    rag = next(assistant for assistant in assistants if assistant["graph_id"] == "rag")
    schemas = await client.assistants.get_schemas(rag["assistant_id"])
    assert set(schemas["input_schema"]["properties"]) == {"question", "messages"}
    assert schemas["context_schema"]["properties"]["top_k"]["description"]


async def test_studio_can_draw_the_graph(client: LangGraphClient) -> None:
    drawing = await client.assistants.get_graph("rag", xray=True)
    nodes = {node["id"] for node in drawing["nodes"]}
    assert {"gate", "route", "retrieve", "grade", "rewrite", "web_search", "generate", "cite"} <= nodes


async def test_a_run_without_a_thread_answers_with_a_verified_citation(client: LangGraphClient, ingested: None) -> None:
    result = await client.runs.wait(None, "rag", input={"question": "How long are backups kept?"})
    assert result["status"] == "answered", result
    assert result["citations"][0]["quote"] == "Nightly backups are kept for 35 days."
    assert result["citations"][0]["verified"] is True


@pytest.mark.rule("ledger")
async def test_a_served_turn_is_in_the_tenants_ledger(client: LangGraphClient, ingested: None, database: Database) -> None:
    """ledger: written by the served graph itself."""
    ledger = Ledger(database, Scope.operator("served"))
    before = (await ledger.usages(None))["turns"].get("answered", 0)
    await client.runs.wait(None, "rag", input={"question": "How long are backups kept?"})
    assert (await ledger.usages(None))["turns"]["answered"] == before + 1


async def test_messages_alone_are_a_question_too(client: LangGraphClient, ingested: None) -> None:
    result = await client.runs.wait(None, "rag", input={"messages": [{"role": "user", "content": "観測室の鍵はどこに返しますか？"}]})
    assert result["status"] == "answered", result
    assert "受付" in result["answer"]
    assert result["messages"][-1]["type"] == "ai"


@pytest.mark.rule("F31", "T1")
async def test_a_threaded_run_streams_keeps_its_history_and_runs_again_from_a_checkpoint(client: LangGraphClient, ingested: None) -> None:
    """F31, T1: a second turn on the thread starts clean; an earlier checkpoint can be run again."""
    thread = await client.threads.create()
    steps = [
        name
        async for part in client.runs.stream(
            thread["thread_id"], "rag", input={"question": "How long are backups kept?"}, stream_mode="updates"
        )
        if part.event == "updates"
        for name in part.data
    ]
    assert steps[0] == "gate"
    assert steps[-1] == "cite"
    second = await client.runs.wait(thread["thread_id"], "rag", input={"question": "Who won the 1998 football world cup?"})
    assert (second["status"], second["citations"]) == ("no_evidence", [])
    history = await client.threads.get_history(thread["thread_id"], limit=50)
    assert len(history) > len(steps)
    earlier = [state for state in history if state["next"] == ["cite"]][-1]
    again = await client.runs.wait(thread["thread_id"], "rag", checkpoint_id=earlier["checkpoint"]["checkpoint_id"])
    assert again["status"] == "answered"


async def test_neither_question_nor_messages_is_said_clearly(client: LangGraphClient) -> None:
    result = await client.runs.wait(None, "rag", input={})
    assert result["status"] == "failed"
    assert "question" in result["reason"]


@pytest.mark.rule("S3")
async def test_an_unknown_collection_fails_with_its_reason(client: LangGraphClient) -> None:
    """S3: never an empty result."""
    result = await client.runs.wait(None, "rag", input={"question": "anything at all?"}, context={"collection": "elsewhere"})
    assert result["status"] == "failed"
    assert "there is no collection 'elsewhere'" in result["reason"]


@pytest.mark.parametrize("path", ["../guide.md", "/etc/passwd"])
async def test_the_served_ingest_graph_stays_below_its_root(client: LangGraphClient, path: str) -> None:
    result = await client.runs.wait(None, "ingest", input={"paths": [path]}, raise_error=False)
    assert "root:" not in str(result)
    assert "INGEST_ROOT" in str(result)


@pytest.mark.rule("F26")
async def test_the_loop_does_not_stall_while_a_question_is_answered(server: str, client: LangGraphClient, ingested: None) -> None:
    """F26: heartbeats are answered while a run is under way, and the server's own detector of blocking calls stays silent."""
    run = asyncio.create_task(client.runs.wait(None, "rag", input={"question": "How long are nightly backups kept, and where?"}))
    beats = 0
    while not run.done():
        await asyncio.to_thread(lambda: urllib.request.urlopen(f"{server}/ok", timeout=10).read())
        beats += not run.done()
    assert (await run)["status"] == "answered"
    assert beats > 1
