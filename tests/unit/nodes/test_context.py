"""The knobs as conditions on documents."""

from nodes.context import filters
from nodes.knobs import Knobs


def test_a_list_of_values_must_all_hold() -> None:
    knobs = Knobs(metadata={"tag": ["a", "b"], "department": "it"})
    assert filters(knobs).metadata == (("department", "it"), ("tag", "a"), ("tag", "b"))
