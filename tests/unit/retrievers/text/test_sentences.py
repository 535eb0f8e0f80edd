"""Sentence spans: English and Japanese ends, what does not end a sentence, and wrapped lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.text.sentences import sentences


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.rule("T12", "emb-chunking")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("梅雨は六月に始まる。雨が続く。", ["梅雨は六月に始まる。", "雨が続く。"]),
        ("本当ですか？はい！始めましょう。", ["本当ですか？", "はい！", "始めましょう。"]),
        ("「もう着いた。」そして彼は笑った。", ["「もう着いた。」", "そして彼は笑った。"]),
        ("「もう着いた。」と彼は言った。次の日。", ["「もう着いた。」と彼は言った。", "次の日。"]),
        ("値は３．５である．次に進む．", ["値は３．５である．", "次に進む．"]),
        ("えっ！？まさか…。そうだ。", ["えっ！？", "まさか…。", "そうだ。"]),
        ("たしか…三年前だ。", ["たしか…三年前だ。"]),
        ("トルクは12Nmです.次に進む。", ["トルクは12Nmです.", "次に進む。"]),
        ("Yahoo!ニュースを読む。終わり。", ["Yahoo!ニュースを読む。", "終わり。"]),
        ("这是第一句。这是第二句！", ["这是第一句。", "这是第二句！"]),
    ],
)
def test_japanese_and_chinese_sentences_end_at_their_own_marks(text: str, expected: list[str]) -> None:
    """T12, emb-chunking: not only at ". "."""
    assert cut(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rains. Take a coat!", ["It rains.", "Take a coat!"]),
        ('"Really?" he asked. "Yes." She left.', ['"Really?" he asked.', '"Yes."', "She left."]),
        ("Use version 3.11.7 of it. Then stop.", ["Use version 3.11.7 of it.", "Then stop."]),
        ("Dr. Ito and Mr. J. Smith met, e.g. Mondays. Fine.", ["Dr. Ito and Mr. J. Smith met, e.g. Mondays.", "Fine."]),
        ("See Fig. 3 and No. 12. The U.S. Army left.", ["See Fig. 3 and No. 12.", "The U.S. Army left."]),
        ("It holds vitamin C. The rest is water.", ["It holds vitamin C.", "The rest is water."]),
        ("Open config.toml at a.example/x?y=1!z now.", ["Open config.toml at a.example/x?y=1!z now."]),
        ("1. Open the lid. 2 turns follow.", ["1. Open the lid.", "2 turns follow."]),
        ("Wait... what? Yes... Then go.", ["Wait... what?", "Yes...", "Then go."]),
    ],
)
def test_abbreviations_decimals_and_addresses_end_no_sentence(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_a_line_of_its_own_is_a_sentence() -> None:
    assert cut("# Title\nFirst line\n- item one\n- item two\n\nLast") == ["# Title", "First line", "- item one", "- item two", "Last"]


def test_wrapped_lines_are_one_sentence() -> None:
    text = "The build reads every file below the folder that is\ngiven and writes a line for each of them, with its\nreason. Then it stops."
    assert cut(text) == [text[: text.index(" Then")], "Then it stops."]


def test_a_wrapped_japanese_sentence_is_one_sentence() -> None:
    text = "梅雨の時期が始まることを梅雨入りといい、社会通念上は\n春の終わりであるとともに夏の始まりでもある。次の文。"
    assert cut(text) == [text[: text.index("次の文")], "次の文。"]


def test_wrapped_list_items_stay_apart() -> None:
    text = "- the first item is long enough to fill a whole line of it\n- the second item is long enough to fill a line as well"
    assert len(cut(text)) == 2


def test_a_text_without_any_mark_is_one_sentence() -> None:
    assert sentences("  no mark  ") == [(2, 9)]
    assert sentences(" \n\n ") == []


@given(st.text(alphabet="aB1 .。！?」「\n\"'は、…XY．-", max_size=200))
def test_spans_are_in_order_and_leave_out_white_space_only(text: str) -> None:
    spans = sentences(text)
    assert all(start < end and text[start:end] == text[start:end].strip() for start, end in spans)
    bounds = [0, *(bound for span in spans for bound in span), len(text)]
    assert bounds == sorted(bounds)
    assert all(not text[bounds[index] : bounds[index + 1]].strip() for index in range(0, len(bounds), 2))
