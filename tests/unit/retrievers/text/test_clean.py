"""Text from outside is made storable, and what was taken out is counted."""

import datetime as dt
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.text.clean import Cleaned, Cleaner, TooManyValues, clean


@pytest.mark.rule("F10")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x00b", Cleaned("ab", nul=1)),
        ("a\ud800b\udfff", Cleaned("a\ufffdb\ufffd", surrogates=2)),
        ("\ud83d\ude00", Cleaned("😀")),
        ("already \ufffd there", Cleaned("already \ufffd there")),
        ("\ufeffstart", Cleaned("start")),
        ("one\r\ntwo\rthree\x0cfour\u2028five", Cleaned("one\ntwo\nthree\nfour\nfive")),
    ],
)
def test_what_cannot_be_stored_is_taken_out_and_counted(text: str, expected: Cleaned) -> None:
    """F10: a NUL or a lone surrogate is no reason to lose a document."""
    assert clean(text) == expected


@given(st.text(st.characters() | st.sampled_from("\x00\ud800\udc00\ufeff\r\n")))
def test_cleaned_text_is_utf_8_without_nul_and_stays_as_it_is(text: str) -> None:
    cleaned = clean(text).text
    assert "\0" not in cleaned.encode("utf-8").decode()
    assert clean(cleaned) == Cleaned(cleaned)


@pytest.mark.rule("F10")
def test_metadata_is_cleaned_at_every_depth() -> None:
    """F10: keys, lists and nested values too, all counted."""
    cleaner = Cleaner()
    values = cleaner.mapping({"a\x00": ["x\ud800", {"b": "y\x00"}], 1: float("nan"), "day": dt.date(2024, 5, 1), "kept": 1.5})
    assert values == {"a": ["x\ufffd", {"b": "y"}], "1": None, "day": "2024-05-01", "kept": 1.5}
    assert (cleaner.nul, cleaner.surrogates) == (2, 1)
    json.dumps(values, allow_nan=False)


def test_a_title_is_one_line() -> None:
    assert Cleaner().line(" a\x00b\n  c ") == "ab c"


def test_an_alias_bomb_and_a_deep_nest_are_refused() -> None:
    bomb: object = "x"
    for _ in range(8):
        bomb = [bomb] * 9
    deep: object = "x"
    for _ in range(60):
        deep = [deep]
    for value in (bomb, deep):
        with pytest.raises(TooManyValues):
            Cleaner().mapping({"value": value})
