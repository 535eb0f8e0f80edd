"""A follow-up becomes searchable by the question it follows."""

import pytest

from nodes.followup import may_follow, own_words, standalone, without_opener

MEETING = "定例の打ち合わせはどこでありますか？"


@pytest.mark.rule("gate")
@pytest.mark.parametrize(
    "question",
    [
        "それいつだっけ？",
        "When was that again?",
        "Why?",
        "なぜ？",
        "土日は？",
        "土日？",
        "为什么？",
        "その会議の議事録は？",
        "And the minutes?",
    ],
)
def test_a_follow_up_gets_the_earlier_questions_words(question):
    """gate: "when was that again?" becomes searchable."""
    assert standalone(question, [MEETING]) == f"{MEETING} {question}"


@pytest.mark.parametrize(
    "question",
    [
        "What is the torque of XR-4200?",
        "XR-4200のトルクは？",
        "How long does it take to restore a backup?",
        "返品は何日以内ですか？",
    ],
)
def test_a_question_of_its_own_stays_as_it_is(question):
    assert standalone(question, [MEETING]) == question


def test_a_follow_up_of_a_follow_up_leads_back_to_the_subject():
    earlier = ["How are backups made?", "定例の打ち合わせはどこでありますか？", "それいつだっけ？"]
    assert standalone("なぜ？", earlier) == "定例の打ち合わせはどこでありますか？ なぜ？"


def test_what_a_follow_up_in_between_names_by_its_code_is_kept():
    earlier = ["How long is the warranty of the A100?", "And of the B200?"]
    assert standalone("What does it cost?", earlier) == "How long is the warranty of the A100? And of the B200? What does it cost?"


def test_where_nothing_stands_on_its_own_the_last_one_is_followed():
    assert standalone("Why?", ["And when was that?", "Who was it?"]) == "Who was it? Why?"


def test_the_users_own_words_are_told_from_what_they_were_glued_to():
    assert own_words("Why?", "How are backups made? Why?") == "Why?"
    assert own_words("Why?", "Why are backups made?") == "Why are backups made?"


@pytest.mark.parametrize(
    ("question", "rest"),
    [("And when was that?", "when was that?"), ("じゃあ、いつですか？", "いつですか？"), ("When was that?", "When was that?")],
)
def test_what_is_asked_stands_first_without_its_opener(question, rest):
    assert without_opener(question) == rest


def test_a_follow_up_without_a_history_stays_as_it_is():
    assert standalone("When was that again?", []) == "When was that again?"


@pytest.mark.rule("gate")
@pytest.mark.parametrize(
    "question", ["And the minutes?", "Where does it take place on Fridays in winter?", "それは何時に終わる予定ですか？", "Fees?"]
)
def test_what_may_lean_on_the_conversation_is_shown_to_a_model(question):
    """gate: more than what cannot be searched for alone."""
    assert may_follow(question)


@pytest.mark.parametrize(
    "question", ["Are there fees for late returns?", "How long does it take to restore a backup?", "返品の送料はいくらですか？"]
)
def test_words_that_point_at_nothing_lean_on_nothing(question):
    assert not may_follow(question)
