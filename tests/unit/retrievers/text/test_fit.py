"""Texts are cut by tokens, at the end of a word."""

import pytest

from retrievers.text.fit import fitted, fitted_pair


def words(text):
    return len(text.split())


def letters(text):
    return len(text.replace(" ", ""))


@pytest.mark.rule("rr-cross")
def test_the_longest_beginning_in_whole_words_is_kept():
    """rr-cross: cut by tokens, and no word is torn."""
    assert fitted("Tighten the four mount bolts", 3, words) == "Tighten the four"
    assert fitted("Tighten the four mount bolts", 10, letters) == "Tighten the"


def test_what_fits_is_not_touched():
    assert fitted("  Tighten the\nbolts ", 3, words) == "  Tighten the\nbolts "


def test_japanese_is_cut_between_characters():
    assert fitted("締付けトルクは12Nmです", 8, letters) == "締付けトルクは"
    assert fitted("締付けトルクは12Nmです", 11, letters) == "締付けトルクは12Nm"


def test_a_first_word_that_is_too_long_is_cut_inside():
    assert fitted("abcdefghij klm", 4, letters) == "abcd"


def test_no_room_is_no_text():
    assert fitted("bolts", 0, letters) == ""


@pytest.mark.rule("rr-cross")
def test_a_query_has_half_the_window_at_most_and_the_texts_what_it_leaves():
    """rr-cross: a short query leaves more to the passages."""
    assert fitted_pair("a b c d e f", ["1 2 3 4 5 6", "1"], 8, words) == ("a b c d", ["1 2 3 4", "1"])
    assert fitted_pair("a b", ["1 2 3 4 5 6 7"], 8, words) == ("a b", ["1 2 3 4 5 6"])


def test_nothing_is_counted_where_the_characters_already_fit():
    def refuse(text):
        raise AssertionError(f"counted {text!r}")

    assert fitted_pair("a b", ["1 2"], 8, refuse) == ("a b", ["1 2"])
