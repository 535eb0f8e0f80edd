"""Numbers are equal however they are written."""

import unicodedata

import pytest

from nodes.quantities import asked_kind, asked_measure, numbers


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


@pytest.mark.parametrize(
    ("question", "given", "other"),
    [
        ("How heavy is the drill?", "It weighs 2.4 kg.", "It is 31 cm long."),
        ("How much does the drill weigh?", "Two pounds and a half.", "It costs 5 francs."),
        ("How tall is the tower?", "It is 330 metres high.", "It has 3 lifts."),
        ("How far is the station?", "A walk of 2km.", "It takes 20 minutes."),
        ("How old is the bridge?", "It stood for ninety years.", "It is 90 m long."),
        ("How fast is the train?", "It reaches 300 km/h.", "It runs for 300 km."),
        ("How hot is the oven?", "It reaches 240 °C.", "It takes 240 V."),
        ("How expensive is a repair?", "At most 120 euros.", "At most 12 days."),
        ("ドリルの重さは？", "２．４㎏です。", "全長は31cmです。"),
        ("塔の高さはどのくらいですか？", "333メートルです。", "1958年に完成しました。"),
    ],
)
def test_a_measure_is_given_by_a_number_with_a_unit_of_it(question, given, other):
    measure = asked_measure(question)
    assert measure is not None
    assert measure.search(unicodedata.normalize("NFKC", given).casefold())
    assert not measure.search(other.casefold())


@pytest.mark.parametrize("question", ["Is it heavy?", "How does it work?", "How long is it open?", "重いですか？"])
def test_other_questions_ask_for_no_measure(question):
    assert asked_measure(question) is None
