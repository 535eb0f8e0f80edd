"""What a collection's ranking may say."""

import pytest

from retrievers.ranking import Ranking


@pytest.mark.rule("per-corpus")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"derived": 0}, "derived is 0: it must be above 0 and at most 1"),
        ({"derived": 1.5}, "derived is 1.5"),
        ({"half_life_days": 0}, "half_life_days is 0: it must be above 0"),
        ({"title": 0.5}, "title is 0.5: it must lie between 1 and 1000"),
        ({"near": -1}, "near is -1"),
        ({"fetch": 0}, "fetch is 0"),
        ({"lexical": float("nan")}, "lexical is nan"),
        ({"code": float("inf")}, "code is inf"),
    ],
)
def test_a_value_that_would_break_an_order_is_refused(given, said):
    """per-corpus: derived 0 would divide by zero, a factor under 1 would push the best passage down."""
    with pytest.raises(ValueError, match=said.replace("(", "\\(")):
        Ranking(**given)


def test_the_shipped_values_and_open_ones_are_fine():
    assert (Ranking().lexical, Ranking().half_life_days, Ranking(half_life_days=90, lexical=0).lexical) == (None, None, 0)
