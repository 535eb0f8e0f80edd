"""Two sources that say the same with other numbers disagree; two that say other things do not."""

import pytest
from turns import passage

from nodes.disagreement import disagreement

QUESTION = "How long are backups kept?"


def found(*texts: str, question: str = QUESTION):
    return disagreement(question, [passage(f"p{n}", text, document=f"{n}.md", heading_path=[]) for n, text in enumerate(texts)])


@pytest.mark.rule("S9")
@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        (QUESTION, "Backups are kept for 35 days.", "Backups are kept for 14 days."),
        ("バックアップの保管期間は？", "バックアップの保管期間は35日です。", "バックアップの保管期間は14日です。"),
        ("备份保留多久？", "备份保留35天。", "备份保留14天。"),
    ],
)
def test_other_numbers_for_the_same_are_a_disagreement(question, one, other):
    """S9: named with their sources."""
    told = found(one, other, question=question)
    assert told is not None
    assert told["reason"] == "two sources give different numbers (0.md: 35; 1.md: 14)"


@pytest.mark.parametrize(
    "other",
    [
        "Backups are kept for 35 days.",
        "Kept backups start at 02:30 in the morning, and the operator on duty looks at the report of the run.",
        "Backups are kept for a long time.",
        "The tea room opens at 9.",
    ],
    ids=["the same", "another statement", "no number", "another subject"],
)
def test_what_is_no_other_number_for_the_same_is_none(other):
    assert found("Backups are kept for 35 days.", other) is None


def test_one_source_does_not_disagree_with_itself():
    both = [passage(f"p{n}", f"Backups are kept for {n} days.") for n in (35, 14)]
    assert disagreement(QUESTION, both) is None
