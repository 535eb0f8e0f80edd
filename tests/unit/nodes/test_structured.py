"""A decision is read from whatever a model replies, and the rungs of the ladder are climbed once."""

import asyncio
from typing import ClassVar

import pytest
from langchain_core.exceptions import ModelAPIError, ModelAuthenticationError, ModelRateLimitError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableLambda
from pydantic import BaseModel, Field

from nodes.replies import without_thinking
from nodes.structured import Decider
from nodes.verdicts import Verdict
from retrievers.errors import ProviderRateLimited, ProviderRejected, ProviderUnavailable
from retrievers.providers.fakes import ScriptedChat

ASK = [HumanMessage("well?")]


class Answer(BaseModel):
    ok: Verdict
    why: str = ""


class Rungs(BaseChatModel):
    """A model that has all rungs: each takes the next reply of the script; an exception is raised."""

    script: list = Field(default_factory=list)
    asked: list[str] = Field(default_factory=list)

    @property
    def _llm_type(self):
        return "rungs"

    def _next(self, rung):
        self.asked.append(rung)
        reply = self.script.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, AIMessage) else AIMessage(reply)

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        return ChatResult(generations=[ChatGeneration(message=self._next("text"))])

    def with_structured_output(self, schema, *, include_raw=False, method="json_schema", **kwargs):
        assert isinstance(schema, dict)
        assert include_raw
        return RunnableLambda(lambda _: {"raw": self._next(method), "parsed": None, "parsing_error": None})


@pytest.mark.rule("F2", "gate")
@pytest.mark.parametrize(
    ("said", "ok"),
    [
        ('{"ok": true}', True),
        ('{"ok": "Yes"}', True),
        ('{"ok": "いいえ"}', False),
        ('Sure! Here it is:\n```json\n{"ok": "no", "why": "x"}\n```\nAnything else?', False),
        ('<think>The user {wants} this. {"ok": false}</think>\n{"ok": true}', True),
        ('I use {braces} in prose, then {"ok": true}', True),
        ('{"ok": true, "why": "line\nbreak"}', True),
        ('"yes"', True),
        ("Yes.", True),
        ("はい", True),
        ("No", False),
    ],
)
async def test_a_reply_is_read_through_prose_and_thinking(said, ok):
    """F2, gate: sliced from the first { to the last }, a lone word taken as the verdict."""
    reply = await Decider(ScriptedChat(replies=[said])).decide(ASK, Answer, bare="ok")
    assert reply.value.ok is ok


@pytest.mark.rule("F2")
@pytest.mark.parametrize(
    "said",
    ["<think>I wonder whether the user", "I cannot decide that.", '{"ok": "perhaps"}', '{"other": 1}', '{"ok": tru', "{", "[]", "null"],
)
async def test_a_reply_that_cannot_be_read_has_no_value_and_raises_nothing(said):
    """F2: a thinking block cut off, prose, half a JSON."""
    reply = await Decider(ScriptedChat(replies=[said])).decide(ASK, Answer, bare="ok")
    assert reply.value is None
    assert reply.usage["calls"] == 1


@pytest.mark.rule("F2")
async def test_an_empty_reply_is_tried_on_every_rung_and_has_no_value():
    """F2: empty, three times."""
    chat = Rungs(script=["", "  \n", ""])
    reply = await Decider(chat).decide(ASK, Answer)
    assert (reply.value, chat.asked) == (None, ["json_schema", "function_calling", "text"])
    assert reply.usage["calls"] == 3


async def test_the_first_rung_that_answers_is_the_last_one_asked():
    chat = Rungs(script=['{"ok": true}'])
    assert (await Decider(chat).decide(ASK, Answer)).value.ok is True
    assert chat.asked == ["json_schema"]


async def test_a_tool_call_is_read():
    call = AIMessage("", tool_calls=[{"name": "Answer", "args": {"ok": "yes"}, "id": "1"}])
    chat = Rungs(script=["", call])
    assert (await Decider(chat).decide(ASK, Answer)).value.ok is True
    assert chat.asked == ["json_schema", "function_calling"]


async def test_a_refused_rung_is_remembered_once_a_lower_one_answered():
    refusal = ProviderRejected("response_format is not supported", status=400)
    chat = Rungs(script=[refusal, '{"ok": true}', '{"ok": false}'])
    decider = Decider(chat)
    assert (await decider.decide(ASK, Answer)).value.ok is True
    assert (await decider.decide(ASK, Answer)).value.ok is False
    assert chat.asked == ["json_schema", "function_calling", "function_calling"]


