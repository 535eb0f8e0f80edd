"""A question is reworded with what the documents hold, and stays the same question."""

import pytest
from turns import passage

from nodes.rewording import by_corpus, own_words


def hints(words: dict[str, int], headings=()):
    counted = [{"word": word, "df": df} for word, df in sorted(words.items(), key=lambda entry: entry[1])]
    return {"words": counted, "headings": list(headings)}


@pytest.mark.rule("crag")
def test_words_that_the_documents_lack_are_left_out():
    """crag: the rest is searched, with the nearest headings next."""
    words = {"pray": 0, "torqu": 2, "mount": 5, "bolt": 4, "xr4200": 1, "xr": 1, "4200": 1, "tight": 3}
    queries = by_corpus(
        "Pray, how tight are the mount bolts of XR-4200, torque-wise: torque?", hints(words, ["Torque specifications", "Error codes", "x"])
    )
    assert queries[0] == "tight mount bolts XR-4200 torque-wise torque"
    assert queries[1].endswith("Torque specifications Error codes")


def test_a_misspelt_word_is_corrected_after_the_headings():
    queries = by_corpus("XR-4200 torqe", hints({"xr4200": 1, "xr": 1, "4200": 1, "torq": 0}, ["Torque specifications"]))
    assert queries[0] == "XR-4200 torque"


@pytest.mark.parametrize("question", ["warranty of the XR-4300", "保証 9000"])
def test_a_code_or_number_is_never_corrected(question):
    assert by_corpus(question, hints({"warranti": 3, "保証": 3}, ["XR-4200", "8000"])) == []


@pytest.mark.rule("no-answer", "T30")
def test_a_question_of_which_the_documents_lack_too_much_is_not_reworded():
    """no-answer, T30: what is left would ask for something else."""
    assert (
        by_corpus("Who won the 1998 football world cup?", hints({"won": 0, "1998": 0, "footbal": 0, "world": 4, "cup": 2}, ["Cups"])) == []
    )


def test_japanese_compounds_are_kept_whole():
    words = {"解約": 2, "約手": 1, "手数": 1, "数料": 1, "請求": 2, "解": 3, "約": 3, "手": 9, "数": 9, "料": 9, "請": 2, "求": 2}
    assert by_corpus("解約手数料はいくらで、いつ請求されますか", hints(words, ["料金"]))[0] == "解約手数料 請求"


def test_a_japanese_word_is_not_known_by_one_of_its_characters():
    assert by_corpus("富士山の高度", hints({"高": 3, "山": 2, "富士": 0, "士山": 0, "高度": 0, "富": 0, "士": 0, "度": 4})) == []


def test_own_words_are_counted_in_title_headings_and_text():
    found = passage(text="It is 12 Nm.", title="XR-4200", heading_path=["Torque"])
    assert own_words("torque of XR-4200 spokes", "torque", found) == pytest.approx(4 / 5)
    assert own_words("what is it?", "x", found) == 0.0
