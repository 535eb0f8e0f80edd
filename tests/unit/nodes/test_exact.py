"""Exact terms and names are noticed beside Japanese too."""

import pytest

from nodes.exact import exact_terms, is_specific


def test_a_code_ends_where_japanese_begins():
    assert exact_terms("XR-4200のトルクとmax_connectionsの値は？") == ["XR-4200", "max_connections"]


@pytest.mark.rule("adaptive")
@pytest.mark.parametrize(
    "question", ["Why did it fail in 2019?", "How does Kyoto cope?", "PostgreSQLはなぜ速い？", "What is `make`?", "なぜ3回失敗する？"]
)
def test_a_number_or_a_name_makes_a_question_specific(question):
    """adaptive: its own words find it."""
    assert is_specific(question)


@pytest.mark.parametrize("question", ["Why does it rattle?", "How are backups made?", "なぜ音がするの？"])
def test_a_question_in_common_words_is_not(question):
    assert not is_specific(question)
