"""Snippets: the words that say why a text was found, on one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.text.analysis import query_words
from retrievers.text.snippets import fitting, snippet, width

TEXT = "The mount is old.\nGrease the worm gear every six months, and never in winter. It was built in 2019."


@pytest.mark.rule("disclosure")
def test_the_sentence_that_holds_most_of_the_words_comes_first():
    """disclosure: around the match, not the beginning."""
    assert (
        snippet(TEXT, query_words("greasing a gear"))
        == "…Grease the worm gear every six months, and never in winter. It was built in 2019."
    )


def test_a_text_without_the_words_shows_its_beginning():
    assert snippet(TEXT, ["pump"]) == "The mount is old. Grease the worm gear every six months, and never in winter. It was built in 2019."


def test_in_a_long_sentence_it_begins_at_a_word_near_the_match():
    text = "Nothing of note happened " * 12 + "until the encoder was lost in the storm."
    shown = snippet(text, query_words("encoder lost"))
    assert (shown.startswith("…"), "encoder was lost" in shown, shown.split()[0].strip("…") in text.split()) == (True, True, True)


@pytest.mark.rule("disclosure", "cjk")
def test_a_full_width_character_takes_two_columns():
    """disclosure, cjk: so that Japanese costs about as many tokens as English."""
    text = (
        "観測会は天候により中止することがあります。"
        + "ドームの歯車の注油は三か月ごとに行い、当番責任者が点検簿に署名し、記録は五年間保存しなければなりません。" * 2
    )
    shown = snippet(text, query_words("注油"))
    assert shown.startswith("…ドームの歯車の注油は")
    assert (width(shown) <= 100, len(shown) < 60) == (True, True)


@given(st.text(max_size=400), st.integers(3, 120))
def test_it_is_one_line_within_its_columns_whatever_the_text(text, columns):
    shown = snippet(text, query_words(text[:50]), columns)
    assert width(shown) <= columns
    assert shown == " ".join(shown.split())


def test_a_text_without_a_visible_character_has_none():
    assert snippet(" \n ", ["pump"]) == ""


def test_what_fits_is_the_longest_beginning():
    assert [fitting("a漢字b", columns) for columns in (0, 1, 2, 3, 6)] == ["", "a", "a", "a漢", "a漢字b"]
