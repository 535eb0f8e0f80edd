"""A long question fits a search box."""

from retrievers.text.condense import condense


def test_a_short_question_is_only_folded():
    assert condense("  What is\n oolong? ", 400) == "What is oolong?"


def test_sentences_that_ask_are_kept_before_those_that_tell():
    query = "We bought the kettle in March and liked it very much. It broke. How long is the warranty?"
    assert condense(query, 45) == "It broke. How long is the warranty?"


def test_japanese_sentences_are_told_apart():
    query = "先月やかんを買いました。とても気に入っています。保証期間は何年ですか？"
    assert condense(query, 15) == "保証期間は何年ですか？"


def test_one_long_sentence_is_cut_at_a_words_end():
    assert condense("alpha beta gamma delta", 13) == "alpha beta"


def test_one_long_sentence_without_spaces_is_cut_at_the_limit():
    assert condense("茶" * 50, 10) == "茶" * 10
