"""What is asked of a thing that the question describes, and whether any passage speaks of it."""

import pytest
from turns import passage, runtime, turn

from nodes.attributes import unmentioned_attribute
from nodes.generate import generate
from retrievers.providers.fakes import HashEmbedder

LODGE = passage(text="The crew works out of Wren Lodge. The caretaker keeps the keys.", title="Project Heron")
SAKURA = passage(text="サクラ計画は河川の水質を調べる計画です。責任者は森下です。", title="サクラ計画")


@pytest.mark.rule("kg", "no-answer")
@pytest.mark.parametrize(
    ("question", "found", "what"),
    [
        ("What is the telephone number of the caretaker of the lodge where the crew works?", LODGE, "telephone number"),
        ("What is the annual turnover of the firm that lent the winch?", LODGE, "annual turnover"),
        ("サクラ計画の責任者の出身地はどこですか。", SAKURA, "出身地"),
        ("サクラ計画の責任者の電話番号は何番ですか。", SAKURA, "電話番号"),
    ],
)
def test_what_no_passage_speaks_of_is_named(question, found, what):
    """kg, no-answer: the first step is there, the answer is not."""
    assert unmentioned_attribute(question, [found]) == what


@pytest.mark.rule("kg", "no-answer")
@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What is the name of the lodge where the crew works?", LODGE),
        ("What are the keys of the caretaker of Wren Lodge for?", LODGE),
        ("Where does the crew work?", LODGE),
        ("サクラ計画の責任者は誰ですか。", SAKURA),
        ("サクラ計画の調査地の名称は何ですか。", SAKURA),
        ("", LODGE),
    ],
)
def test_what_a_passage_may_answer_is_not(question, found):
    """kg, no-answer: a kind of thing is seldom called by its name."""
    assert unmentioned_attribute(question, [found]) is None


@pytest.mark.rule("kg", "no-answer")
async def test_a_first_step_alone_is_an_answer_in_part():
    """kg, no-answer: what the passages never speak of is said to be open."""
    state = turn("What is the annual turnover of the firm that lent the winch?", route="knowledge_graph", kept=[LODGE])
    update = await generate(state, runtime(), chat=None, embedder=HashEmbedder())
    assert update["unanswered"] == ["annual turnover"]
