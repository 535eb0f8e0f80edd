"""Quotations are found where they stand, and not where they do not."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.text.quotes import find_quote


def found(text: str, quote: str) -> str | None:
    span = find_quote(text, quote)
    return text[span[0] : span[1]] if span else None


@pytest.mark.rule("F16")
@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("The torque is 12 Nm.", "torque is 12 Nm", "torque is 12 Nm"),
        ("ＸＲ－４２００のトルクは１２Nmです。", "XR-4200のトルクは12Nm", "ＸＲ－４２００のトルクは１２Nm"),
        ("ﾄﾙｸｶﾞ足りない", "トルクガ足りない", "ﾄﾙｸｶﾞ足りない"),
        ("か\u3099くせい", "がくせい", "か\u3099くせい"),
        ("がくせい", "か\u3099くせい", "がくせい"),
        ("an e\ufb00ective of\ufb01ce", "effective office", "e\ufb00ective of\ufb01ce"),
        ("It takes\n   two   turns.", "takes two turns.", "takes\n   two   turns."),
        ("梅雨は\n六月に始まる。", "梅雨は六月に始まる。", "梅雨は\n六月に始まる。"),
        ("梅雨は六月に始まる。", "梅雨は 六月に始まる。", "梅雨は六月に始まる。"),
        ("without taking any locks that prevent", "... taking any locks ...", "taking any locks"),
        ("without taking any locks that prevent", "…taking any locks…", "taking any locks"),
        ("It ends here.", "It ends here.", "It ends here."),
        ("\u1112\u1161\u11ab글 문서", "한글 문서", "\u1112\u1161\u11ab글 문서"),
    ],
)
def test_a_quote_is_found_after_nfkc_and_white_space(text: str, quote: str, expected: str) -> None:
    """F16: quotes are checked verbatim after NFKC."""
    assert found(text, quote) == expected


@pytest.mark.rule("F16")
@pytest.mark.parametrize("quote", ["torque is 13 Nm", "Torque is 12 Nm", "torqueis 12", "", "…", "  ", "is 12 Nm!"])
def test_what_does_not_stand_there_is_not_found(quote: str) -> None:
    """F16: another number, another case, a missing space between words, or nothing at all."""
    assert find_quote("The torque is 12 Nm.", quote) is None


def test_the_first_of_several_is_returned() -> None:
    assert find_quote("ab, ab, ab", "ab") == (0, 2)


@given(st.text(alphabet="aé\u0301ｶﾞか\u3099 \n①ﬁ漢。A", max_size=40), st.data())
def test_every_slice_of_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    starts = [index for index in range(len(text)) if not unicodedata.combining(unicodedata.normalize("NFKD", text[index])[0])]
    if not starts:
        return
    start = data.draw(st.sampled_from(starts))
    end = data.draw(st.sampled_from([*(index for index in starts if index > start), len(text)]))
    if text[start:end].strip():
        assert find_quote(text, text[start:end]) is not None


@given(st.text(alphabet="aé\u0301ｶﾞか\u3099 \n①ﬁ漢。A", max_size=40), st.text(alphabet="aéｶﾞが 1fi漢。A", max_size=4))
def test_what_is_found_equals_the_quote_after_folding(text: str, quote: str) -> None:
    def folded(value: str) -> str:
        return "".join(unicodedata.normalize("NFKC", value).split())

    span = find_quote(text, quote)
    if span:
        assert folded(quote) in folded(text[span[0] : span[1]])
