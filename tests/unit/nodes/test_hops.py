"""Which questions describe what they do not name."""

import time

import pytest

from nodes.hops import is_nested


@pytest.mark.rule("kg", "adaptive")
@pytest.mark.parametrize(
    "question",
    [
        "Who was mayor of the town where the founder of Kestrel Mills was born?",
        "What country was the author of The Salt Road a citizen of?",
        "How many shops are in the state that borders Vermont to the east?",
        "When was the wife of the lighthouse keeper's brother born?",
        "In which town was the designer of the tide gauge born?",
        "創業者が生まれた町の人口は何人ですか。",
        "『潮の道』の作者の出身地はどこですか。",
    ],
)
def test_a_thing_described_by_another_is_nested(question):
    """kg, adaptive: one thing must be looked up to find the other."""
    assert is_nested(question)


@pytest.mark.rule("kg", "adaptive")
@pytest.mark.parametrize(
    "question",
    [
        "How long are backups kept?",
        "Who wrote The Salt Road?",
        "What is the voltage of the XR-4200?",
        "Who is the designer of the tide gauge?",
        "保証期間は何年ですか。",
        "",
        "   ",
    ],
)
def test_a_plain_question_is_not(question):
    """kg, adaptive: it goes the plain way."""
    assert not is_nested(question)


def test_a_long_story_is_not_read():
    assert not is_nested("The clerk who wrote the letter that the baker kept. " * 20)


@pytest.mark.parametrize("text", ["the " * 130, "the a, " * 60, "'s " * 130, "の" * 399, "るのた" * 130, "the x of " * 44])
def test_no_text_takes_long(text):
    """Nested quantifiers could take for ever; the bound is a thousand times what a question takes."""
    started = time.process_time()
    is_nested(text)
    assert time.process_time() - started < 0.5
