"""What an evaluation counts of a turn."""

from graphs.evals.asking import asked_of


def event(step, **data):
    return {"step": step, "kind": "check", "decision": "", "reason": "", "ms": 0.0, "data": data}


def turn(*trail, **fields):
    usage = {"calls": 2, "input_tokens": 900, "output_tokens": 50, "cost_usd": None}
    cited = [{"document": "pump"}, {"document": "pump"}]
    return {"status": "answered", "reason": "", "citations": cited, "trail": trail, "usage": usage, "timings_ms": {"total": 12.5}, **fields}


def verdict(id, relevant):
    return {"id": id, "relevant": relevant, "reason": ""}


def test_a_passage_that_any_round_kept_was_kept():
    rounds = (event("grade", grades=[verdict("p1", False), verdict("p2", True)]), event("grade", grades=[verdict("p1", True)]))
    asked = asked_of(turn(*rounds))
    assert (asked.kept, asked.cited, asked.calls, asked.tokens, asked.ms) == ({"p1": True, "p2": True}, {"pump"}, 2, 950, 12.5)


def test_the_last_verdict_on_sufficiency_counts():
    first, last = event("sufficiency", sufficient=False, missing="the year"), event("sufficiency", sufficient=True, missing="")
    assert asked_of(turn(first, last)).sufficient
    assert not asked_of(turn(last, first, event("sufficiency", values=[]))).sufficient
    assert asked_of(turn()).sufficient


def test_claims_that_were_dropped_are_noticed():
    assert asked_of(turn(event("cite", dropped=["“x”: no"]))).dropped
    assert not asked_of(turn(event("cite", dropped=[]))).dropped
