"""Which reranker stands behind TADORI_RERANKER: a part of the composition root.

Called by graphs/wiring.py alone; nothing is loaded or connected here.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from graphs.settings import Settings
from retrievers.errors import ConfigurationError
from retrievers.relevance import Reranker
from retrievers.reranking import Reranking, Threshold

if TYPE_CHECKING:
    from nodes.structured import Decider

COMBINED = "combined:"


def reranking_for(settings: Settings, *, count: Callable[[str], int], chat: "Callable[[], Decider | None]") -> Reranking | None:
    """The stage as the settings want it, None where no reranker is set. Raises MissingKey, ConfigurationError."""
    if settings.reranker is None:
        return None
    choice = settings.reranker.removeprefix(COMBINED)
    provider, _, model = choice.partition(":")
    makers: dict[str, Callable[[], Reranker]] = {
        "cohere": lambda: _cohere(settings, model, count),
        "fastembed": lambda: _fastembed(model),
        "chat": lambda: _chat(settings, chat(), count),
    }
    return Reranking(
        makers[provider](),
        combine=choice != settings.reranker,
        threshold=Threshold(*settings.rerank_threshold) if settings.rerank_threshold else None,
        timeout_s=settings.rerank_timeout_s,
    )


def _cohere(settings: Settings, model: str, count: Callable[[str], int]) -> Reranker:
    from retrievers.providers.rerank_cohere import CohereReranker

    key = settings.cohere_api_key.get_secret_value() if settings.cohere_api_key else None
    return CohereReranker(model, count=count, api_key=key, base_url=settings.cohere_url, timeout_s=settings.rerank_timeout_s)


def _fastembed(folder: str) -> Reranker:
    from retrievers.providers.rerank_fastembed import FastembedReranker

    return FastembedReranker(Path(folder).expanduser())


def _chat(settings: Settings, chat: "Decider | None", count: Callable[[str], int]) -> Reranker:
    from functools import partial

    from nodes.rating import rate
    from retrievers.providers.rerank_chat import ChatReranker

    name = settings.chat_fast_model or settings.chat_model
    if chat is None or name is None:
        raise ConfigurationError("TADORI_RERANKER is 'chat', but no chat model is set: set TADORI_CHAT_MODEL, or another reranker")
    return ChatReranker(partial(rate, chat), prepare=chat.prepare, name=name, count=count)
