"""What a person reads of the knowledge graph: an entity and what is near it, what was built, what was decided."""

import pytest
from neighbours import evidence, neighbour, neighbourhood

from graphs import render_graph


@pytest.mark.rule("kg")
def test_a_neighbourhood_reads_as_sentences_with_their_documents() -> None:
    """kg: the entity with its spellings, each neighbour with the sentence that says so and where it stands."""
    found = neighbourhood(
        neighbour("Gull Point", "place", evidence("together", "Moonlight runs at Gull Point.", document="a.md", title="Sites"), passages=2),
        neighbour("Ines Calder", "person", evidence("leads", "Ines Calder leads Moonlight.", forward=False)),
        neighbour("QX-77", "code"),
        names=("Moonlight", "ムーンライト"),
    )
    assert render_graph.neighbourhood(found) == (
        "Moonlight (also ムーンライト) · product · 4 passages\n\n"
        "Gull Point · place · in 2 passages with it\n"
        "  in one sentence: “Moonlight runs at Gull Point.” (Sites, a.md)\n\n"
        "Ines Calder · person · in 1 passage with it\n"
        "  ← leads: “Ines Calder leads Moonlight.” (Notes, notes.md)\n\n"
        "QX-77 · code · in 1 passage with it"
    )


@pytest.mark.parametrize(
    ("kind", "forward", "said"),
    [
        ("together", True, "in one sentence"),
        ("about", True, "in its text"),
        ("about", False, "in the text titled so"),
        ("leads", True, "leads →"),
        ("leads", False, "← leads"),
    ],
)
def test_an_arrow_says_which_way_a_predicate_goes(kind: str, forward: bool, said: str) -> None:
    assert render_graph.how(evidence(kind, "x", forward=forward)) == said


def test_an_entity_that_stands_alone_says_so() -> None:
    assert render_graph.neighbourhood(neighbourhood(passages=1)) == "Moonlight · product · 1 passage\n\nnothing else is named near it"


def test_names_and_sentences_from_documents_cannot_drive_the_terminal() -> None:
    bad = neighbour("Gull\x1b[2J Point\u202e", "place", evidence("to\x1bgether", "It \x9b31m runs\nthere.", title="A\x1b]0;b"))
    shown = render_graph.neighbourhood(neighbourhood(bad, names=("Moon\x1blight",)))
    assert not any(sign in shown for sign in "\x1b\x9b\u202e")
    assert "“It 31m runs there.”" in shown


def test_what_was_built_says_what_failed_and_why_it_stopped() -> None:
    report = {"extractor": "rules-1", "chunks": 40, "failed": 2, "names": 90, "relations": 30, "seconds": 1.23, "stopped": "out of calls"}
    sizes = {"entities": 1200, "mentions": 90, "relations": 30, "aliases": 1, "chunks": 40, "failed": 2}
    assert render_graph.built(report, sizes) == (
        "40 chunks read by rules-1 · 1.2 s\n"
        "2 of them could not be read in full: run it again with --retry-failed\n"
        "stopped: out of calls\n"
        "1,200 entities · 90 mentions · 30 relations · 1 alias, from 40 chunks"
    )


def test_nothing_to_read_is_told_apart_from_nothing_found() -> None:
    report = {"extractor": "rules-1", "chunks": 0, "failed": 0, "names": 0, "relations": 0, "seconds": 0.0}
    sizes = {"entities": 3, "mentions": 4, "relations": 0, "aliases": 0, "chunks": 2, "failed": 0}
    assert render_graph.built(report, sizes).startswith("nothing to read: rules-1 has read every chunk\n3 entities")


def test_a_decision_that_changes_nothing_says_so() -> None:
    assert render_graph.decided({"keys": ("a", "b"), "same": True, "changed": True}, ("A", "B")) == "A and B are one entity"
    assert render_graph.decided({"keys": ("a", "b"), "same": False, "changed": False}, ("A", "B")) == "A and B are two entities, as before"


def test_characters_without_a_font_are_named() -> None:
    assert render_graph.drawn({"path": "a.svg", "without_glyph": ""}) == "drawn: a.svg"
    assert "no font here has 한글: install one" in render_graph.drawn({"path": "a.svg", "without_glyph": "한글"})
