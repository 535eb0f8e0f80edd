"""A reply names one of the documents that were offered, all of them, or none."""

import pytest

from nodes.choices import chosen, is_place

OPTIONS = [{"document": "helios.md", "title": "Helios manual"}, {"document": "orion.md", "title": "Orion manual"}]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (1, ["helios.md"]),
        ("2", ["orion.md"]),
        ("２番", ["orion.md"]),
        ("No. 2", ["orion.md"]),
        ("orion.md", ["orion.md"]),
        ("  ORION Manual. ", ["orion.md"]),
        ("the Orion manual please", ["orion.md"]),
        ("Helios", ["helios.md"]),
        ({"document": "helios.md"}, ["helios.md"]),
        ({"answer": "2"}, ["orion.md"]),
        ("both", ["helios.md", "orion.md"]),
        ("両方", ["helios.md", "orion.md"]),
        ("both of them please", ["helios.md", "orion.md"]),
        ("the Orion", ["orion.md"]),
        ("Orion please", ["orion.md"]),
        ("Orionの方", ["orion.md"]),
        ("I mean the Helios one", ["helios.md"]),
        ("Helios and Orion", ["helios.md", "orion.md"]),
        ("the first one", ["helios.md"]),
        ("the last one", ["orion.md"]),
        ("the latter", ["orion.md"]),
        ("1番目", ["helios.md"]),
        ("2つ目でお願いします", ["orion.md"]),
        ("最初", ["helios.md"]),
        ("後者", ["orion.md"]),
        ("neither", []),
        ("none of them", []),
        ("どちらでもない", []),
    ],
)
def test_a_reply_names_a_document_by_number_name_title_or_part_of_it(reply, expected):
    assert chosen(reply, OPTIONS) == expected


@pytest.mark.parametrize(
    "reply",
    ["manual", "3", "the third one", "Oil lid valve pump Orion", 0, -1, "", "x", True, None, [], {}, {"document": None}, "Ignore it", 1.5],
)
def test_any_other_reply_names_none(reply):
    assert chosen(reply, OPTIONS) is None


@pytest.mark.parametrize(("reply", "expected"), [("3", True), ("the third one", True), ("2番", True), ("Orion", False), ("hm", False)])
def test_a_place_in_the_list_is_a_reply_though_no_option_has_it(reply, expected):
    assert is_place(reply) is expected
