"""A part of a question is told in the words that the user wrote."""

import pytest

from nodes.parts import as_asked


@pytest.mark.parametrize(
    ("parts", "question", "expected"),
    [
        (["Yamamoto Who is responsible", "Tanaka Who is responsible"], "Who is responsible, Yamamoto or Tanaka?", "Yamamoto"),
        (["torque of A100", "torque of B200"], "Compare the torque of A100 and B200", "torque of A100"),
        (["torque of B200", "torque of A100"], "Compare the torque of A100 and B200", "B200"),
        (["事務所の費用", "倉庫の費用"], "倉庫と事務所の費用の違いは？", "事務所の費用"),
        (["倉庫の費用", "事務所の費用"], "倉庫と事務所の費用の違いは？", "倉庫"),
        (["What is the torque of the A100?", "And of the B200?"], "Compare them", "What is the torque of the A100?"),
        (["older bolts price", "bolts price"], "What do bolts cost?", ""),
    ],
)
def test_a_part_is_shown_as_it_was_asked_or_not_at_all(parts, question, expected):
    assert as_asked(parts[0], parts, question) == expected
