"""The extractor that needs no model."""

import pytest

from retrievers.entities import GraphText
from retrievers.providers.names_rules import RuleExtractor

pytestmark = pytest.mark.rule("kg")


async def test_each_text_has_its_extraction_in_order():
    """kg: entities without a model."""
    texts = [
        GraphText(1, "Brand (play)", (), "By Henrik Ibsen.", "en"),
        GraphText(2, "運用", (), "Moonlightの配備。", "ja"),
        GraphText(3, "", (), "", "und"),
    ]
    read = await RuleExtractor().extract(texts)
    assert [[name.key for name in one.names] for one in read] == [["brand", "henrik ibsen"], ["運用", "moonlight"], []]
    assert [one.failed for one in read] == [None, None, None]


def test_its_name_has_a_version():
    assert RuleExtractor().name == "rules-1"
