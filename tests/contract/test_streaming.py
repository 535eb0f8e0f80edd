"""A run that is streamed tells each claim while the model still writes, over real HTTP, and chat front ends see the answer alone."""

import json
import time

import pytest
from memory_search import MemorySearch, Text
from servers.chat import ChatServer, completion
from servers.loopback import Reply

from graphs.rag import build_graph
from nodes.knobs import Knobs
from nodes.structured import Decider
from retrievers.providers.chat import resolve_chat
from retrievers.providers.fakes import HashEmbedder
from retrievers.tools import search_tool

TEXTS = [Text("Nightly backups are kept for 35 days. They start at 02:30.", "ops.md", "Operations", ("Backups",))]
DAYS = "How long are nightly backups kept?"
RELEVANT = {"verdicts": [{"id": 1, "relevant": "yes"}], "sufficient": True, "confidence": 0.9, "missing": ""}
FIRST = {"text": "They are kept for 35 days.", "passage": 1, "quote": "Nightly backups are kept for 35 days."}
SECOND = {"text": "They start at 02:30.", "passage": 1, "quote": "They start at 02:30."}
MADE_UP = {"text": "They cost 12 euros.", "passage": 1, "quote": "Backups cost 12 euros."}


class DrippingServer(ChatServer):
    """Sends what is streamed slowly, byte by byte; `refuses_streams` answers those with 400."""

    def __init__(self, *script, drip=0.0, refuses_streams=False, **options):
        super().__init__(*script, **options)
        self.drip, self.refuses_streams = drip, refuses_streams

    def reply(self, asked):
        if asked.body.get("stream") and self.refuses_streams:
            return Reply({"error": {"message": "stream is not supported"}}, status=400)
        reply = super().reply(asked)
        if asked.body.get("stream"):
            reply.drip, reply.chunked = self.drip, not self.drip
        return reply


def graph_of(server):
    memory = MemorySearch(TEXTS, HashEmbedder())
    chat = Decider(resolve_chat("openai:test", base_url=server.base_url, timeout_s=20))
    return build_graph(search=memory, search_tool=search_tool(memory), embedder=memory.embedder, chat=chat)


async def events_of(server, mode="custom"):
    """Each event with the seconds after which it came, and the seconds of the whole run."""
    started = time.perf_counter()
    graph = graph_of(server)
    found = [(event, time.perf_counter() - started) async for event in graph.astream({"question": DAYS}, stream_mode=mode)]
    return found, time.perf_counter() - started


@pytest.mark.rule("core-basic")
async def test_a_claim_is_told_while_the_next_one_is_still_written():
    """core-basic: streamed claim by claim, each with its quote and place."""
    with DrippingServer(RELEVANT, {"claims": [FIRST, SECOND]}, drip=0.000001) as server:
        told, whole_s = await events_of(server)
    assert [event["claim"] for event, _ in told] == [FIRST["text"], SECOND["text"]]
    assert told[0][0]["quote"] == FIRST["quote"]
    assert (told[0][0]["document"], told[0][0]["heading_path"]) == ("ops.md", ["Backups"])
    assert told[0][1] < told[1][1] < whole_s
    assert told[1][1] - told[0][1] > 0.1
    assert [asked.body.get("stream", False) for asked in server.asked] == [False, True]


@pytest.mark.rule("F16")
async def test_a_claim_that_does_not_stand_is_never_told():
    """F16: not before it is checked; what the second draft says instead is."""
    with ChatServer(RELEVANT, {"claims": [MADE_UP, FIRST]}, {"claims": [FIRST]}) as server:
        told, _ = await events_of(server)
    assert [event["claim"] for event, _ in told] == [FIRST["text"]]


@pytest.mark.parametrize("refuses", [(), ("response_format",), ("response_format", "tools")])
async def test_every_rung_of_the_ladder_is_heard(refuses):
    with ChatServer(RELEVANT, {"claims": [FIRST, SECOND]}, refuses=refuses) as server:
        told, _ = await events_of(server)
    assert [event["claim"] for event, _ in told] == [FIRST["text"], SECOND["text"]]


