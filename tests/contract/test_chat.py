"""A chat model by `provider:model`, spoken to by the real client over a server on loopback."""

import asyncio
import time

import pytest
from langchain_core.messages import HumanMessage
from servers.chat import ChatServer, completion
from servers.loopback import Reply

from retrievers.errors import (
    ConfigurationError,
    MissingExtra,
    MissingKey,
    ProviderRateLimited,
    ProviderRejected,
    ProviderReplyInvalid,
    ProviderUnavailable,
)
from retrievers.providers.chat import resolve_chat

ASK = [HumanMessage("hello")]
SCHEMA = {"title": "verdict", "type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}


def chat_at(server: ChatServer, timeout_s: float = 5.0):
    return resolve_chat("openai:test-model", base_url=server.base_url, timeout_s=timeout_s)


async def test_a_reply_comes_with_its_tokens():
    with ChatServer("good day") as server:
        reply = await chat_at(server).ainvoke(ASK)
    assert reply.text == "good day"
    assert (reply.usage_metadata["input_tokens"], reply.usage_metadata["output_tokens"]) == (100, 10)


async def test_the_model_name_and_no_foreign_key_reach_the_server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-belongs-elsewhere")
    with ChatServer("good day") as server:
        await chat_at(server).ainvoke(ASK)
    assert server.asked[0].body["model"] == "test-model"
    assert server.asked[0].headers["authorization"] == "Bearer none"


@pytest.mark.rule("F27")
async def test_a_rate_limit_is_waited_out_as_the_server_asks():
    """F27: Retry-After is honoured, in one layer: two requests, not more."""
    with ChatServer(Reply({"error": {"message": "slow"}}, status=429, headers={"retry-after": "0.3"}), "good day") as server:
        started = time.monotonic()
        reply = await chat_at(server).ainvoke(ASK)
        waited = time.monotonic() - started
    assert reply.text == "good day"
    assert waited >= 0.3
    assert len(server.asked) == 2


@pytest.mark.rule("F27")
async def test_a_server_that_keeps_limiting_is_asked_three_times_and_no_more():
    """F27: one retry layer, three calls."""
    with ChatServer(*[Reply({"error": {"message": "slow"}}, status=429, headers={"retry-after": "0"})] * 9) as server:
        with pytest.raises(ProviderRateLimited):
            await chat_at(server).ainvoke(ASK)
    assert len(server.asked) == 3


@pytest.mark.rule("R13")
async def test_a_failing_server_is_tried_again():
    """R13: one 500 does not cost the answer."""
    with ChatServer(Reply({"error": {"message": "boom"}}, status=500), "good day") as server:
        assert (await chat_at(server).ainvoke(ASK)).text == "good day"


@pytest.mark.rule("R13")
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Reply({"error": {"message": "boom"}}, status=500), ProviderUnavailable),
        (Reply({"error": {"message": "bad key sk-secret"}}, status=401), ProviderRejected),
        (Reply({"error": {"message": "no such model"}}, status=404), ProviderRejected),
        (Reply({"error": {"message": "what?"}}, status=422), ProviderRejected),
        (Reply({"choices": None}), ProviderReplyInvalid),
        (Reply("<!doctype html><title>Gateway</title>", headers={"content-type": "text/html"}), ProviderReplyInvalid),
        (Reply({"error": "inside a 200"}), ProviderReplyInvalid),
        (Reply({"choices": []}, cut=True), ProviderUnavailable),
        (Reply(hang=True), ProviderUnavailable),
    ],
    ids=["500", "401", "404", "422", "no choices", "a web page", "error in 200", "half a reply", "hangs"],
)
async def test_every_failure_has_its_error_within_the_time_and_repeats_no_key(fault, error):
    """R13: a typed error inside the deadline, whatever the server does."""
    with ChatServer(*[fault] * 3) as server:
        started = time.monotonic()
        with pytest.raises(error) as caught:
            await chat_at(server, timeout_s=3.0).ainvoke(ASK)
    assert time.monotonic() - started < 4
    assert "openai:test-model" in str(caught.value)
    assert "sk-secret" not in str(caught.value)


