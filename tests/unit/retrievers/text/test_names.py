"""Names out of passages and questions by rules alone."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrievers.entities import GraphText
from retrievers.text.names import MAX_NAMES, name_key, names, names_in_question
from retrievers.text.ties import MAX_RELATIONS

pytestmark = pytest.mark.rule("kg")


def read(text, title="", headings=()):
    return names(GraphText(0, title, tuple(headings), text, "en"))


def keys(text, title="", headings=()):
    return [name.key for name in read(text, title, headings).names]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("However, Hank Snow was born in Brooklyn.", ["hank snow", "brooklyn"]),
        ("In 1960 Kennedy met Theresa May.", ["kennedy", "theresa may"]),
        ("On 4 July 1963 it rained. Although nobody knew, they sang.", []),
        ("The University of Copenhagen is old.", ["university of copenhagen", "copenhagen"]),
        (
            "J. R. R. Tolkien knew Jean-Paul Sartre of St. Louis.",
            ["jrr tolkien", "jean paul sartre of st louis", "jean paul sartre", "st louis"],
        ),
        ("The band plays Tod und Verklärung by Ludwig van Beethoven.", ["tod und verklarung", "ludwig van beethoven"]),
        ("We saw Agüero and the WHO.", ["aguero and the who", "aguero", "who"]),
        ("They flew on Apollo 11 to First Hill.", ["apollo 11", "first hill"]),
        ("A 1986 American comedy.", ["american"]),
        (
            "We met Martin Luther King, Jr. in Washington, D.C.",
            ["martin luther king jr in washington", "martin luther king jr", "washington", "dc"],
        ),
        ("DO NOT OPEN THE LID WHILE HOT.", []),
        ("Reactive species harm. Colours differ, and other colours do not.", []),
    ],
)
def test_english_names_stand_out_by_their_capitals(text, expected):
    """kg: sentence openers, months and years are no names."""
    assert keys(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Moonlightの配備はAWSで行う。", ["moonlight", "aws"]),
        ("「ムーンライト」の担当はスティーブ・ジョブズだ。", ["ムーンライト", "スティーブジョブズ"]),
        ("ﾑｰﾝﾗｲﾄとムーンライト。", ["ムーンライト"]),
        ("彼は小笠原諸島と新潟県と同大学を訪れた。", ["小笠原諸島", "新潟県"]),
        ("佐藤花子さんと株式会社光電機が契約した。", ["光電機", "佐藤花子"]),
        ("『銀河の手紙』を読み、「はい。」と答えた。", ["銀河の手紙"]),
        ("サーバーはpandasで動くシステムだ。", ["サーバ", "pandas"][1:]),
        ("这是《红楼梦》的故事。", ["红楼梦"]),
    ],
)
def test_japanese_and_chinese_names_stand_out_by_script_suffix_and_quotes(text, expected):
    """kg, cjk: particles and everyday loanwords are no part of names."""
    assert sorted(keys(text)) == sorted(expected)


def test_codes_are_names():
    assert keys("see ORA-00942 in nginx.conf and --no-cache-dir since 15.2.1, 3/4 of 50 km2") == [
        "ora 00942",
        "nginx conf",
        "--no-cache-dir",
        "15.2.1",
    ]


def test_the_title_comes_first_and_its_parenthesis_is_dropped():
    extraction = read("It is a play by Henrik Ibsen.", title="Brand (play)")
    assert [(name.key, name.text, name.placed) for name in extraction.names] == [
        ("brand", "Brand", "title"),
        ("henrik ibsen", "Henrik Ibsen", "text"),
    ]


def test_a_number_that_begins_a_title_is_kept_and_one_of_a_heading_is_dropped():
    assert keys("", title="12 Monkeys")[0] == "12 monkeys"
    assert keys("", title="I Am Legend")[0] == "i am legend"
    assert keys("", title="Handbook", headings=["3.2 Moonlight setup", "Introduction"]) == ["handbook", "moonlight setup"]


def test_headings_are_terms_and_plain_ones_are_not():
    found = read("", title="運用手順", headings=["概要", "Moonlightの配備"]).names
    assert [(name.key, name.placed) for name in found] == [("運用手順", "title"), ("moonlightの配備", "heading"), ("moonlight", "heading")]


def test_a_surname_is_a_mention_of_the_full_name():
    """kg: short forms make no entity of their own."""
    (first, second) = read("Hank Snow was a singer. Many loved Snow. They lived in Nashville.").names
    assert (first.key, first.count, second.key) == ("hank snow", 2, "nashville")
    assert keys("Snow was born in Brooklyn.", title="Hank Snow") == ["hank snow", "brooklyn"]
    assert keys("田中太郎氏が来た。田中さんは帰った。") == ["田中太郎"]
    assert keys("スティーブ・ジョブズは語る。次にジョブズは黙る。") == ["スティーブジョブズ"]


def test_a_surname_of_two_people_is_nobodys():
    assert "snow" in keys("Hank Snow met Anna Snow. Then Snow sang.")


def test_a_place_is_no_short_form_of_another():
    assert "virginia" in keys("We drove through West Virginia, then through Virginia.")


@pytest.mark.parametrize(
    ("text", "key", "same_as", "evidence"),
    [
        ("The Global Positioning System (GPS) works.", "gps", "global positioning system", "Global Positioning System (GPS)"),
        ("Use GPS (Global Positioning System).", "gps", "global positioning system", "GPS (Global Positioning System)"),
        ("We use retrieval augmented generation (RAG).", "rag", "retrieval augmented generation", "retrieval augmented generation (RAG)"),
        ("Deoxyribonucleic acid (DNA) is long.", "dna", "deoxyribonucleic acid", "Deoxyribonucleic acid (DNA)"),
        ("Sri Lanka, formerly known as Ceylon, is an island.", "ceylon", "sri lanka", "Sri Lanka, formerly known as Ceylon"),
        ("情報処理推進機構（IPA）が発表した。", "ipa", "情報処理推進機構", "情報処理推進機構（IPA）"),
        ("ムーンライト（Moonlight）を配備する。", "moonlight", "ムーンライト", "ムーンライト（Moonlight）"),
        ("東京大学（以下「東大」）で学ぶ。", "東大", "東京大学", "東京大学（以下「東大」"),
        ("北海道旅客鉄道は、通称「北鉄」である。", "北鉄", "北海道旅客鉄道", "北海道旅客鉄道は、通称「北鉄」"),
    ],
)
def test_what_the_text_says_to_be_the_same_is_an_alias_with_its_span(text, key, same_as, evidence):
    """kg: abbreviations defined in the text."""
    (alias,) = read(text).aliases
    assert (alias.key, alias.same_as, text[alias.start : alias.end]) == (key, same_as, evidence)


@pytest.mark.parametrize(
    "text",
    ["He met Bob Smith (USA).", "スミス（Google）が語る。", "田中（IBM）が語る。", "The plan (see below) failed.", "Go () and ( , x) now."],
)
def test_a_parenthesis_that_does_not_fit_is_no_alias(text):
    assert read(text).aliases == []


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("A **write-ahead log** keeps it.", "write ahead log"),
        ('This is called "fan-out" here.', "fan out"),
        ("Photosynthesis is a process.", "photosynthesis"),
        ("光合成とは、植物の働きである。", "光合成"),
    ],
)
def test_a_term_that_the_text_defines_is_a_name(text, term):
    (name,) = read(text).names
    assert (name.key, name.kind) == (term, "term")


def test_names_of_one_sentence_are_together_and_the_title_is_about_them():
    text = "Ada Lovelace met Charles Babbage. It rained."
    extraction = read(text, title="Engines")
    told = [(one.head, one.kind, one.tail, text[one.start : one.end], one.weight) for one in extraction.relations]
    sentence = "Ada Lovelace met Charles Babbage."
    assert told == [
        ("engines", "about", "ada lovelace", sentence, 1.0),
        ("engines", "about", "charles babbage", sentence, 1.0),
        ("ada lovelace", "together", "charles babbage", sentence, 1.0),
    ]


def test_the_more_names_share_a_sentence_the_less_two_of_them_weigh():
    weights = {one.weight for one in read("We met Ada Lovelace, Charles Babbage, Mary Somerville.").relations}
    assert weights == {0.5}


def test_a_question_names_its_capitals_first_and_then_groups_of_words():
    asked = names_in_question("Who wrote the lord of the rings for Moonlight Press?")
    assert asked[0] == "moonlight press"
    assert "lord of the rings" in asked
    assert "who" not in asked


def test_a_japanese_question_names_its_compounds_and_those_joined_by_particles():
    """cjk: the particle is no part of the name, and may be one of a title's."""
    asked = names_in_question("Moonlightの配備とベトナムの歴史を教えて")
    assert asked[:2] == ["moonlight", "ベトナム"]
    assert {"配備", "ベトナムの歴史", "歴史"} <= {*asked}


