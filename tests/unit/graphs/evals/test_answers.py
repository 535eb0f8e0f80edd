"""What an evaluation says of the answers."""

import pytest

from graphs.evals.answers import Asked, cause_of, summarise_answers
from graphs.evals.cases import Case, Unanswerable
from graphs.evals.report import Hit, Outcome

CASE = Case("q1", "What moves water?", {"pump": 1})
FOUND = Outcome(["pump", "valve"], 0.9, {}, [Hit("p1", "pump", 0.9), Hit("p2", "pump", 0.5), Hit("v1", "valve", 0.8)], 0.6)
OUT = Unanswerable("u1", "Who wrote the opera?", "out_of_corpus")
NEAR = Unanswerable("u2", "What moves sand?", "adversarial")


def answered(*cited, kept=None, **fields):
    return Asked("answered", "", frozenset(cited), {"p1": True} if kept is None else kept, **fields)


def abstained(kept=None, **fields):
    return Asked("no_evidence", "nothing", frozenset(), kept or {}, **fields)


def report(*runs, others=()):
    return summarise_answers([(CASE, FOUND, asked) for asked in runs], list(others))


@pytest.mark.rule("golden", "F19")
def test_rates_are_shares_of_all_questions_of_their_kind():
    """golden, F19: answered, answered from the right document, and refused, each beside the number asked."""
    partial = Asked("partial", "", frozenset({"pump", "valve"}), {"p1": True})
    made = report(answered("pump"), answered("valve"), partial, abstained(), others=[(OUT, abstained()), (NEAR, answered("pump"))])
    assert (made["answered"], made["cited_gold"]) == (0.75, 0.5)
    assert made["abstained"] == {"answerable": 0.25, "out_of_corpus": 1.0, "adversarial": 0.0}
    assert made["asked"] == {"answerable": 4, "out_of_corpus": 1, "adversarial": 1}
    assert made["statuses"]["answerable"] == {"answered": 2, "partial": 1, "no_evidence": 1}


def test_a_kind_that_was_not_asked_has_no_rate():
    assert report(answered("pump"))["abstained"] == {"answerable": 0.0, "out_of_corpus": None, "adversarial": None}


def test_a_failed_run_is_named_and_is_neither_an_answer_nor_an_abstention():
    made = report(Asked("failed", "DatabaseUnavailable: it is down"), answered("pump"), others=[(OUT, Asked("failed", "the same"))])
    assert made["failed"] == [{"id": "q1", "reason": "DatabaseUnavailable: it is down"}, {"id": "u1", "reason": "the same"}]
    assert (made["answered"], made["cited_gold"], made["abstained"]["out_of_corpus"]) == (0.5, 0.5, 0.0)
    assert made["asked"] == {"answerable": 2, "out_of_corpus": 1}
    assert made["causes"] == {"failed": 1}


def test_calls_and_tokens_are_means_over_all_questions_and_over_answers():
    made = report(answered("pump", calls=2, tokens=900), abstained(calls=4, tokens=300), others=[(OUT, abstained())])
    assert (made["calls"], made["tokens"]) == (2.0, 400.0)
    assert made["per_answer"] == {"calls": 2.0, "tokens": 900.0}
    assert report(abstained())["per_answer"] == {"calls": None, "tokens": None}


def test_what_was_missed_is_listed_with_its_cause():
    made = report(answered("pump"), answered("valve"), abstained({"p1": False, "p2": False}))
    assert [(entry["id"], entry["cause"], entry["cited"]) for entry in made["missed"]] == [
        ("q1", "other_document", ["valve"]),
        ("q1", "judged", []),
    ]
    assert made["causes"] == {"judged": 1, "other_document": 1}


@pytest.mark.parametrize(
    ("asked", "cause"),
    [
        (Asked("failed", "down"), "failed"),
        (Asked("budget_exhausted", "time"), "ended"),
        (abstained({"v1": False}), "not_found"),
        (answered("valve", kept={"v1": True}), "not_found"),
        (abstained({"p2": False, "v1": False}), "threshold"),
        (abstained({"p1": False}), "judged"),
        (abstained({"p1": True}, dropped=True), "citing"),
        (abstained({"p1": True}, sufficient=False), "insufficient"),
        (abstained({"p1": True}), "drafting"),
        (answered("valve", kept={"p1": True, "v1": True}), "other_document"),
    ],
)
def test_a_miss_has_the_first_cause_that_applies(asked, cause):
    assert cause_of(CASE, FOUND, asked) == cause
