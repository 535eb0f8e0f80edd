"""A chat model by `provider:model`, spoken to by the real client over a server on loopback."""

import time

import pytest
from langchain_core.messages import HumanMessage
from servers.chat import ChatServer
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
        (Reply({"error": "inside a 200"}), ProviderReplyInvalid),
        (Reply({"choices": []}, cut=True), ProviderUnavailable),
        (Reply(hang=True), ProviderUnavailable),
    ],
    ids=["500", "401", "404", "422", "no choices", "error in 200", "half a reply", "hangs"],
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