HOSTILE = {
    "capitals without spaces": "A" * 1_000_000,
    "camel case without spaces": "AbC" * 300_000,
    "capitalised words": "Abc Def " * 125_000,
    "capitalised words with links": "Abc of the " * 90_000,
    "nested brackets": "(" * 500_000 + ")" * 500_000,
    "acronyms in brackets": "Aa Bb (AB) " * 90_000,
    "initials": "A. " * 300_000,
    "kanji": "県" * 1_000_000,
    "katakana with dots": "ア・" * 500_000,
    "quotes": "「『《" * 300_000,
    "digits and letters": "a1" * 500_000,
    "underscores": "_" * 1_000_000,
    "known as": "X also known as " * 60_000,
    "asterisks": "*" * 1_000_000,
    "one quotation mark after another": 'called "' * 120_000,
    "apostrophes": "A'" * 500_000,
    "spaces": "A" + " " * 1_000_000 + "B",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_megabyte_of_anything_is_read_in_bounds(text):
    """kg: at most so many names and relations, in a second."""
    began = time.process_time()
    extraction = names(GraphText(0, text, (text,), text, "en"))
    names_in_question(text)
    assert len(extraction.names) <= MAX_NAMES
    assert len(extraction.relations) <= MAX_RELATIONS
    assert time.process_time() - began < 2


def test_a_list_of_many_names_is_cut():
    extraction = read(" ".join(f"We met Ann B{'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10]}." for n in range(100)))
    assert len(extraction.names) == MAX_NAMES


WORDS = st.sampled_from(
    [
        "The",
        "Ann",
        "Lee",
        "of",
        "and",
        "GPS",
        "(GPS)",
        "(",
        ")",
        "「",
        "」",
        "さん",
        "田中",
        "カナ",
        "ー",
        "・",
        "also known as",
        ". ",
        "、",
        "。",
        "\n",
        "**",
        '"',
        "'s",
        "1960",
        "May",
        "XR-1",
        "Inc.",
        "J.",
        "とは",
        "通称",
        "（",
        "）",
        "İ",
        "ß",
        "\x00",
        "\ud800",
    ]
)


@settings(max_examples=300)
@given(
    st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=40).map(" ".join), st.lists(WORDS, max_size=40).map("".join)),
    st.text(max_size=30),
)
def test_any_text_is_read_and_every_span_is_a_slice_of_it(text, title):
    """kg: never raises; each key once; all keys of relations and aliases are names."""
    extraction = names(GraphText(0, title, (title[::-1],), text, "und"))
    found = [name.key for name in extraction.names]
    assert len({*found}) == len(found)
    for name in extraction.names:
        if name.placed == "text":
            assert text[name.start : name.end] == name.text
        assert name.key
        assert name_key(name.key) == name.key
        assert name.count >= 1
    tied = [(one.head, one.tail) for one in extraction.relations] + [(one.key, one.same_as) for one in extraction.aliases]
    assert all(head in found and tail in found and head != tail for head, tail in tied)
    assert all(0 <= one.start < one.end <= len(text) for one in (*extraction.relations, *extraction.aliases))
    assert len({(one.head, one.tail, one.kind) for one in extraction.relations}) == len(extraction.relations)
    names_in_question(text)
