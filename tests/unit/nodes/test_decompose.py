"""Sub-questions come from a model in time, else from the rules, else there are none."""

import asyncio

import pytest
from turns import runtime, turn

from nodes import decompose as step
from nodes.decompose import decompose
from nodes.structured import Decider
from retrievers.errors import ProviderUnavailable
from retrievers.providers.fakes import ScriptedChat

TEA = "What is the difference between tea and coffee?"
TWO = '{"questions": ["What is tea made of?", "What is coffee made of?"]}'
CHAIN = "What is the native language of the person who wrote the manual?"


async def split(question, replies=None, chat=None, **fields):
    chat = chat or (Decider(ScriptedChat(replies=replies)) if replies is not None else None)
    return await decompose(turn(question, **fields), runtime(), chat=chat)


@pytest.mark.rule("q-decompose")
async def test_the_models_sub_questions_are_searched():
    """q-decompose: two to four, one call, counted."""
    update = await split(TEA, [TWO])
    assert update["sub_questions"] == ["What is tea made of?", "What is coffee made of?"]
    assert update["usage"]["calls"] == 1
    assert (update["trail"][-1]["kind"], update["trail"][-1]["decision"]) == ("decision", "2 parts")


@pytest.mark.rule("q-decompose")
async def test_without_a_model_the_rules_name_the_sides():
    """q-decompose: in both languages."""
    assert (await split(TEA))["sub_questions"] == ["tea", "coffee"]
    assert (await split("お茶とコーヒーの保存期間の違いは？"))["sub_questions"] == ["お茶の保存期間", "コーヒーの保存期間"]
    update = await split(CHAIN)
    assert (update["sub_questions"], update["trail"][-1]["decision"]) == ([], "whole")


@pytest.mark.rule("q-decompose")
async def test_the_same_question_is_split_once():
    """q-decompose: cached; the script has one reply."""
    chat = Decider(ScriptedChat(replies=[TWO]))
    first, second = await split(TEA, chat=chat), await split(TEA, chat=chat)
    assert first["sub_questions"] == second["sub_questions"]
    assert (first["usage"]["calls"], second["usage"]["calls"]) == (1, 0)


@pytest.mark.rule("q-decompose")
async def test_a_model_is_asked_at_temperature_0():
    """q-decompose: the likeliest split, where the client has such a setting."""
    asked = []

    class Heard(ScriptedChat):
        temperature: float = 0.7

        def _generate(self, messages, stop=None, run_manager=None, **kwargs):
            asked.append(kwargs.get("temperature"))
            return super()._generate(messages, stop, run_manager, **kwargs)

    await split(TEA, chat=Decider(Heard(replies=[TWO])))
    assert asked == [0.0]


@pytest.mark.rule("q-decompose", "R13")
async def test_a_model_that_is_late_leaves_the_rules_and_the_trail_says_so(monkeypatch):
    """q-decompose, R13: within its own seconds; the sides are still searched."""
    monkeypatch.setattr(step, "DEADLINE_S", 0.05)

    class Slow(ScriptedChat):
        async def _agenerate(self, *given, **kwargs):
            await asyncio.sleep(30)

    update = await split(TEA, chat=Decider(Slow(replies=[])))
    assert update["sub_questions"] == ["tea", "coffee"]
    assert update["degraded"] == [
        {"step": "decompose", "cause": "the chat model wrote no sub-questions within 0.05 s", "fallback": step._POLICY}
    ]


@pytest.mark.rule("F2", "q-decompose")
@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I would split it.",
        '{"questions": []}',
        '{"questions": ["What is tea made of?"]}',
        '{"questions": ["What is the difference between tea and coffee?", "What is tea made of?"]}',
        '{"questions": ["お茶とは？", "コーヒーとは？"]}',
        '{"questions": ["?", "and it?"]}',
        '{"questions": "tea"}',
    ],
)
async def test_sub_questions_that_are_of_no_use_leave_the_rules(reply):
    """F2, q-decompose: unreadable, too few, the question itself, another language, no words."""
    assert (await split(TEA, [reply] * 3))["sub_questions"] == ["tea", "coffee"]


async def test_a_split_that_loses_a_code_is_not_taken():
    question = "Compare XR-4200 with XR-4300."
    update = await split(question, ['["What is the XR-4200?", "What is the other pump?"]'])
    assert update["sub_questions"] == ["XR-4200", "XR-4300"]


async def test_a_bare_list_is_read_and_no_more_than_four_are_taken():
    listed = "[" + ", ".join(f'"What is kind {number} of tea?"' for number in range(6)) + "]"
    assert len((await split(CHAIN, [listed]))["sub_questions"]) == 4


async def test_a_list_of_lines_is_read():
    update = await split(TEA, ["Sure:\n1. What is tea made of?\n2. What is coffee made of?\n"])
    assert update["sub_questions"] == ["What is tea made of?", "What is coffee made of?"]


@pytest.mark.rule("F2")
async def test_a_reply_that_cannot_be_read_is_an_event():
    """F2: the default is declared, and the trail says that it was taken."""
    update = await split(TEA, ["I would split it."])
    assert update["trail"][0]["kind"] == "unparsable"
    assert [(entry["step"], entry["cause"]) for entry in update["degraded"]] == [("decompose", "the model's reply cannot be read")]


@pytest.mark.rule("R13")
async def test_a_model_that_is_down_is_named():
    """R13: and the rules split."""
    update = await split(TEA, [ProviderUnavailable("the model is down")])
    assert (update["sub_questions"], update["degraded"][0]["cause"]) == (["tea", "coffee"], "the model is down")


@pytest.mark.rule("limit")
@pytest.mark.parametrize("fields", [{"call_limit": 2}, {"deadline": 0.0}])
async def test_the_last_calls_and_seconds_are_kept_for_the_answer(fields):
    """limit: an optional stage that would overrun is skipped, and that is no exhausted budget."""
    update = await split(TEA, [], **fields)
    assert update["sub_questions"] == ["tea", "coffee"]
    assert (update["trail"][0]["kind"], list(update["trail"][0]["data"])) == ("limit", ["skipped"])


@pytest.mark.rule("now")
async def test_the_model_knows_the_time_and_its_examples_are_in_the_questions_language():
    """now: each step that asks a model tells it."""
    chat = ScriptedChat(replies=["[]"])
    await split("お茶とコーヒーの違いは？", chat=Decider(chat))
    assert "UTC" in chat.prompts[0][1].text
    assert "借主" in chat.prompts[0][0].text