@pytest.mark.rule("R13")
async def test_a_refused_connection_is_unavailable():
    """R13: nothing listens there."""
    with ChatServer() as server:
        chat = chat_at(server)
    with pytest.raises(ProviderUnavailable, match="cannot be reached"):
        await chat.ainvoke(ASK)


async def test_structured_output_is_guarded_too():
    with ChatServer(Reply({"error": {"message": "boom"}}, status=500), {"ok": True}) as server:
        structured = chat_at(server).with_structured_output(SCHEMA, method="json_schema", include_raw=True)
        assert (await structured.ainvoke(ASK))["parsed"] == {"ok": True}


@pytest.mark.rule("R13")
@pytest.mark.parametrize("status", [200, 204])
@pytest.mark.parametrize("way", ["plain", "json_schema", "function_calling", "streamed", "tools"])
async def test_a_web_page_in_place_of_a_reply_is_one_that_cannot_be_read(way, status):
    """R13: a wrong address, in every way of asking."""
    page = Reply("<!doctype html><title>Gateway</title>" if status == 200 else "", status=status, headers={"content-type": "text/html"})
    with ChatServer(*[page] * 3) as server:
        with pytest.raises(ProviderReplyInvalid, match="openai:test-model answered in a form that cannot be read"):
            await asked(chat_at(server), way)


async def asked(chat, way):
    """The reply, by that way of asking."""
    if way == "streamed":
        return await pieces(chat)
    if way == "tools":
        return await chat.bind_tools([SCHEMA]).ainvoke(ASK)
    return await (chat if way == "plain" else chat.with_structured_output(SCHEMA, method=way, include_raw=True)).ainvoke(ASK)


async def test_a_refused_response_format_keeps_its_status():
    with ChatServer(refuses=("response_format",)) as server:
        structured = chat_at(server).with_structured_output(SCHEMA, method="json_schema", include_raw=True)
        with pytest.raises(ProviderRejected) as caught:
            await structured.ainvoke(ASK)
    assert caught.value.status == 400


async def test_bound_tools_reach_the_server():
    with ChatServer({"ok": True}) as server:
        reply = await chat_at(server).bind_tools([SCHEMA]).ainvoke(ASK)
    assert reply.tool_calls[0]["args"] == {"ok": True}


def test_a_missing_key_names_the_variable_and_the_keyless_choice(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-ours-to-read")
    with pytest.raises(MissingKey, match=r"OPENAI_API_KEY.*TADORI_CHAT_MODEL unset"):
        resolve_chat("openai:gpt-4o-mini")


@pytest.mark.parametrize("model", ["gpt-4o-mini", ":gpt", "openai:", "nobody:model"])
def test_a_model_that_cannot_be_resolved_is_a_wrong_setting(model):
    with pytest.raises(ConfigurationError):
        resolve_chat(model, api_key="key")


def test_a_provider_whose_package_is_missing_names_the_extra(monkeypatch):
    monkeypatch.setattr("retrievers.providers.chat.find_spec", lambda package: None)
    with pytest.raises(MissingExtra, match=r"tadori\[anthropic\]"):
        resolve_chat("anthropic:claude-sonnet-5", api_key="key")


STREAM = {"model": "test-model", "stream": True}
LONG = "Nightly backups are kept for 35 days."


async def pieces(chat) -> list[str]:
    return [piece.text async for piece in chat.astream(ASK) if piece.text]


async def test_an_answer_comes_in_pieces_with_its_tokens():
    with ChatServer(LONG) as server:
        streamed = [piece async for piece in chat_at(server).astream(ASK)]
    assert [piece.text for piece in streamed if piece.text][:2] == ["Nightly ", "backups "]
    assert sum(piece.usage_metadata["output_tokens"] for piece in streamed if piece.usage_metadata) == 10


@pytest.mark.rule("R13")
async def test_a_stream_that_fails_before_its_first_piece_is_tried_again():
    """R13: nothing was shown yet, so nothing is shown twice."""
    with ChatServer(Reply({"error": {"message": "boom"}}, status=500), LONG) as server:
        assert "".join(await pieces(chat_at(server))) == LONG
    assert len(server.asked) == 2


@pytest.mark.rule("R13")
@pytest.mark.parametrize("quietly", [False, True], ids=["broken", "closed as if it were whole"])
async def test_a_stream_that_is_cut_in_the_middle_says_so_and_is_not_begun_again(quietly):
    """R13: what was shown stays, the error names the model and itself."""
    reply = completion(LONG, STREAM, cut=True)
    reply.quietly = quietly
    shown = []

    async def show(chat):
        async for piece in chat.astream(ASK):
            shown.append(piece.text)

    with ChatServer(reply, LONG) as server:
        with pytest.raises(ProviderUnavailable, match="openai:test-model broke off in the middle of its answer"):
            await show(chat_at(server))
    assert "".join(shown).startswith("Nightly ")
    assert len(server.asked) == 1


@pytest.mark.rule("R13")
async def test_a_stream_that_drips_ends_at_the_deadline():
    """R13: the time is for the whole answer, not for each piece."""
    reply = completion(LONG, STREAM)
    reply.chunked, reply.drip, reply.headers["content-length"] = False, 0.005, "99999"
    with ChatServer(reply) as server:
        started = time.monotonic()
        with pytest.raises(ProviderUnavailable, match="did not answer within 1 s"):
            await pieces(chat_at(server, timeout_s=1.0))
    assert time.monotonic() - started < 2


@pytest.mark.rule("R13")
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Reply({"error": {"message": "bad key sk-secret"}}, status=401), ProviderRejected),
        (Reply({"error": {"message": "slow"}}, status=429, headers={"retry-after": "0"}), ProviderRateLimited),
        (Reply({"error": {"message": "boom"}}, status=500), ProviderUnavailable),
        (Reply(hang=True), ProviderUnavailable),
    ],
    ids=["401", "429", "500", "hangs"],
)
async def test_a_stream_that_cannot_begin_has_the_error_of_a_plain_call(fault, error):
    """R13: the same errors through both doors."""
    with ChatServer(always=fault) as server:
        with pytest.raises(error):
            await pieces(chat_at(server, timeout_s=2.0))


