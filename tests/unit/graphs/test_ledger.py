"""Every model call of a run reaches the ledger with its step, through the graph itself and with no help of the steps."""

import asyncio
import logging

import pytest
from memory_search import MemorySearch, Text
from servers.chat import ChatServer
from servers.loopback import Reply

from graphs.ledger import TurnLedger
from graphs.rag import build_graph
from nodes.budget import RESERVE_S
from nodes.knobs import Knobs
from nodes.structured import Decider
from retrievers.errors import DatabaseUnavailable
from retrievers.ledger import Price, Turn
from retrievers.providers.chat import resolve_chat
from retrievers.providers.fakes import HashEmbedder
from retrievers.tools import search_tool

TEXTS = [Text("Nightly backups are kept for 35 days. They start at 02:30.", "ops.md", "Operations", ("Backups",))]
DAYS = "How long are nightly backups kept?"
VERDICT = {"verdicts": [{"id": 1, "relevant": "yes"}], "sufficient": True, "confidence": 0.9, "missing": ""}
ANSWER = {"claims": [{"text": "They are kept for 35 days.", "passage": 1, "quote": "Nightly backups are kept for 35 days."}]}
REPLIES = {"Verdicts": VERDICT, "Judgement": VERDICT, "Draft": ANSWER}


class Kept:
    """A store in memory; raises what it is given, first."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.turns: list[Turn] = []

    async def append(self, turns):
        if self.errors:
            raise self.errors.pop(0)
        self.turns += turns


class BySchema(ChatServer):
    """Grades and answers, whatever is asked first."""

    def next_item(self, asked):
        if self.script:
            return self.script.pop(0)
        wanted = str(asked.body.get("response_format", {}).get("json_schema", {}).get("name", ""))
        return next((reply for name, reply in REPLIES.items() if name == wanted), {"retrieve": True})


def graph_with(store: Kept, chat: ChatServer | None = None):
    search = MemorySearch(TEXTS, HashEmbedder())
    model = Decider(resolve_chat("openai:small", base_url=chat.base_url, timeout_s=2.0)) if chat else None
    graph = build_graph(search=search, search_tool=search_tool(search), embedder=search.embedder, chat=model)
    return graph.with_config(callbacks=[TurnLedger(store, {"openai:small": Price(1.0, 10.0)})])


@pytest.mark.rule("ledger")
async def test_every_model_call_of_a_turn_is_an_entry_with_its_step_and_price():
    """ledger: what the answer's usage sums, call by call."""
    store = Kept()
    with BySchema() as chat:
        output = await graph_with(store, chat).ainvoke({"question": DAYS})
    (turn,) = store.turns
    assert (turn.status, output["status"]) == ("answered", "answered")
    assert len(turn.calls) == output["usage"]["calls"] == len(chat.asked)
    assert [call["step"] for call in turn.calls][-1] == "generate"
    assert {"grade", "generate"} <= {call["step"] for call in turn.calls}
    assert sum(call["input_tokens"] for call in turn.calls) == output["usage"]["input_tokens"]
    assert {(call["model"], call["failed"], round(call["cost_usd"], 6)) for call in turn.calls} == {("openai:small", False, 0.0002)}


@pytest.mark.rule("ledger", "R13")
async def test_a_call_that_failed_is_an_entry_without_tokens():
    """ledger, R13: what was asked in vain is seen too."""
    store = Kept()
    with BySchema(Reply({"error": {"message": "bad key"}}, status=401)) as chat:
        await graph_with(store, chat).ainvoke({"question": DAYS})
    call = store.turns[0].calls[0]
    assert (call["failed"], call["input_tokens"]) == (True, 0)


@pytest.mark.rule("ledger", "R13")
async def test_a_call_that_was_given_up_is_an_entry_too_and_nothing_is_left_behind():
    """ledger, R13: cancelled in the middle, by the client's deadline and by the caller's."""
    store = Kept()
    with BySchema(Reply(hang=True), Reply(hang=True)) as chat:
        graph = graph_with(store, chat)
        ledger = graph.config["callbacks"][0]
        await graph.ainvoke({"question": DAYS})
        await graph.ainvoke({"question": DAYS}, context=Knobs(deadline_s=RESERVE_S + 1.0))
    assert [[call["failed"] for call in turn.calls][:1] for turn in store.turns] == [[True], [True]]
    assert ledger._runs == {}


@pytest.mark.rule("ledger")
async def test_parallel_turns_keep_their_calls_apart():
    """ledger: a served graph has many runs at once."""
    store = Kept()
    with BySchema() as chat:
        graph = graph_with(store, chat)
        outputs = await asyncio.gather(*(graph.ainvoke({"question": DAYS}) for _ in range(3)))
    assert sorted(len(turn.calls) for turn in store.turns) == sorted(output["usage"]["calls"] for output in outputs)


@pytest.mark.rule("ledger")
async def test_a_ledger_that_cannot_be_written_costs_no_answer_and_is_written_with_the_next_turn(caplog):
    """ledger: best effort, said in the log, nothing forgotten."""
    store = Kept(DatabaseUnavailable("the database is down"))
    graph = graph_with(store)
    with caplog.at_level(logging.WARNING, "tadori.ledger"):
        assert (await graph.ainvoke({"question": DAYS}))["status"] == "answered"
    assert "1 turns are not in the ledger yet: the database is down" in caplog.text
    await graph.ainvoke({"question": DAYS})
    assert [turn.status for turn in store.turns] == ["answered", "answered"]


@pytest.mark.rule("ledger", "gate")
async def test_a_greeting_waits_for_the_next_turn_that_has_to_write():
    """ledger, gate: it must not start a database, and is counted all the same."""
    store = Kept()
    graph = graph_with(store)
    await graph.ainvoke({"question": "Hello!"})
    assert store.turns == []
    await graph.ainvoke({"question": DAYS})
    assert [turn.status for turn in store.turns] == ["direct", "answered"]


async def test_a_callers_own_callbacks_do_not_replace_it():
    store = Kept()
    await graph_with(store).ainvoke({"question": DAYS}, {"callbacks": []})
    await graph_with(store).ainvoke({"question": DAYS}, {"callbacks": [TurnLedger(Kept(), {})]})
    assert len(store.turns) == 2
