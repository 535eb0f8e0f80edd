"""Japanese words by Sudachi: dictionary forms, compounds and their parts, content only, at any length."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrievers.text.analysis import MAX_WORD
from retrievers.text.morphology import morphemes


@pytest.mark.rule("cjk")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("打合せ", "打ち合わせ"),
        ("引越し", "引っ越し"),
        ("サーバ", "サーバー"),
        ("走った", "走る"),
        ("ヴァイオリン", "バイオリン"),
        ("ﾃﾞｰﾀﾍﾞｰｽ", "データベース"),
    ],
)
def test_written_variants_and_inflections_are_one_word(one: str, other: str) -> None:
    """cjk: what differs in spelling alone is found under either."""
    assert morphemes(one) == morphemes(other) != []


@pytest.mark.rule("cjk")
def test_a_compound_comes_whole_and_by_part() -> None:
    """cjk: mode C and, where it can be taken apart, mode A."""
    assert morphemes("国家公務員共済組合") == ["国家公務員共済組合", "国家", "公務", "共済", "組合"]


def test_grammar_is_left_out() -> None:
    assert morphemes("それは、駅からも遠いのですか。") == ["遠い"]


@pytest.mark.rule("F11")
@pytest.mark.parametrize("text", ["走る。" * 30_000, "走る" * 30_000, "𠮷野家で食べる" * 10_000])
def test_any_length_is_cut(text: str) -> None:
    """F11: more than Sudachi takes at once, with sentence ends and without, and in characters of four bytes."""
    words = morphemes(text)
    assert len(words) > 19_000
    assert len(set(words)) < 12


def test_half_a_surrogate_pair_and_a_nul_do_no_harm() -> None:
    assert morphemes("走る\ud800走る\0走る") == ["走る", "走る", "走る"]


@pytest.mark.rule("S15")
@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("あいうえおがのをはー漢字検索資料走々〇㍿ｶﾞabc12-。\n 　𠮷\0\ud800"), max_size=60) | st.text())
def test_any_text_gives_words_that_can_be_stored(text: str) -> None:
    """S15: no NUL, no lone surrogate, no white space reaches the index."""
    for word in morphemes(text):
        assert 1 < len(word) <= MAX_WORD
        assert word.encode("utf-8")
        assert not any(char.isspace() or char == "\0" for char in word)


def test_threads_get_the_words_that_one_thread_gets() -> None:
    texts = [f"第{number}回の打合せで資料を配った" for number in range(200)]
    expected = [morphemes(text) for text in texts]
    results: dict[int, list[list[str]]] = {}
    threads = [threading.Thread(target=lambda at=at: results.update({at: [morphemes(text) for text in texts]})) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results[at] for at in range(4)] == [expected] * 4
