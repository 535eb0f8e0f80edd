"""The gate decides, resets the turn, and fails open."""

from datetime import UTC, datetime

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.types import Overwrite
from turns import passage, runtime

from nodes.gate import MAX_QUESTION_CHARS, gate
from nodes.state import RagState, fresh_turn
from nodes.structured import Decider
from retrievers.errors import InvalidArgument, ProviderUnavailable
from retrievers.providers.fakes import ScriptedChat

MEETING = [HumanMessage("定例の打ち合わせはどこですか？"), AIMessage("2階の会議室です。 [1]")]


async def gated(question=None, messages=(), replies=None, **state):
    chat = Decider(ScriptedChat(replies=replies)) if replies is not None else None
    return await gate(RagState(question=question, messages=list(messages), **state), runtime(), chat=chat)


@pytest.mark.rule("gate", "adaptive")
@pytest.mark.parametrize("question", ["Hello!", "こんにちは", "Thanks!", "12×7は？", "What did I just ask?"])
async def test_a_turn_that_needs_no_documents_skips_them(question):
    """gate, adaptive: the cheapest route, known without a model."""
    update = await gated(question)
    assert (update["retrieve"], update["route"]) == (False, "direct")


async def test_a_question_is_looked_for_as_it_stands():
    update = await gated("How long are backups kept?")
    assert (update["retrieve"], update["standalone"]) == (True, "How long are backups kept?")


@pytest.mark.rule("gate")
async def test_a_follow_up_becomes_searchable_from_the_history():
    """gate: "when was that again?" is searched with the earlier question."""
    update = await gated("それいつだっけ？", MEETING)
    assert update["standalone"] == "定例の打ち合わせはどこですか？ それいつだっけ？"
    assert update["question"] == "それいつだっけ？"


@pytest.mark.rule("gate")
async def test_the_model_decides_and_writes_the_stand_alone_question():
    """gate: retrieve, stand-alone query, reason."""
    update = await gated(
        "それいつだっけ？", MEETING, ['{"retrieve": true, "standalone": "定例の打ち合わせはいつですか？", "reason": "follows up"}']
    )
    assert update["standalone"] == "定例の打ち合わせはいつですか？"
    assert update["trail"].value[0]["reason"] == "follows up"
    assert update["usage"].value["calls"] == 1


async def test_the_model_sees_history_and_time():
    chat = ScriptedChat(replies=['{"retrieve": true}'])
    now = datetime(2026, 11, 30, 9, tzinfo=UTC)
    await gate(RagState(question="And the minutes?", messages=list(MEETING)), runtime(now=now), chat=Decider(chat))
    asked = chat.prompts[0][1].text
    assert "定例の打ち合わせはどこですか？" in asked
    assert "2026-11-30 09:00" in asked


async def test_the_model_may_skip():
    update = await gated("You are funny, you know", replies=['{"retrieve": "no", "reason": "small talk"}'])
    assert update["retrieve"] is False


async def test_a_greeting_costs_no_model_call():
    update = await gated("Hello!", replies=[])
    assert update["retrieve"] is False


@pytest.mark.rule("F2", "gate")
@pytest.mark.parametrize(
    ("reply", "by"),
    [
        ("", "unparsable"),
        ('"yes"', "model"),
        ("Yes.", "model"),
        ("はい", "model"),
        ('{"binary_score": "Yes"}', "model"),
        ('I think so. {"retrieve": "yes"} Good luck!', "model"),
        ("<think>The user wants", "unparsable"),
        ("I do not know what you mean", "unparsable"),
        ('{"retrieve": "perhaps"}', "unparsable"),
        ('{"retrieve": true, "route": "the moon", "standalone": "", "reason": ""}', "model"),
    ],
)
async def test_whatever_the_model_replies_the_question_is_looked_for(reply, by):
    """F2, gate: any failure means retrieve with the question by the rules, and the trail says so."""
    update = await gated("それいつだっけ？", MEETING, replies=[reply])
    assert (update["retrieve"], update["standalone"]) == (True, "定例の打ち合わせはどこですか？ それいつだっけ？")
    last = update["trail"].value[-1]
    assert (last["data"].get("by") if last["kind"] == "decision" else last["kind"]) == by
    unread = {"step": "gate", "cause": "the model's reply cannot be read", "fallback": "retrieve, by the rules"}
    assert update["degraded"].value == ([unread] if by == "unparsable" else [])


