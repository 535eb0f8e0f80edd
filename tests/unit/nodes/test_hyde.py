"""A model imagines what an answer would look like, within seconds, or the plain query is searched."""

import asyncio
import time

import pytest
from turns import runtime, turn

from nodes import hyde as step
from nodes.hyde import hyde
from nodes.state import model_failed
from nodes.structured import Decider
from retrievers.errors import ProviderUnavailable
from retrievers.providers.fakes import ScriptedChat

WHY = "Why does it rattle so much?"
PASSAGE = "Worn bearings cause vibration at high speed. They are replaced once a year."
TEA = "What is the difference between tea and coffee?"


async def imagined(question=WHY, replies=None, chat=None, **fields):
    chat = chat or (Decider(ScriptedChat(replies=replies)) if replies is not None else None)
    return await hyde(turn(question, **fields), runtime(), chat=chat)


class Slow(ScriptedChat):
    """Answers what is asked about coffee at once, all else much later."""

    async def _agenerate(self, messages, *given, **kwargs):
        if "\ncoffee" not in messages[-1].text:
            await asyncio.sleep(30)
        return self._generate(messages)


@pytest.mark.rule("hyde")
async def test_one_passage_is_imagined_for_a_question_of_one_concept():
    """hyde: one call, counted, in the trail."""
    update = await imagined(replies=[f"<think>Let me see.</think>\n{PASSAGE}\n"])
    assert (update["hypothetical"], update["usage"]["calls"]) == ([PASSAGE], 1)
    assert update["trail"][-1]["decision"] == "1 imagined passages"
    assert update["trail"][-1]["data"]["passages"] == [PASSAGE]


@pytest.mark.rule("hyde")
async def test_the_model_is_asked_for_150_tokens_at_temperature_03():
    """hyde: where the client has such settings."""
    asked = []

    class Heard(ScriptedChat):
        temperature: float = 0.7
        max_tokens: int | None = None

        def _generate(self, messages, stop=None, run_manager=None, **kwargs):
            asked.append((kwargs.get("max_tokens"), kwargs.get("temperature")))
            return super()._generate(messages, stop, run_manager, **kwargs)

    await imagined(chat=Decider(Heard(replies=[PASSAGE])))
    assert asked == [(150, 0.3)]


@pytest.mark.rule("hyde-per-concept")
async def test_each_concept_has_a_passage_of_its_own():
    """hyde-per-concept: and is searched with beside its own part."""
    update = await imagined(TEA, ["Tea is brewed from leaves.", "Coffee is brewed from beans."])
    assert sorted(update["hypothetical"]) == ["Coffee is brewed from beans.", "Tea is brewed from leaves."]
    assert update["sub_questions"] == ["tea", "coffee"]
    assert update["usage"]["calls"] == 2


@pytest.mark.rule("hyde-per-concept", "q-hyde")
async def test_the_parts_that_were_found_before_are_used():
    """hyde-per-concept, q-hyde: the question is not split a second time."""
    chat = ScriptedChat(replies=["One.", "Two."])
    update = await imagined(TEA, chat=Decider(chat), sub_questions=["What is tea made of?", "What is coffee made of?"])
    assert update["sub_questions"] == ["What is tea made of?", "What is coffee made of?"]
    assert sorted(prompt[1].text.rsplit("\n", 1)[1] for prompt in chat.prompts) == ["What is coffee made of?", "What is tea made of?"]


@pytest.mark.rule("hyde-per-concept")
async def test_passages_are_written_side_by_side():
    """hyde-per-concept: two of 0.2 s take no 0.4 s."""

    class Steady(ScriptedChat):
        async def _agenerate(self, messages, *given, **kwargs):
            await asyncio.sleep(0.2)
            return self._generate(messages)

    started = time.perf_counter()
    update = await imagined(TEA, chat=Decider(Steady(replies=["One.", "Two."])))
    assert len(update["hypothetical"]) == 2
    assert time.perf_counter() - started < 0.39


