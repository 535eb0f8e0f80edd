"""Turns that need no documents are told from those that do."""

from datetime import UTC, datetime

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from nodes.direct import direct_reply

NOW = datetime(2026, 11, 30, 13, 53, tzinfo=UTC)
HISTORY = [HumanMessage("How long are backups kept?"), AIMessage("35 days. [1]"), HumanMessage("Where?"), AIMessage("In the safe. [1][2]")]


@pytest.mark.rule("gate")
@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Hello!", "greeting"),
        ("hi there", "greeting"),
        ("こんにちは！", "greeting"),
        ("おはようございます", "greeting"),
        ("ok thanks", "thanks"),
        ("Thank you so much!", "thanks"),
        ("ありがとうございます😊", "thanks"),
        ("どうもありがとう", "thanks"),
        ("bye", "farewell"),
        ("おやすみなさい", "farewell"),
        ("What can you do?", "about"),
        ("何ができるの？", "about"),
        ("12×7は？", "arithmetic"),
        ("what time is it?", "clock"),
        ("今日は何日ですか？", "clock"),
        ("What did I just ask?", "conversation"),
        ("さっき何て聞いた？", "conversation"),
        ("もう一度言って", "conversation"),
    ],
)
def test_small_talk_sums_clock_and_conversation_need_no_documents(message, kind):
    """gate: known without a model, in English and Japanese."""
    assert direct_reply(message, HISTORY, NOW).kind == kind


@pytest.mark.parametrize(
    "message",
    [
        "Thanks, and how long is the warranty?",
        "Hello, how long are backups kept?",
        "What is the time zone of the observatory?",
        "What did the auditor ask?",
        "挨拶の仕方を教えて",
        "今日の当番は誰ですか？",
        "HI-100 torque",
    ],
)
def test_a_question_with_a_greeting_in_it_is_a_question(message):
    assert direct_reply(message, HISTORY, NOW) is None


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("What did I just ask?", "You asked: “Where?”"),
        ("最初の質問は何でしたか？", "「How long are backups kept?」とお尋ねでした。"),
        ("What did you say?", "I answered: In the safe."),
        ("これまでの会話をまとめて", "これまでのご質問は次のとおりです。\n1. How long are backups kept?\n2. Where?"),
    ],
)
def test_questions_about_the_conversation_are_answered_from_it(message, reply):
    assert direct_reply(message, HISTORY, NOW).text == reply


def test_a_conversation_that_has_only_begun_holds_nothing_yet():
    assert direct_reply("What did I just ask?", [], NOW).text == "This is the first thing you have asked."


@pytest.mark.rule("now")
def test_the_clock_answers_with_its_zone_in_the_users_language():
    """now: the given time, not the machine's."""
    assert direct_reply("what time is it?", [], NOW).text == "It is Monday, 30 November 2026, 13:53 (UTC)."
    assert direct_reply("今何時？", [], NOW).text == "2026年11月30日(月曜日) 13:53(UTC)です。"


def test_a_division_by_zero_is_answered():
    assert direct_reply("what is 10/0?", [], NOW).text == "10/0 is not defined: it divides by zero."


@pytest.mark.parametrize(
    ("message", "reply"),
    [("9**9**9", "9**9**9 is too large for me to compute."), ("9^9^9は？", "9**9**9 は数が大きすぎて計算できません。")],
)
def test_a_sum_out_of_bounds_is_no_question_for_the_documents(message, reply):
    assert direct_reply(message, [], NOW).text == reply
