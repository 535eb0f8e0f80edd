"""A question is ambiguous where several documents answer it alike and differently, and only there."""

import pytest
from turns import passage, turn

from nodes.ambiguity import competing, just_below

QUESTION = "What torque do the head bolts need?"


def manual(name: str, text: str, *, absolute: float = 0.9, **fields):
    given = {"document": f"{name.lower()}.md", "title": f"{name} manual", "heading_path": ["Torque"], **fields}
    return passage(name, text, absolute=absolute, **given)


TEA = manual("Helios", "The head bolts need a torque of 12 Nm.")
SUN = manual("Orion", "The head bolts need a torque of 15 Nm.", absolute=0.88)


def documents(question, *passages) -> list[str]:
    return [found["document"] for found in competing(question, passages)]


def test_two_manuals_with_the_same_heading_and_other_values_compete():
    assert documents(QUESTION, SUN, TEA) == ["helios.md", "orion.md"]


def test_it_is_seen_in_japanese_too():
    one = manual("Helios", "ヘッドボルトの締め付けトルクは12Nmです。", heading_path=["トルク"])
    two = manual("Orion", "ヘッドボルトの締め付けトルクは15Nmです。", heading_path=["トルク"])
    assert documents("ヘッドボルトの締め付けトルクは？", one, two) == ["helios.md", "orion.md"]


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("What torque do the head bolts of the Orion need?", SUN),
        (QUESTION, {**SUN, "text": TEA["text"]}),
        (QUESTION, {**SUN, "document": "helios.md"}),
        (QUESTION, {**SUN, "absolute": 0.7}),
        (QUESTION, {**SUN, "absolute": None}),
        (QUESTION, {**SUN, "origin": "web"}),
        (
            QUESTION,
            {
                **SUN,
                "heading_path": ["Oil"],
                "text": "Oil the head bolts before you set the torque wrench that they need to the value shown.",
            },
        ),
        (QUESTION, {**SUN, "text": "The lid is blue."}),
    ],
    ids=["it names one", "they agree", "one document", "far off", "no score", "a web page", "another statement", "another subject"],
)
def test_what_the_question_or_the_documents_tell_apart_is_clear(question, other):
    assert documents(question, TEA, other) == []


def test_no_passages_are_clear():
    assert competing(QUESTION, []) == []


def test_what_falls_just_short_beside_a_twin_can_be_asked_about():
    """Under the same heading, in another document, unless a model judged it or it is further off."""
    near, far = {**SUN, "absolute": 0.59}, manual("Vega", "The head bolts need a torque of 18 Nm.", absolute=0.5)
    elsewhere = manual("Lyra", "The head bolts need a torque of 20 Nm.", absolute=0.59, heading_path=["Oil"])
    state = turn(QUESTION, kept=[{**TEA, "absolute": 0.61}], passages=[{**TEA, "absolute": 0.61}, near, far, elsewhere])
    assert [passage["document"] for passage in just_below(state)] == ["orion.md"]
    assert just_below(turn(QUESTION, kept=state.kept, passages=[near], judged=[{"id": near["id"], "relevant": False, "reason": ""}])) == []
