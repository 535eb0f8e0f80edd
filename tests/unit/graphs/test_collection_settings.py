"""Values of a ranking as they are typed."""

import pytest

from graphs.collection_settings import changed
from retrievers.errors import InvalidArgument
from retrievers.ranking import Ranking
from retrievers.types import Setting

SHIPPED = Setting("absolute", None, 0.9, Ranking())


@pytest.mark.rule("per-corpus", "pg-meta")
def test_each_value_is_set_on_its_own():
    """per-corpus, pg-meta: a half-life, a threshold, a fusion with its weights; an empty value is the shipped one."""
    made = changed(SHIPPED, ["half_life_days=90", "no_answer=0.88", "fusion=weighted:.3,.7", "fetch=150", "title=2", "title="], 0.9)
    assert made == Setting("weighted", (0.3, 0.7), 0.88, Ranking(half_life_days=90.0, fetch=150))


def test_an_empty_value_gives_back_what_is_shipped():
    changed_by_hand = Setting("weighted", (0.3, 0.7), 0.95, Ranking(half_life_days=90.0))
    assert changed(changed_by_hand, ["fusion=", "no_answer=", "half_life_days="], 0.888) == Setting("absolute", None, 0.888, Ranking())


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("half_life", "not KEY=VALUE with one of the keys fusion, no_answer, lexical"),
        ("answer=1", "not KEY=VALUE"),
        ("derived=0", "derived is 0.0: it must be above 0"),
        ("no_answer=high", "no_answer='high' is not a number"),
        ("no_answer=nan", "no_answer='nan' is not a number that can be compared"),
        ("fusion=best", "fusion 'best' is not known"),
    ],
)
def test_a_mistake_says_what_and_what_to_write(pair, said):
    with pytest.raises(InvalidArgument, match=said):
        changed(SHIPPED, [pair], 0.9)