async def test_a_request_that_every_rung_refuses_teaches_nothing():
    refusal = ProviderRejected("the prompt is too long", status=400)
    chat = Rungs(script=[refusal, refusal, refusal, '{"ok": true}'])
    decider = Decider(chat)
    with pytest.raises(ProviderRejected, match="too long"):
        await decider.decide(ASK, Answer)
    assert (await decider.decide(ASK, Answer)).value.ok is True
    assert chat.asked[-1] == "json_schema"


async def test_a_wrong_key_is_not_taken_for_a_refused_rung():
    chat = Rungs(script=[ProviderRejected("the key was refused", status=401)])
    with pytest.raises(ProviderRejected):
        await Decider(chat).decide(ASK, Answer)
    assert chat.asked == ["json_schema"]


async def test_prose_on_the_first_rung_is_no_reason_to_ask_again():
    chat = Rungs(script=["I would rather not."])
    assert (await Decider(chat).decide(ASK, Answer)).value is None
    assert chat.asked == ["json_schema"]


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (ModelRateLimitError("slow down"), ProviderRateLimited),
        (ModelAPIError("boom"), ProviderUnavailable),
        (ModelAuthenticationError("no"), ProviderRejected),
        (ConnectionError("refused"), ProviderUnavailable),
        (ProviderUnavailable("down"), ProviderUnavailable),
    ],
)
async def test_errors_of_any_model_come_out_as_ours(raised, error):
    with pytest.raises(error):
        await Decider(ScriptedChat(replies=[raised])).decide(ASK, Answer)


async def test_a_model_that_hangs_is_unavailable_at_the_deadline():
    class Hanging(ScriptedChat):
        async def _agenerate(self, *args, **kwargs):
            await asyncio.sleep(60)

    with pytest.raises(ProviderUnavailable, match=r"did not answer within 0\.05 s"):
        await Decider(Hanging(replies=[]), deadline_s=0.05).say(ASK)


async def test_tokens_of_every_call_are_counted():
    counted = AIMessage("", usage_metadata={"input_tokens": 10, "output_tokens": 2, "total_tokens": 12})
    chat = Rungs(script=[counted, AIMessage('{"ok": true}', usage_metadata={"input_tokens": 5, "output_tokens": 1, "total_tokens": 6})])
    reply = await Decider(chat).decide(ASK, Answer)
    assert reply.usage == {"calls": 2, "input_tokens": 15, "output_tokens": 3, "cost_usd": None}


async def test_the_model_is_held_to_every_field_and_sees_no_docstring():
    class Inner(BaseModel):
        """Not for the model."""

        number: int | None = None
        title: str = Field("", description="Nor this.")

    class Outer(BaseModel):
        entries: list[Inner] = []

    seen = {}

    class Watched(Rungs):
        def with_structured_output(self, schema, **kwargs):
            seen.update(schema)
            return super().with_structured_output(schema, **kwargs)

    await Decider(Watched(script=['{"entries": []}'])).decide(ASK, Outer)
    inner = {
        "type": "object",
        "properties": {"number": {"type": "integer"}, "title": {"type": "string"}},
        "required": ["number", "title"],
        "additionalProperties": False,
    }
    assert seen == {
        "$defs": {"Inner": inner},
        "type": "object",
        "properties": {"entries": {"type": "array", "items": {"$ref": "#/$defs/Inner"}}},
        "required": ["entries"],
        "additionalProperties": False,
        "title": "Outer",
    }


async def test_plain_text_comes_without_its_thinking():
    assert (await Decider(ScriptedChat(replies=["<think>hm</think> Good day."])).say(ASK)).value == "Good day."


def test_a_thinking_block_that_was_cut_off_takes_the_rest_with_it():
    assert without_thinking("a <thinking>b") == "a "


async def test_a_model_that_is_made_later_can_be_made_beforehand():
    class Later(ScriptedChat):
        made: ClassVar[list[str]] = []

        def inner(self):
            self.made.append("made")
            return self

    model = Later(replies=[])
    await Decider(model).prepare()
    await Decider(ScriptedChat(replies=[])).prepare()
    assert model.made == ["made"]
