"""One name, one key, however it is spelled; two things, two keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.text.spelling import MAX_KEY, name_key, term_key, title_key

pytestmark = pytest.mark.rule("kg")


@pytest.mark.parametrize(
    ("spellings", "key"),
    [
        (["The Beatles", "Beatles", "BEATLES", "the Beatles'"], "beatles"),
        (["J. R. R. Tolkien", "J.R.R. Tolkien", "JRR Tolkien"], "jrr tolkien"),
        (["U.S.", "US", "the US"], "us"),
        (["Agüero", "Aguero", "Ａｇüｅｒｏ"], "aguero"),
        (["Jean-Paul Sartre", "Jean Paul Sartre", "Jean-Paul Sartre's"], "jean paul sartre"),
        (["XR-4200", "XR4200", "xr 4200"], "xr 4200"),
        (["APIs", "API", "the API's"], "api"),
        (["Acme Co., Ltd.", "Acme Inc.", "ACME"], "acme"),
        (["Dr. Ito", "Prof. Ito", "Ito"], "ito"),
        (["St. Louis", "St Louis"], "st louis"),
        (["Graph databases", "Graph database"], "graph database"),
    ],
)
def test_the_spellings_of_an_english_name_share_a_key(spellings, key):
    """kg: one entity for its spellings."""
    assert {name_key(spelling) for spelling in spellings} == {key}


@pytest.mark.parametrize(
    ("spellings", "key"),
    [
        (["ムーンライト", "ﾑｰﾝﾗｲﾄ", "ムーンライトの", "株式会社ムーンライト", "㈱ムーンライト", "ムーンライト（株）"], "ムーンライト"),
        (["スティーブ・ジョブズ", "スティーブジョブズ", "スティーブ＝ジョブズ", "スティーブ ジョブズ氏"], "スティーブジョブズ"),
        (["サーバー", "サーバ", "サーバーは"], "サーバ"),
        (["山田太郎", "山田 太郎", "山田太郎さん", "山田太郎氏", "山田太郎様"], "山田太郎"),
        (["Moonlightの", "Moonlight", "Moonlightについて", "Ｍｏｏｎｌｉｇｈｔ"], "moonlight"),
        (["独立行政法人情報処理推進機構", "情報処理推進機構"], "情報処理推進機構"),
    ],
)
def test_the_spellings_of_a_japanese_name_share_a_key(spellings, key):
    """kg: kana width, particles, honorifics and legal forms are no part of a name."""
    assert {name_key(spelling) for spelling in spellings} == {key}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Who", "WHO"),
        ("C", "C++"),
        ("C", "C#"),
        ("Windows", "Window"),
        ("Robin Williams", "Robin William"),
        ("East India Company", "East India"),
        ("Mr. T", "T"),
        ("Python 3.11", "Python 3.1"),
        ("お客様", "お客"),
        ("神様", "神"),
        ("Texas news", "Texas new"),
    ],
)
def test_two_things_have_two_keys(one, other):
    """kg: conservative."""
    assert name_key(one) != name_key(other)


def test_a_common_term_in_small_letters_is_folded_to_the_singular():
    assert term_key("graph databases") == name_key("Graph databases") == "graph database"
    assert term_key("queries") == "query"
    assert term_key("analysis") == "analysis"


def test_the_parenthesis_of_a_title_is_no_part_of_its_key():
    assert title_key("Brand (play)") == "brand"
    assert title_key("東京（小説）") == "東京"
    assert title_key("(untitled)") == "untitled"


def test_marks_alone_have_no_key():
    assert name_key("…!?") == ""


@given(st.text(max_size=200))
def test_a_key_is_its_own_key_and_short(text):
    """kg: a key that is looked up again is found."""
    key = name_key(text)
    assert name_key(key) == key
    assert len(key) <= MAX_KEY


@given(
    st.lists(
        st.sampled_from(
            [
                "The",
                "a",
                "Dr.",
                "Ito",
                "Inc.",
                "U.S.",
                "B.",
                "ß",
                "İ",
                "さん",
                "田中",
                "の",
                "ー",
                "カナ",
                "・",
                "APIs",
                "dogs",
                "3.1",
                "X1",
                "'s",
            ]
        ),
        max_size=8,
    ),
    st.sampled_from(["", " "]),
)
def test_a_key_of_many_trimmings_is_its_own_key(parts, between):
    key = name_key(between.join(parts))
    assert name_key(key) == key
