"""Yes and no are read the way models write them."""

import pytest

from nodes.verdicts import yes_or_no


@pytest.mark.rule("T3")
@pytest.mark.parametrize(
    "said",
    [True, "yes", "Yes", "yes.", '"yes"', "YES!", "はい", "はい。", "ｙｅｓ", "true", "True", 1, "Relevant", "Yes, it names the torque."],
)
def test_yes_is_yes(said):
    """T3: "Yes", "yes." and the Japanese yes are not dropped."""
    assert yes_or_no(said) is True


@pytest.mark.rule("T3")
@pytest.mark.parametrize(
    "said", [False, "no", "No.", "false", "False", "いいえ", "いいえ。", 0, "irrelevant", "not relevant", "No, it does not."]
)
def test_no_is_no(said):
    """T3: `bool("false")` is true, so it is never asked."""
    assert yes_or_no(said) is False


@pytest.mark.rule("T3")
@pytest.mark.parametrize("said", ["", "maybe", "yesterday", "No documents are needed", None, "0.5", [], {"a": 1}])
def test_anything_else_is_an_error_and_neither(said):
    """T3: what cannot be parsed is left to the declared policy."""
    with pytest.raises(ValueError, match="neither yes nor no"):
        yes_or_no(said)
