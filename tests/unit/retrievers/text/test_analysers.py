"""Analysers by name: what each adds, which one a collection gets, and that none is used before it has proved itself."""

import pytest

from retrievers.errors import ConfigurationError, MissingExtra, StorageError
from retrievers.ranking import Ranking
from retrievers.text import analysers, analysis, morphology
from retrievers.text.analysers import ANALYSERS, SUDACHI, Analyser, analyser, analyser_of, default_analyser, self_test
from retrievers.text.analysis import ANALYSER, analyse, query_words
from retrievers.types import Collection, EmbeddingSpec


@pytest.fixture(autouse=True)
def _forgetful():
    """Each test meets analysers that nobody has used yet, and that remember nothing."""
    analysis._sentence.cache_clear()
    yield
    analysis._sentence.cache_clear()
    analyser.cache_clear()
    default_analyser.cache_clear()


def collection(name: str) -> Collection:
    spec = EmbeddingSpec(model="m", dims=8, max_tokens=512, absolute_weight=1.0, no_answer=0.6)
    return Collection(1, 1, "papers", spec, 1, name, "absolute", None, 0.6, Ranking(), 0, 0)


def without_sudachi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysers, "find_spec", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "sudachipy", None)
    monkeypatch.setattr(morphology, "_local", type("Local", (), {})())
    morphology._dictionary.cache_clear()
    analyser.cache_clear()
    default_analyser.cache_clear()


@pytest.mark.rule("cjk")
@pytest.mark.parametrize("name", ANALYSERS)
def test_every_analyser_passes_its_self_test(name: str) -> None:
    """cjk: by name, the plain one and the one with Sudachi."""
    assert analyser(name).name == name
    self_test(analyser(name))


def test_the_names_are_those_that_collections_hold() -> None:
    assert ANALYSERS == ("tadori-2", "tadori-2+sudachi")


@pytest.mark.rule("cjk", "T22")
def test_no_analyser_is_handed_out_that_drops_japanese(monkeypatch: pytest.MonkeyPatch) -> None:
    """T22, cjk: one that finds no kana and Han is an error at its first use, not an empty result."""
    monkeypatch.setattr(analysis, "_pieces", lambda run: [])
    analyser.cache_clear()
    with pytest.raises(ConfigurationError, match="'tadori-2' does not find 'トルク'"):
        analyser(ANALYSER)


@pytest.mark.rule("F6")
def test_no_analyser_is_handed_out_that_matches_function_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """F6: so is one that takes "what is it" for content."""
    monkeypatch.setattr(analysis, "is_function_word", lambda word: False)
    analyser.cache_clear()
    with pytest.raises(ConfigurationError, match="matches"):
        analyser(ANALYSER)


@pytest.mark.rule("cjk")
def test_sudachi_that_gives_nothing_is_an_error_too() -> None:
    """cjk: the part of the self-test that is Sudachi's own."""
    with pytest.raises(ConfigurationError, match="does not make '打ち合わせ' of '打合せ': reinstall tadori, pystemmer, sudachipy"):
        self_test(Analyser(SUDACHI, analyse, query_words))


@pytest.mark.rule("cjk")
def test_sudachis_words_stand_beside_the_plain_ones() -> None:
    """cjk: nothing that the plain cut finds is lost; function words stay out of queries."""
    full = analyser(SUDACHI)
    text = "打合せの資料をサーバに置いた。See XR-4200."
    assert full.words(text) == [*analyse(text), "打ち合わせ", "資料", "サーバー"]
    assert full.query_words(text) == [*query_words(text), "打ち合わせ", "サーバー"]
    assert full.query_words("それは何ですか") == []


@pytest.mark.rule("cjk")
@pytest.mark.parametrize("text", ["We run the tests.", "我们使用数据库存储文本", "문서를 검색합니다", "ราคาเท่าไหร่", "", "12.5"])
def test_sudachi_adds_nothing_to_other_languages(text: str) -> None:
    """cjk: English, Chinese, Korean and Thai are cut as without it."""
    assert analyser(SUDACHI).words(text) == analyse(text)


def test_a_new_collection_gets_sudachi_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_analyser() == "tadori-2+sudachi"
    without_sudachi(monkeypatch)
    assert default_analyser() == "tadori-2"


def test_a_collection_keeps_its_analyser_whatever_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert analyser_of(collection("tadori-2")).name == "tadori-2"
    without_sudachi(monkeypatch)
    assert analyser_of(collection("tadori-2")).name == "tadori-2"
    with pytest.raises(MissingExtra, match=r"collection 'papers', whose words were cut by 'tadori-2\+sudachi', needs .*tadori\[japanese\]"):
        analyser_of(collection("tadori-2+sudachi"))


@pytest.mark.rule("store-contract")
def test_a_collection_of_an_unknown_analyser_is_refused_with_what_to_do() -> None:
    """store-contract: words that nobody can cut any more would look like nothing found."""
    with pytest.raises(
        StorageError, match=r"'papers' were cut by the analyser 'tadori-1'.*run `tadori reindex --words --collection papers`"
    ):
        analyser_of(collection("tadori-1"))


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match=r"'simple' is not known: set TADORI_ANALYSER to tadori-2 or tadori-2\+sudachi"):
        analyser("simple")