@pytest.mark.rule("hyde-per-concept")
async def test_the_same_concept_is_imagined_once():
    """hyde-per-concept: cached; the script has one reply."""
    chat = Decider(ScriptedChat(replies=[PASSAGE]))
    first, second = await imagined(chat=chat), await imagined(chat=chat)
    assert first["hypothetical"] == second["hypothetical"] == [PASSAGE]
    assert second["usage"]["calls"] == 0


@pytest.mark.rule("hyde-fallback", "R13")
async def test_a_model_that_is_late_leaves_the_plain_query_and_the_trail_says_so(monkeypatch):
    """hyde-fallback, R13: an event and a degradation; the model is not held to be down for the steps that follow."""
    monkeypatch.setattr(step, "DEADLINE_S", 0.05)
    update = await imagined(chat=Decider(Slow(replies=[])))
    assert update["hypothetical"] == []
    assert update["degraded"] == [
        {"step": "hyde", "cause": "the chat model imagined no passage within 0.05 s", "fallback": "the plain query"}
    ]
    assert [(event["kind"], event["decision"]) for event in update["trail"]] == [
        ("fallback", "the plain query"),
        ("decision", "the plain query"),
    ]
    assert not model_failed(turn(degraded=update["degraded"]))


@pytest.mark.rule("hyde-fallback")
def test_the_model_has_three_seconds():
    """hyde-fallback: 3.0 s for all of them."""
    assert step.DEADLINE_S == 3.0


@pytest.mark.rule("hyde-fallback", "hyde-per-concept")
async def test_what_came_in_time_is_searched_with(monkeypatch):
    """hyde-fallback, hyde-per-concept: one of two, for the question as a whole."""
    monkeypatch.setattr(step, "DEADLINE_S", 0.3)
    update = await imagined(TEA, chat=Decider(Slow(replies=["Coffee is brewed from beans."])))
    assert (update["hypothetical"], update["sub_questions"]) == (["Coffee is brewed from beans."], [])
    assert len(update["degraded"]) == 1


@pytest.mark.rule("hyde")
@pytest.mark.parametrize(
    "question", ["Why does XR-4200 rattle?", "What does max_connections do?", 'Why "blue kettle"?', "`make` はなぜ失敗する？"]
)
async def test_codes_and_exact_terms_are_never_imagined_around(question):
    """hyde: not even where simpler ways failed; the script is empty."""
    update = await imagined(question, [])
    assert (update["hypothetical"], update["trail"][0]["reason"]) == ([], "exact terms are found by themselves")


@pytest.mark.rule("hyde-fallback")
@pytest.mark.parametrize("reply", ["", "<think>It may be", ProviderUnavailable("the model is down")])
async def test_no_passage_means_the_plain_query(reply):
    """hyde-fallback: whatever the reason."""
    update = await imagined(replies=[reply])
    assert update["hypothetical"] == []
    assert update["trail"][-1]["decision"] == "the plain query"


async def test_without_a_model_nothing_is_imagined():
    assert (await imagined())["hypothetical"] == []


@pytest.mark.rule("limit")
@pytest.mark.parametrize("fields", [{"call_limit": 2}, {"deadline": 0.0}])
async def test_the_last_calls_and_seconds_are_kept_for_the_answer(fields):
    """limit: an optional stage that would overrun is skipped, and that is no exhausted budget."""
    update = await imagined(replies=[], **fields)
    assert update["hypothetical"] == []
    assert (update["trail"][0]["kind"], list(update["trail"][0]["data"])) == ("limit", ["skipped"])


@pytest.mark.rule("now")
async def test_the_model_knows_the_time():
    """now: each step that asks a model tells it."""
    chat = ScriptedChat(replies=[PASSAGE])
    await imagined(chat=Decider(chat))
    assert "UTC" in chat.prompts[0][1].text
