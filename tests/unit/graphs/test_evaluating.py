"""How an evaluation looks to a person."""

from graphs.evaluating import shown

FIGURES = {"ndcg@10": 0.9, "queries": 2, "abstained": {"answerable": 0.5, "adversarial": None}}


def missed(number):
    return {"id": f"q{number}", "question": "What\nmoves water?", "cause": "threshold", "status": "no_evidence", "reason": "", "cited": []}


def test_missed_questions_and_failed_runs_stand_below_the_figures() -> None:
    text = shown({**FIGURES, "missed": [missed(1)], "failed": [{"id": "q2", "reason": "DatabaseUnavailable: it is down"}]})
    assert text == (
        "ndcg@10  0.9000\nqueries  2\nabstained\n  answerable  0.5000\n  adversarial  None\n\n"
        "1 not answered from their documents:\nthreshold: What moves water?  (q1)\n\n"
        "1 failed runs:\nq2: DatabaseUnavailable: it is down"
    )


def test_without_answers_there_are_only_figures() -> None:
    assert shown({"ndcg@10": 0.9}) == "ndcg@10  0.9000"


def test_a_long_list_is_cut_and_says_so() -> None:
    lines = shown({"missed": [missed(number) for number in range(25)], "failed": []}).splitlines()
    assert lines[-1] == "… and 5 more; --json has them all"
    assert "25 not answered from their documents:" in lines
