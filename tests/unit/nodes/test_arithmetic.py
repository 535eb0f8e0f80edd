"""Sums are recognised and computed exactly, and nothing else is taken for one."""

import pytest

from nodes.arithmetic import compute, expression_of


@pytest.mark.rule("gate")
@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is 12*7?", "84"),
        ("12×7は？", "84"),
        ("１２×７は？", "84"),
        ("12 x 7", "84"),
        ("calculate (3+4)*2", "14"),
        ("100 ÷ 8 は？", "12.5"),
        ("2 plus 2", "4"),
        ("３足す４は？", "7"),
        ("3かける4はいくつですか？", "12"),
        ("12*7を計算してください", "84"),
        ("15% of 80", "12"),
        ("80の15%は？", "12"),
        ("0.1+0.2", "0.3"),
        ("1/3は？", "0.333333333333"),
        ("1,000 * 3", "3000"),
        ("-5+3", "-2"),
        ("2^10", "1024"),
        ("7-3=?", "4"),
    ],
)
def test_a_sum_is_computed_exactly(question, value):
    """gate: arithmetic in English and Japanese, full width too."""
    assert compute(expression_of(question)) == value


@pytest.mark.parametrize(
    "question",
    [
        "2026-11-30",
        "03-1234-5678",
        "24/7",
        "9-5",
        "XR-4200",
        "what is 2026?",
        "12Nm",
        "what is 5 + tea",
        "what is 12 * 7 and why",
        "__import__('os').system('true')",
        "1+",
        "",
        "1" * 300 + "+1",
    ],
)
def test_what_is_no_sum_is_none(question):
    expression = expression_of(question)
    assert expression is None or compute(expression) is None


@pytest.mark.parametrize("expression", ["2**1000", "9**9**9", "10**64 ** 2", "1" + "0" * 60 + " ** 9"])
def test_a_sum_out_of_bounds_is_told_apart_and_not_computed(expression):
    with pytest.raises(OverflowError):
        compute(expression)


@pytest.mark.parametrize("expression", ["((1+1)", "192.168.1.1 - 2", "2**0.5"])
def test_what_only_looks_like_a_sum_is_none(expression):
    assert compute(expression) is None


def test_a_division_by_zero_is_told_apart():
    with pytest.raises(ZeroDivisionError):
        compute(expression_of("what is 10/0?"))
