"""The first query is the question itself."""

import pytest
from turns import runtime, turn

from nodes.route import route


@pytest.mark.rule("adaptive", "T30")
async def test_the_stand_alone_question_is_the_first_query():
    """adaptive, T30: the user's words, by heuristics alone."""
    update = await route(turn("Where is it?", standalone="Where is the key?"), runtime(), chat=None, graph=False, web=False)
    assert (update["route"], update["query"]) == ("hybrid", "Where is the key?")


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("What torque does XR-4200 need?", ["XR-4200"]),
        ('Where is "blue kettle" named?', ['"blue kettle"']),
        ("What does max_connections do?", ["max_connections"]),
        ("「星守」とは？", ["「星守」"]),
        ("How are backups made?", []),
    ],
)
async def test_exact_terms_are_noticed(question, terms):
    update = await route(turn(question), runtime(), chat=None, graph=False, web=False)
    assert update["trail"][0]["data"]["exact_terms"] == terms