@pytest.mark.rule("F27")
async def test_a_model_is_asked_by_so_many_at_once_and_no_more():
    """F27: one limiter for an address: 12 calls, 3 at a time, and all are answered."""
    open_now, most = [0], [0]

    class Counting(ChatServer):
        def next_item(self, asked):
            open_now[0] += 1
            most[0] = max(most[0], open_now[0])
            time.sleep(0.05)
            open_now[0] -= 1
            return "good day"

    with Counting() as server:
        chats = [resolve_chat(f"openai:{name}", base_url=server.base_url, at_once=3) for name in ("fast", "strong")]
        plain = [chat.ainvoke(ASK) for chat in chats for _ in range(4)]
        await asyncio.gather(*plain, *(pieces(chat) for chat in chats for _ in range(2)))
    assert (len(server.asked), most[0]) == (12, 3)


@pytest.mark.rule("F27")
async def test_a_call_that_waits_too_long_for_its_turn_is_late():
    """F27: waiting is part of the deadline."""
    with ChatServer(*[Reply(hang=True)] * 3) as server:
        chat = resolve_chat("openai:test", base_url=server.base_url, timeout_s=1.0, at_once=1)
        started = time.monotonic()
        failures = await asyncio.gather(chat.ainvoke(ASK), chat.ainvoke(ASK), pieces(chat), return_exceptions=True)
    assert [type(failure) for failure in failures] == [ProviderUnavailable] * 3
    assert time.monotonic() - started < 2


@pytest.mark.rule("F27")
async def test_a_storm_of_rate_limits_is_weathered_together():
    """F27: half the calls meet a 429; the pause that one is asked for holds back the others, and nothing is lost."""
    refused = Reply({"error": {"message": "slow"}}, status=429, headers={"retry-after": "0.4"})

    class Stormy(ChatServer):
        def next_item(self, asked):
            return refused if len(self.asked) <= 4 else "good day"

    with Stormy() as server:
        chat = resolve_chat("openai:test", base_url=server.base_url, timeout_s=10.0, at_once=4)
        replies = await asyncio.gather(*(chat.ainvoke(ASK) for _ in range(8)))
    assert [reply.text for reply in replies] == ["good day"] * 8
    assert len(server.asked) == 12
