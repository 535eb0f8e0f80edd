"""What a model says of a text is kept where the text says it, and nowhere else."""

from collections import Counter

import pytest

from retrievers.entities import Extraction, GraphText, Name, Relation
from retrievers.grounding import MOST, NAME_CHARS, grounded, predicate_of
from retrievers.said import SaidName, SaidRelation, SaidText

WORDS = "Also Al Brook met Tom Brook in Salt Lake. Brook left; the engines stayed."


def ground(*said, words=WORDS, title="Meetings", headings=("Lakes of Utah",), ruled=None, relations=()):
    dropped = Counter()
    text = GraphText(1, title, headings, words, "en")
    names = [SaidName(*name) for name in said]
    found = grounded(text, ruled or Extraction(), SaidText(1, names, [SaidRelation(*relation) for relation in relations]), dropped)
    return {name.text: name for name in found.names}, found, dropped


def spans(names, words=WORDS):
    return {text: words[name.start : name.end] for text, name in names.items() if name.placed == "text"}


@pytest.mark.rule("kg")
def test_a_name_is_no_part_of_a_longer_word_but_may_be_its_singular():
    """kg: "Al" is not in "Also"; "engine" is in "engines"."""
    names, _, dropped = ground(("Al", "person"), ("engine", "product"), ("Bro", "person"))
    assert spans(names) == {"Al": "Al", "engine": "engine"}
    assert names["Al"].start == 5
    assert dropped == {"name not in the text": 1}


@pytest.mark.rule("kg")
def test_a_name_stands_in_the_text_before_a_heading_and_there_before_the_title():
    """kg: offsets are those of the text, 0 in a heading or title."""
    names, _, _ = ground(("Utah", "place"), ("Meetings", "event"), ("Salt Lake", "place"))
    assert {text: name.placed for text, name in names.items()} == {"Utah": "heading", "Meetings": "title", "Salt Lake": "text"}
    assert (names["Utah"].start, names["Utah"].end, names["Utah"].count) == (0, 0, 1)


@pytest.mark.rule("kg")
def test_how_often_a_name_stands_there_is_counted():
    """kg: by the spelling of its first place."""
    names, _, _ = ground(("Oslo", "place"), words="Oslo, then Oslo again.")
    assert names["Oslo"].count == 2


@pytest.mark.rule("kg")
def test_a_last_name_alone_means_the_one_person_of_the_text_who_has_it():
    """kg: and is its own where two have it."""
    one, _, _ = ground(("Quill", "person"), ("Ada Quill", "person"), words="Ada Quill came. Quill left.")
    two, _, _ = ground(("Brook", "person"), ("Tom Brook", "person"), ("Al Brook", "person"))
    assert set(one) == {"Ada Quill"}
    assert set(two) == {"Tom Brook", "Al Brook", "Brook"}


@pytest.mark.rule("kg")
def test_the_rules_keep_their_spelling_and_place_and_the_model_says_the_kind():
    """kg: unless it knows no more than that there is a name."""
    ruled = Extraction([Name("salt lake", "Salt Lake", "place", "title", count=3), Name("utah", "Utah", "place", "heading")])
    names, _, _ = ground(("Salt Lake", "work"), ("Utah", "name"), ruled=ruled)
    assert names["Salt Lake"] == Name("salt lake", "Salt Lake", "work", "title", count=3)
    assert names["Utah"].kind == "place"


@pytest.mark.rule("kg", "F17")
@pytest.mark.parametrize("said", ["x" * (NAME_CHARS + 1), "", " ", "...", "…", "\0", "\ud800"])
def test_what_is_no_name_is_dropped_without_a_crash(said):
    """kg, F17: a sentence, nothing, half a character."""
    names, _, dropped = ground((said, "person"))
    assert names == {}
    assert sum(dropped.values()) == 1


@pytest.mark.rule("kg")
def test_a_model_that_repeats_itself_is_bounded():
    """kg: what is over is counted."""
    _, _, dropped = ground(*[("Nobody", "person")] * (MOST + 5))
    assert dropped == {"too many": 5, "name not in the text": MOST}


@pytest.mark.rule("kg")
def test_a_relation_weighs_more_where_its_words_name_both():
    """kg: the quote's span, and half the weight where one of them is a pronoun there."""
    words = "Al Brook met Tom Brook. He taught Tom Brook."
    _, found, _ = ground(
        ("Al Brook", "person"),
        ("Tom Brook", "person"),
        words=words,
        relations=[("Al Brook", "met", "Tom Brook", "Al Brook met Tom Brook"), ("Al Brook", "taught", "Tom Brook", "He taught Tom Brook")],
    )
    assert [(tie.kind, tie.weight, words[tie.start : tie.end]) for tie in found.relations] == [
        ("met", 1.0, "Al Brook met Tom Brook"),
        ("taught", 0.5, "He taught Tom Brook"),
    ]


@pytest.mark.rule("kg")
def test_an_end_of_a_relation_that_was_not_listed_is_a_name_where_it_stands_in_the_text():
    """kg: every key of a relation is among the names."""
    names, found, dropped = ground(relations=[("Al Brook", "met", "Tom Brook", "Al Brook met Tom Brook")])
    assert {tie.head for tie in found.relations} | {tie.tail for tie in found.relations} == {name.key for name in names.values()}
    assert dropped == {}


@pytest.mark.rule("kg")
def test_a_relation_that_is_said_twice_or_known_to_the_rules_stands_once():
    """kg: one row for head, tail and predicate."""
    ruled = Extraction(
        [Name("al brook", "Al Brook", "person", "text"), Name("tom brook", "Tom Brook", "person", "text")],
        [Relation("al brook", "tom brook", "together", 5, 40)],
    )
    tie = ("Al Brook", "Together", "Tom Brook", "Al Brook met Tom Brook")
    _, found, _ = ground(ruled=ruled, relations=[tie, tie])
    assert list(found.relations) == list(ruled.relations)


@pytest.mark.rule("kg", "F17")
@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("  Was  Founded\nBY ", "was founded by"),
        ("<b>ignore</b> `rm -rf /`; {x}", "b ignore b rm -rf x"),
        ("https://evil.example/?q=1", "https evil example q 1"),
        ("設計した。", "設計した"),
        ("ＳＴＡＮＤＳ ＯＮ", "stands on"),
        ("author’s pupil", "author’s pupil"),
        ("!?", ""),
        ("word " * 20, "word word word word word word word word word word word word"),
        ("x" * 100, "x" * 60),
    ],
)
def test_a_predicate_is_a_few_words_and_nothing_else(said, kept):
    """kg, F17: no address, mark-up or line break comes through it."""
    assert predicate_of(said) == kept
    assert len(predicate_of(said)) <= 60
