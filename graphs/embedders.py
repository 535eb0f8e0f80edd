"""Which embedding model stands behind TADORI_EMBEDDING_MODEL: a part of the composition root.

Called by graphs/wiring.py alone; nothing is loaded or connected here.
"""

from pydantic import SecretStr

from graphs.settings import Settings
from retrievers.types import Embedder


def embedder_for(settings: Settings) -> Embedder:
    """The model as the settings want it. Raises MissingKey, MissingExtra, ConfigurationError."""
    from retrievers.providers.embedders import Access, resolve_embedder

    # OpenAI's key goes to OpenAI only; the chat model's goes along where both live at one address.
    same = settings.chat_api_key if settings.embedding_base_url == settings.chat_base_url else None
    key = same if settings.embedding_base_url else settings.openai_api_key
    access = {
        "openai": Access(settings.embedding_base_url, _secret(key)),
        "cohere": Access(settings.cohere_url, _secret(settings.cohere_api_key)),
        "voyage": Access(settings.voyage_url, _secret(settings.voyage_api_key)),
    }
    return resolve_embedder(settings.embedding_model, access)


def _secret(value: SecretStr | None) -> str | None:
    return value.get_secret_value() if value else None
