"""What may be small talk is told from what is surely a question."""

import pytest

from nodes.smalltalk import about_conversation, maybe_small_talk


@pytest.mark.rule("gate")
@pytest.mark.parametrize(
    "message",
    [
        "You are funny!",
        "I like you",
        "lol",
        "wow, nice",
        "That's great",
        "Do you like music?",
        "Are you a robot?",
        "面白いね！",
        "君は誰が好き？",
        "すごい",
        "なるほど",
        "今日は疲れたよ",
    ],
)
def test_what_only_a_model_can_place_may_be_small_talk(message):
    """gate: the rules do not decide it alone."""
    assert maybe_small_talk(message)


@pytest.mark.rule("gate")
@pytest.mark.parametrize(
    "message",
    [
        "How long are backups kept?",
        "Do you ship spare parts to northern Norway?",
        "Can you tell me where the key is?",
        "backup retention",
        "XR-4200 error!",
        "List the holidays",
        "I need 12 bolts",
        "返品の条件",
        "鍵はどこですか",
        "印刷の設定方法を教えて",
        "代表的な料理を一つ挙げよ",
        "有給休暇の申請について",
        "",
        "my pump makes a noise " * 10,
    ],
)
def test_a_plain_question_or_keywords_are_none(message):
    """gate: no call for them."""
    assert not maybe_small_talk(message)


@pytest.mark.rule("gate")
@pytest.mark.parametrize(
    "message", ["Put that in bullet points.", "Can you say it shorter?", "Translate your answer", "英語で言い換えて", "もっと短くして"]
)
def test_what_speaks_of_the_conversation_is_noticed(message):
    """gate: the one other thing that needs no documents."""
    assert about_conversation(message)
    assert not about_conversation("How long are backups kept?")
