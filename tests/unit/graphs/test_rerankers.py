"""TADORI_RERANKER and what stands behind each of its spellings."""

from pathlib import Path

import pytest

from graphs.rerankers import reranking_for
from graphs.settings import Settings
from nodes.structured import Decider
from retrievers.errors import ConfigurationError, MissingKey
from retrievers.providers.fakes import ScriptedChat
from retrievers.reranking import Threshold

CHAT = Decider(ScriptedChat(replies=[]))


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("TADORI_RERANKER", "TADORI_RERANK_THRESHOLD", "TADORI_RERANK_TIMEOUT_S", "COHERE_API_KEY", "TADORI_COHERE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def made(chat=CHAT, **given):
    return reranking_for(Settings.load(**given), count=len, chat=lambda: chat)


def test_unset_there_is_none():
    assert made() is None


@pytest.mark.rule("rr-cross", "rr-llm", "rr-combined")
@pytest.mark.parametrize(
    ("choice", "name", "combine"),
    [
        ("cohere:rerank-v3.5", "cohere:rerank-v3.5", False),
        ("fastembed:/models/bge", "fastembed:/models/bge", False),
        ("chat", "chat:openai:small", False),
        ("combined:cohere:rerank-v3.5", "combined:cohere:rerank-v3.5", True),
        ("combined:chat", "combined:chat:openai:small", True),
    ],
)
def test_each_spelling_has_its_reranker(choice, name, combine):
    """rr-cross, rr-llm, rr-combined: one protocol, chosen by one setting; nothing is loaded or asked."""
    stage = made(reranker=choice, cohere_api_key="key", chat_model="openai:big", chat_fast_model="openai:small")
    assert (stage.name, stage.combine, stage.threshold, stage.timeout_s) == (name, combine, None, 5.0)


@pytest.mark.parametrize(
    "choice", ["cohere", "cohere:", "voyage:rerank-2", "chat:gpt", "combined", "combined:", "combined:combined:chat", "Cohere:x"]
)
def test_what_is_no_reranker_is_refused_with_those_that_are(choice):
    with pytest.raises(
        ConfigurationError, match=r"TADORI_RERANKER is not usable .*: use cohere:MODEL, fastembed:/folder or chat, or combined:"
    ):
        made(reranker=choice)


def test_cohere_without_a_key_names_the_variable():
    with pytest.raises(MissingKey, match="COHERE_API_KEY"):
        made(reranker="cohere:rerank-v3.5")
    assert made(reranker="cohere:rerank-v3.5", cohere_url="http://127.0.0.1:9") is not None


def test_chat_without_a_chat_model_names_the_variable():
    with pytest.raises(ConfigurationError, match="TADORI_RERANKER is 'chat', but no chat model is set: set TADORI_CHAT_MODEL"):
        made(None, reranker="chat")


@pytest.mark.rule("no-answer", "F18")
def test_a_threshold_is_set_with_the_scale_it_belongs_to(monkeypatch):
    """no-answer, F18: SCALE:NUMBER, so that it cannot be taken for another reranker's."""
    monkeypatch.setenv("TADORI_RERANK_THRESHOLD", "relevance:0.3")
    assert made(reranker="chat", chat_model="openai:m").threshold == Threshold("relevance", 0.3)


@pytest.mark.parametrize(
    "value", ["0.3", "relevance", "relevance:", "relevance:30", "relevance:1.5", "logit:0.3", "relevance:-0.1", "relevance:nan"]
)
def test_a_threshold_without_a_scale_or_off_it_is_refused(value):
    with pytest.raises(ConfigurationError, match=r"TADORI_RERANK_THRESHOLD is not usable .*: write SCALE:NUMBER, a number from 0 to 1"):
        made(rerank_threshold=value)


@pytest.mark.parametrize("value", ["0", "-1", "61", "soon"])
def test_a_time_out_of_bounds_is_refused(monkeypatch, value):
    monkeypatch.setenv("TADORI_RERANK_TIMEOUT_S", value)
    with pytest.raises(ConfigurationError, match="TADORI_RERANK_TIMEOUT_S is not usable"):
        Settings.load()


def test_a_slow_reranker_may_be_given_more_time(monkeypatch):
    monkeypatch.setenv("TADORI_RERANK_TIMEOUT_S", "20")
    assert made(reranker="chat", chat_model="openai:m").timeout_s == 20
