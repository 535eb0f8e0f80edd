"""Numbers are equal however they are written."""

import pytest

from nodes.quantities import asked_kind, numbers


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("35,000 yen", "35000"),
        ("１２Ｎｍ", "12"),
        ("二〇〇二年", "2002"),
        ("令和元年", "2019"),
        ("平成30年", "2018"),
        ("twelve bolts", "12"),
    ],
)
def test_a_number_is_found_in_digits(text, number):
    assert number in numbers(text)


def test_words_are_left_out_where_only_digits_count():
    assert numbers("the first of 12", spoken=False) == {"12"}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How many bolts?", "a number"),
        ("What year was it?", "a date or a time"),
        ("いつまで使えますか？", "a date or a time"),
        ("How much does it cost?", "an amount of money"),
        ("什么颜色？", "a colour"),
    ],
)
def test_the_kind_of_answer_is_told_by_the_question(question, name):
    kind = asked_kind(question)
    assert kind is not None
    assert kind.named["en"] == name


@pytest.mark.parametrize("question", ["Who is it?", "What happens when it stops?", "誰ですか？", "いつものやり方は？", ""])
def test_other_questions_ask_for_no_kind_that_can_be_told(question):
    assert asked_kind(question) is None
