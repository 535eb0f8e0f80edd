"""Every route of the graph, and its budgets."""

import itertools
from typing import get_args

import pytest
from turns import passage, turn

from graphs import edges
from nodes.knobs import Knobs

ENOUGH = {"sufficient": True, "confidence": 0.9, "missing": ""}
TOO_LITTLE = {"sufficient": False, "confidence": 0.9, "missing": "the price"}


@pytest.mark.rule("T5", "adaptive")
def test_a_skipped_turn_is_neither_graded_nor_cited():
    """T5, adaptive: straight to the end."""
    assert edges.after_gate(turn(retrieve=False)) == "generate"
    assert edges.after_generate(turn(retrieve=False)) == "__end__"
    assert edges.after_gate(turn()) == "route"
    assert edges.after_generate(turn()) == "cite"


@pytest.mark.rule("adaptive", "kg")
@pytest.mark.parametrize(
    ("route", "goes"),
    [
        ("hybrid", "retrieve"),
        ("hyde", "hyde"),
        ("decompose", "decompose"),
        ("web", "web_search"),
        ("knowledge_graph", "knowledge_graph"),
    ],
)
def test_each_route_leads_to_its_step(route, goes):
    """adaptive, kg: the graph's search holds the documents' own."""
    assert edges.after_route(turn(route=route)) == goes


@pytest.mark.rule("kg")
def test_where_the_graph_could_not_be_searched_the_documents_are():
    """kg: nothing is lost by choosing it."""
    assert edges.after_graph(turn(route="knowledge_graph")) == "retrieve"
    assert edges.after_graph(turn(route="knowledge_graph", found=[{"place": 0}])) == "fuse"


@pytest.mark.rule("kg")
def test_a_further_query_walks_the_graph_again():
    """kg: what was missing may be the next step."""
    assert edges.after_rewrite(turn(route="knowledge_graph", rewrites=1), Knobs()) == "knowledge_graph"
    assert edges.after_sufficiency(turn(route="knowledge_graph", refetch=True, sufficiency=TOO_LITTLE), Knobs()) == "knowledge_graph"


@pytest.mark.rule("q-decompose")
def test_the_whole_question_and_its_parts_are_searched_side_by_side():
    """q-decompose: one search each, numbered."""
    sends = edges.after_decompose(turn("Compare A and B.", sub_questions=["What is A?", "What is B?"]))
    assert [(send.node, send.arg["place"], send.arg["query"]) for send in sends] == [
        ("retrieve", 0, "Compare A and B."),
        ("retrieve", 1, "What is A?"),
        ("retrieve", 2, "What is B?"),
    ]
    assert edges.after_decompose(turn()) == "retrieve"


@pytest.mark.rule("q-hyde", "hyde-per-concept")
def test_a_passage_for_each_part_is_searched_with_beside_its_part():
    """q-hyde, hyde-per-concept: side by side, the whole question too; passages without parts go with the query."""
    state = turn("Compare A and B.", sub_questions=["What is A?", "What is B?"], hypothetical=["A is.", "B is."])
    assert [(send.node, send.arg["place"], send.arg["query"], send.arg["hypothetical"]) for send in edges.after_hyde(state)] == [
        ("retrieve", 0, "Compare A and B.", []),
        ("retrieve", 1, "What is A?", ["A is."]),
        ("retrieve", 2, "What is B?", ["B is."]),
    ]
    assert edges.after_hyde(turn(hypothetical=["It is."])) == "retrieve"
    assert edges.after_hyde(turn(sub_questions=["What is A?", "What is B?"])) == "retrieve"


@pytest.mark.rule("q-hyde")
def test_only_the_last_rewrite_is_searched_with_imagined_passages():
    """q-hyde: when simpler ways have failed, where a model was at work and the caller allows it."""
    used = {"calls": 3, "input_tokens": 0, "output_tokens": 0, "cost_usd": None}
    assert edges.after_rewrite(turn(rewrites=1, usage=used), Knobs()) == "retrieve"
    assert edges.after_rewrite(turn(rewrites=2, usage=used), Knobs()) == "hyde"
    assert edges.after_rewrite(turn(rewrites=2), Knobs()) == "retrieve"
    assert edges.after_rewrite(turn(rewrites=2, usage=used), Knobs(hyde=False)) == "retrieve"


