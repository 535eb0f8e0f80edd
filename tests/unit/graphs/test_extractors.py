"""TADORI_GRAPH and what reads entities for each of its spellings."""

from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

from graphs.extractors import extractor_for
from graphs.settings import Settings
from graphs.wiring import Services
from nodes.structured import Decider
from retrievers.errors import ConfigurationError, MissingExtra
from retrievers.providers.fakes import ScriptedChat
from retrievers.said import Most

CHAT = Decider(ScriptedChat(replies=[]))


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("TADORI_GRAPH", "TADORI_CHAT_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def made(chat=CHAT, *, with_model=False, most=None, **given):
    return extractor_for(Settings.load(**given), chat=lambda: chat, count=len, with_model=with_model, most=most)


@pytest.mark.rule("kg")
def test_the_rules_read_unless_a_model_is_asked_for():
    """kg: a chat model that is set for answers reads no documents by itself."""
    assert made(chat_model="openai:m").name == "rules-1"


@pytest.mark.rule("kg")
def test_a_model_reads_beside_the_rules():
    """kg: both stand in the extractor's name; nothing is asked yet."""
    extractor = made(with_model=True, chat_model="openai:m", most=Most(calls=3))
    assert extractor.name == "chat-1:openai:m+rules-1"
    assert extractor.report.spent == {"calls": 0, "input_tokens": 0, "output_tokens": 0}


@pytest.mark.rule("kg")
def test_a_model_that_is_not_set_is_named_with_its_variable():
    """kg: before anything is read."""
    with pytest.raises(ConfigurationError, match="no chat model is set that could read entities: set TADORI_CHAT_MODEL"):
        made(None, with_model=True)


@pytest.mark.rule("kg")
@pytest.mark.parametrize(("choice", "name"), [("rules", "rules-1"), ("chat", "chat-1:openai:m+rules-1")])
def test_ingestion_builds_by_what_is_set(choice, name, tmp_path):
    """kg: a model only where TADORI_GRAPH asks for one."""
    services = Services(Settings.load(home=tmp_path, graph=choice, chat_model="openai:m", chat_base_url="http://127.0.0.1:9/v1"))
    builder = services.ingestion()._graph
    assert builder is not None
    assert builder._extractor.name == name


@pytest.mark.rule("kg")
@pytest.mark.skipif(find_spec("spacy") is not None, reason="the extra is installed")
def test_spacy_that_is_not_installed_is_named_with_its_extra():
    """kg: before anything is read."""
    with pytest.raises(MissingExtra, match="entities"):
        made(graph="spacy")


@pytest.mark.rule("kg")
@pytest.mark.parametrize(("with_model", "name"), [(False, "spacy-test"), (True, "chat-1:openai:m+spacy-test")])
def test_spacy_reads_in_place_of_the_rules_alone_and_a_model_beside_it(monkeypatch, with_model, name):
    """kg: its extractor holds the rules."""
    monkeypatch.setattr("retrievers.providers.names_spacy.SpacyExtractor", lambda: SimpleNamespace(name="spacy-test"))
    assert made(graph="spacy", with_model=with_model, chat_model="openai:m").name == name


@pytest.mark.rule("kg")
def test_ingestion_builds_nothing_where_none_is_set(tmp_path):
    """kg: TADORI_GRAPH=none."""
    assert Services(Settings.load(home=tmp_path, graph="none")).ingestion()._graph is None