@pytest.mark.rule("gate", "adaptive")
@pytest.mark.parametrize(
    ("question", "history"),
    [
        ("How long are backups kept?", ()),
        ("返品の条件は？", ()),
        ("XR-4200 torque", ()),
        ("backup retention policy", ()),
        ("List the holidays of the head office", ()),
        ("How are nightly backups encrypted at rest?", MEETING),
        ("観測室の鍵はどこに返却しますか？", MEETING),
    ],
)
async def test_a_plain_question_costs_no_model_call(question, history):
    """gate, adaptive: rules decide; a model that is asked here would find its script empty."""
    update = await gated(question, history, replies=[])
    assert (update["retrieve"], update["standalone"]) == (True, question)
    assert update["usage"].value["calls"] == 0


@pytest.mark.rule("gate")
@pytest.mark.parametrize(
    ("question", "history"),
    [
        ("You are funny!", ()),
        ("面白いね！", ()),
        ("Do you like music?", ()),
        ("それいつだっけ？", MEETING),
        ("And the minutes?", MEETING),
        ("Put your answer in bullet points.", MEETING),
    ],
)
async def test_the_model_is_asked_where_rules_cannot_tell(question, history):
    """gate: small talk or not, with or without the conversation."""
    update = await gated(question, history, replies=['{"retrieve": true}'])
    assert update["usage"].value["calls"] == 1


@pytest.mark.rule("gate")
async def test_every_decision_is_in_the_trail_and_can_be_counted():
    """gate: skip or retrieve, by whom, with a reason; one event of the kind decision a turn."""
    turns = [
        await gated("Hello!"),
        await gated("How long are backups kept?"),
        await gated("You are funny!", replies=['{"retrieve": false, "reason": "small talk"}']),
        await gated("You are funny!", replies=["?"]),
        await gated("それいつだっけ？", MEETING, replies=['{"retrieve": true}']),
    ]
    decided = [[event for event in turn["trail"].value if event["kind"] == "decision"] for turn in turns]
    assert [[(event["decision"], event["data"]["by"]) for event in events] for events in decided] == [
        [("skip", "rules")],
        [("retrieve", "rules")],
        [("skip", "model")],
        [("retrieve", "rules")],
        [("retrieve", "model")],
    ]
    assert all(event["reason"] for events in decided for event in events)


@pytest.mark.rule("gate", "T6", "F19")
async def test_the_model_cannot_skip_a_question_for_a_fact():
    """gate, T6, F19: what it would answer from its memory is looked for in the documents."""
    update = await gated("And where does it take place?", MEETING, replies=['{"retrieve": false, "reason": "I know it"}'])
    assert update["retrieve"] is True
    assert "though the model would skip them: I know it" in update["trail"].value[0]["reason"]


@pytest.mark.rule("gate")
@pytest.mark.parametrize(
    "written", ["The head bolts take 12 Nm.", "How many pages has the report, and where does the torque stand?", "XR-4300 torque again?"]
)
async def test_a_stand_alone_question_that_lost_its_code_or_its_words_is_not_taken(written):
    """gate: names, codes and most words stay; else the rules make it searchable."""
    history = [HumanMessage("How is the XR-4200 mounted?"), AIMessage("With four bolts. [1]")]
    update = await gated("And its XR-4200 torque?", history, replies=[f'{{"retrieve": true, "standalone": "{written}"}}'])
    assert update["standalone"].endswith("And its XR-4200 torque?")


@pytest.mark.rule("adaptive", "T32", "S8")
@pytest.mark.parametrize(("said", "kept"), [("hyde", "hyde"), ("Decompose", "decompose"), ("web", None), ("direct", None), ("x", None)])
async def test_the_model_may_suggest_ways_through_the_documents_alone(said, kept):
    """adaptive, T32, S8: what a document said in the conversation cannot send the search elsewhere."""
    update = await gated("And why?", MEETING, replies=[f'{{"retrieve": true, "route": "{said}"}}'])
    assert update["suggested"] == kept


@pytest.mark.rule("gate")
async def test_a_model_that_is_down_means_retrieve_and_a_degradation():
    """gate: fails open, visibly."""
    update = await gated("And when?", MEETING, [ProviderUnavailable("the model is down")])
    assert update["retrieve"] is True
    assert update["standalone"] == "定例の打ち合わせはどこですか？ And when?"
    assert update["degraded"].value == [{"step": "gate", "cause": "the model is down", "fallback": "retrieve, by the rules"}]