@pytest.mark.rule("T2", "self-rag")
@pytest.mark.parametrize("others", range(5))
def test_one_kept_passage_that_suffices_is_enough_whatever_was_dropped(others):
    """T2, self-rag: the share of dropped passages never overrides a passed sufficiency check."""
    passages = [passage(str(number)) for number in range(others + 1)]
    state = turn(passages=passages, kept=passages[:1])
    assert edges.after_grade(state, Knobs()) == "sufficiency"
    state.sufficiency = ENOUGH
    assert edges.after_sufficiency(state, Knobs()) == "generate"
    assert edges.after_sufficiency(state, Knobs(clarify=True)) == "clarify"


@pytest.mark.rule("core-context")
def test_what_does_not_suffice_is_fetched_deeper_once_then_looked_for_elsewhere():
    """core-context: the refetch first, then the rewrite, the web, the end."""
    state = turn(kept=[passage()], tried=["q"], sufficiency=TOO_LITTLE, refetch=True)
    assert edges.after_sufficiency(state, Knobs()) == "retrieve"
    state.refetch = False
    assert edges.after_sufficiency(state, Knobs()) == "rewrite"
    state.rewrites = 2
    assert edges.after_sufficiency(state, Knobs()) == "web_search"
    state.web_tries = 1
    assert edges.after_sufficiency(state, Knobs()) == "generate"


@pytest.mark.rule("T2")
@pytest.mark.parametrize("count", [0, 1, 5])
def test_nothing_kept_is_never_answered_at_once(count):
    """T2: 0 of 0 and 0 of 1 do not go straight to generate."""
    state = turn(passages=[passage(str(number)) for number in range(count)], tried=["q"])
    assert edges.after_grade(state, Knobs()) == "rewrite"


@pytest.mark.rule("T4", "crag", "F1")
@pytest.mark.parametrize(
    ("state", "goes"),
    [
        ({}, "rewrite"),
        ({"rewrites": 1}, "rewrite"),
        ({"rewrites": 2}, "web_search"),
        ({"rewrites": 1, "rewrite_ended": True}, "web_search"),
        ({"rewrites": 2, "web_tries": 1}, "generate"),
        ({"rewrites": 0, "web_tries": 1}, "generate"),
    ],
)
def test_two_rewrites_one_web_try_then_the_end(state, goes):
    """T4, crag, F1: counted in the state."""
    assert edges.next_search(turn(tried=["q"], **state)) == goes


@pytest.mark.rule("T32")
def test_a_web_search_that_came_first_leads_back_to_the_documents():
    """T32: there is a way back from the web."""
    assert edges.after_grade(turn(route="web", web_tries=1), Knobs()) == "retrieve"
    assert edges.after_grade(turn(route="web", web_tries=1, tried=["q"]), Knobs()) == "generate"


def test_an_ended_rewrite_goes_on_to_the_web_and_then_to_the_end():
    assert edges.after_rewrite(turn(), Knobs()) == "retrieve"
    assert edges.after_rewrite(turn(rewrite_ended=True), Knobs()) == "web_search"
    assert edges.after_rewrite(turn(rewrite_ended=True, web_tries=1), Knobs()) == "generate"


def test_the_callers_knobs_lower_the_budgets():
    assert edges.after_grade(turn(tried=["q"]), Knobs(max_rewrites=0)) == "web_search"
    assert edges.after_grade(turn(tried=["q"], rewrites=2), Knobs(web=False)) == "generate"
    assert edges.after_rewrite(turn(rewrite_ended=True), Knobs(web=False)) == "generate"


@pytest.mark.rule("F16")
def test_a_question_back_ends_a_turn_that_cannot_wait():
    """F16: what only the user can say is not guessed."""
    assert edges.after_clarify(turn(status="needs_input")) == "__end__"
    assert edges.after_clarify(turn()) == "generate"


@pytest.mark.rule("limit", "F1")
def test_every_state_has_a_next_step_and_every_walk_ends():
    """limit, F1: from any state with nothing kept, the end is at most four decisions away."""
    for rewrites, ended, web, tried in itertools.product(range(4), (False, True), range(3), ([], ["q"])):
        state, steps = turn(rewrites=rewrites, rewrite_ended=ended, web_tries=web, tried=tried), 0
        while (goes := edges.next_search(state)) != "generate":
            assert goes in get_args(edges.NextSearch)
            if goes == "rewrite":
                state.rewrites += 1
                assert edges.after_rewrite(state, Knobs()) in get_args(edges.AfterRewrite)
            elif goes == "retrieve":
                state.tried = ["q"]
            else:
                state.web_tries += 1
            steps += 1
        assert steps <= 4
