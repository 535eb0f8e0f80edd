"""Which words of a query are read: the rarest first, as many as the budget allows, and never none."""

import pytest

from retrievers.store.common_words import _affordable


@pytest.mark.rule("lexical-query")
@pytest.mark.parametrize(
    ("counts", "read"),
    [
        ([], 0),
        ([5], 1),
        ([5_000], 1),
        ([400, 500, 101], 2),
        ([400, 500, 100], 3),
        ([2_000, 3_000], 1),
        ([3, 5_000, 6_000], 2),
        ([10, 5_000, 6_000], 1),
        ([3, 4, 5_000, 6_000], 3),
    ],
)
def test_the_rarest_words_are_read_within_the_budget(counts: list[int], read: int) -> None:
    """lexical-query: a budget of 1,000 postings, but at least ten candidates, and always one word."""
    assert _affordable(counts, least=10, postings=1_000) == read