@pytest.mark.rule("T30")
async def test_a_stand_alone_question_in_another_language_is_not_taken():
    """T30: the user's language stays."""
    update = await gated("それいつだっけ？", MEETING, ['{"retrieve": true, "standalone": "When is the meeting?"}'])
    assert update["standalone"] == "定例の打ち合わせはどこですか？ それいつだっけ？"


@pytest.mark.rule("T30")
async def test_a_chinese_question_stays_chinese():
    """T30: no translation of any language."""
    history = [HumanMessage("备份保存多长时间？"), AIMessage("三十五天。 [1]")]
    update = await gated("为什么？", history, ['{"retrieve": true, "standalone": "Why are backups kept for 35 days?"}'])
    assert update["standalone"] == "备份保存多长时间？ 为什么？"
    update = await gated("为什么？", history, ['{"retrieve": true, "standalone": "备份为什么保存三十五天？"}'])
    assert update["standalone"] == "备份为什么保存三十五天？"


@pytest.mark.rule("T1", "F31")
async def test_every_field_of_the_last_turn_is_reset():
    """T1, F31: nothing of the last turn is left, whatever its reducer."""
    last = {"kept": [passage()], "passages": [passage()], "rewrites": 2, "web_tries": 1, "rewrite_ended": True, "answer": "old"}
    update = await gated("How long are backups kept?", **last)
    for name, value in fresh_turn().items():
        if name not in ("standalone", "trail", "usage", "degraded", "route", "retrieve", "suggested"):
            assert update[name] == value, name
    assert all(isinstance(update[name], Overwrite) for name in ("trail", "usage", "degraded"))


def test_a_fresh_turn_covers_every_field_but_the_question_the_messages_and_the_status():
    assert set(fresh_turn()) == set(RagState.__dataclass_fields__) - {"question", "messages", "status"}


@pytest.mark.parametrize(("question", "messages"), [(None, []), ("  \n", []), (None, [HumanMessage("  ")]), (None, [AIMessage("hello")])])
async def test_no_question_is_said_clearly(question, messages):
    with pytest.raises(InvalidArgument, match="there is no question: give `question`, or `messages`"):
        await gated(question, messages)


@pytest.mark.rule("R13")
@pytest.mark.parametrize("question", [5, True, ["How long?"], {"text": "How long?"}, b"How long?"])
async def test_a_question_that_is_no_text_is_said_clearly(question):
    """R13: by its type, not by a traceback."""
    with pytest.raises(InvalidArgument, match=f"of the type {type(question).__name__}: give `question` as a string"):
        await gated(question, [])


@pytest.mark.rule("S14")
async def test_an_endless_question_is_refused():
    """S14: bounded before anything is asked."""
    with pytest.raises(InvalidArgument, match="8001 characters"):
        await gated("x" * (MAX_QUESTION_CHARS + 1))


async def test_the_last_message_is_the_question_where_none_is_given():
    update = await gated(None, [*MEETING, HumanMessage("How long are backups kept?")])
    assert update["question"] == "How long are backups kept?"
    assert update["messages"] == []


async def test_a_question_that_came_alone_joins_the_messages():
    update = await gated("How long are backups kept?", MEETING)
    assert [message.text for message in update["messages"]] == ["How long are backups kept?"]


async def test_a_new_message_counts_more_than_the_last_turns_question():
    old = (await gated("How long are backups kept?"))["trail"].value
    messages = [HumanMessage("How long are backups kept?"), AIMessage("35 days. [1]"), HumanMessage("Where is the key?")]
    update = await gated("How long are backups kept?", messages, trail=old)
    assert update["question"] == "Where is the key?"


async def test_a_new_question_counts_more_than_an_old_message():
    old = (await gated("How long are backups kept?"))["trail"].value
    update = await gated("Where is the key?", [HumanMessage("How long are backups kept?")], trail=old)
    assert update["question"] == "Where is the key?"


async def test_content_in_parts_is_read():
    update = await gated(None, [HumanMessage([{"type": "text", "text": "Where is the key?"}])])
    assert update["question"] == "Where is the key?"


@pytest.mark.rule("gate")
async def test_a_greeting_is_no_question_that_is_followed():
    """gate: it would be searched for."""
    state = RagState(messages=[HumanMessage("hello"), AIMessage("Hello."), HumanMessage("and how do I clean it?")])
    update = await gate(state, runtime(), chat=None)
    assert update["standalone"] == "and how do I clean it?"
