"""An error ends a turn as what it is."""

import pytest
from langgraph.errors import NodeError
from langgraph.types import Overwrite
from turns import passage, turn

from nodes.failure import fail
from retrievers.errors import DatabaseUnavailable, InvalidArgument


def test_an_error_of_ours_becomes_a_failed_turn_with_its_words():
    update = fail(turn(), NodeError("retrieve", DatabaseUnavailable("the database is down: start it")))
    assert (update["status"], update["reason"]) == ("failed", "the database is down: start it")
    assert update["answer"] == "This could not be answered because of an error: the database is down: start it"
    assert (update["trail"][0]["step"], update["trail"][0]["data"]) == ("retrieve", {"error": "DatabaseUnavailable"})


def test_the_answer_is_in_the_questions_language():
    update = fail(turn("鍵はどこですか？"), NodeError("retrieve", DatabaseUnavailable("down")))
    assert update["answer"] == "エラーのためお答えできませんでした: down"


@pytest.mark.rule("F31")
def test_an_error_in_the_gate_resets_the_last_turn():
    """F31: nothing of the last turn stays beside the error."""
    update = fail(turn(kept=[passage()], answer="old"), NodeError("gate", InvalidArgument("there is no question")))
    assert (update["kept"], update["status"]) == ([], "failed")
    assert isinstance(update["trail"], Overwrite)


def test_a_bug_goes_on_up():
    with pytest.raises(ZeroDivisionError):
        fail(turn(), NodeError("grade", ZeroDivisionError()))