async def test_a_server_that_refuses_streams_is_asked_without_and_the_claims_come_together():
    with DrippingServer(RELEVANT, {"claims": [FIRST, SECOND]}, refuses_streams=True) as server:
        told, _ = await events_of(server)
    assert [event["claim"] for event, _ in told] == [FIRST["text"], SECOND["text"]]


async def test_a_server_that_knows_no_streams_is_asked_without():
    class Plain(ChatServer):
        def next_item(self, asked):
            item = super().next_item(asked)
            return completion(item, {**asked.body, "stream": False})

    with Plain(RELEVANT, {"claims": [FIRST]}, {"claims": [FIRST]}) as server:
        told, _ = await events_of(server)
    assert [event["claim"] for event, _ in told] == [FIRST["text"]]


@pytest.mark.rule("R13")
async def test_a_stream_that_breaks_off_leaves_an_answer():
    """R13: by quotes, and `degraded` says so."""
    item = {"claims": [FIRST, SECOND]}

    class Cut(ChatServer):
        def next_item(self, asked):
            return completion(item, asked.body, cut=True) if asked.body.get("stream") else super().next_item(asked)

    with Cut(RELEVANT, always=item) as server:
        output = None
        async for mode, event in graph_of(server).astream({"question": DAYS}, stream_mode=["custom", "values"]):
            output = event if mode == "values" else output
    assert output["status"] in ("answered", "partial")
    assert output["citations"][0]["quote"] == FIRST["quote"]
    assert [entry["step"] for entry in output["degraded"]] == ["generate"]


@pytest.mark.rule("R13", "F16")
async def test_what_was_told_before_the_deadline_is_the_answer():
    """R13, F16: a claim that was read stands; the turn says that its time was over."""
    told, output = [], None
    with DrippingServer(RELEVANT, {"claims": [FIRST, SECOND, *[MADE_UP] * 60]}, drip=0.0002) as server:
        stream = graph_of(server).astream({"question": DAYS}, context=Knobs(deadline_s=4), stream_mode=["custom", "values"])
        async for mode, event in stream:
            told += [event["claim"]] if mode == "custom" else []
            output = event if mode == "values" else output
    assert told[:1] == [FIRST["text"]]
    assert output["status"] == "budget_exhausted"
    assert output["answer"] == " ".join(f"{text} [{number}]" for number, text in enumerate(told, 1))
    assert output["degraded"] == []


@pytest.mark.rule("F16")
async def test_a_claim_that_the_second_draft_leaves_out_is_taken_back_in_words():
    """F16: nothing that was told disappears without an event."""
    other = {**FIRST, "text": "The backups are kept for 35 days."}
    with ChatServer(RELEVANT, {"claims": [SECOND, MADE_UP]}, {"claims": [FIRST, other]}) as server:
        told, _ = await events_of(server)
    assert [event.get("claim") or event for event, _ in told] == [
        SECOND["text"],
        {"withdrawn": SECOND["text"]},
        FIRST["text"],
        other["text"],
    ]


async def test_without_a_listener_nothing_is_streamed():
    with ChatServer(RELEVANT, {"claims": [FIRST]}) as server:
        output = await graph_of(server).ainvoke({"question": DAYS})
    assert output["status"] == "answered"
    assert [asked.body.get("stream", False) for asked in server.asked] == [False, False]


async def test_a_chat_front_end_sees_the_question_and_the_answer_and_no_json():
    with ChatServer(RELEVANT, {"claims": [FIRST]}) as server:
        told, _ = await events_of(server, "messages")
    texts = [message.text for (message, _), _ in told]
    assert texts[-1] == "They are kept for 35 days. [1]"
    assert not any("{" in text for text in texts), json.dumps(texts)


async def test_quotes_without_a_model_are_told_too():
    memory = MemorySearch(TEXTS, HashEmbedder())
    graph = build_graph(search=memory, search_tool=search_tool(memory), embedder=memory.embedder)
    told = [event async for event in graph.astream({"question": DAYS}, stream_mode="custom")]
    assert [event["claim"] for event in told] == ["Nightly backups are kept for 35 days."]
