"""Which chat model stands behind TADORI_CHAT_MODEL and TADORI_CHAT_FAST_MODEL: a part of the composition root.

Called by graphs/wiring.py alone; nothing is loaded or connected here.
"""

from typing import TYPE_CHECKING

from pydantic import SecretStr

from graphs.settings import Settings, variable
from retrievers.errors import ConfigurationError

if TYPE_CHECKING:
    from nodes.structured import Decider


def chat_for(settings: Settings, model: str | None) -> "Decider | None":
    """The model of `provider:model` with its key, address and price; None where none is named. Raises ConfigurationError."""
    if model is None:
        return None
    from nodes.structured import Decider
    from retrievers.providers.chat import resolve_chat

    keys = {"openai": settings.openai_api_key, "anthropic": settings.anthropic_api_key, "cohere": settings.cohere_api_key}
    # A provider's own key goes to that provider only, never to another address.
    own = None if settings.chat_base_url else keys.get(_provider(model))
    chat = resolve_chat(
        model, base_url=settings.chat_base_url, api_key=_secret(settings.chat_api_key or own), at_once=settings.chat_concurrency
    )
    return Decider(chat, price=dict(settings.chat_prices).get(model))


def _provider(model: str) -> str:
    provider, colon, name = model.partition(":")
    if not colon or not provider or not name:
        raise ConfigurationError(f"{variable('chat_model')} is {model!r}: write provider:model, such as openai:gpt-4o-mini")
    return provider


def _secret(value: SecretStr | None) -> str | None:
    return value.get_secret_value() if value else None
