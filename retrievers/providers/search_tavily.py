"""Web search by Tavily.

An adapter of the WebSearch protocol; the address and the key are given, never looked up.
"""

import asyncio
from importlib import import_module
from typing import Any

import httpx

from retrievers.errors import MissingKey, ProviderError, ProviderRateLimited, ProviderRejected, ProviderReplyInvalid
from retrievers.providers.faults import from_status, late, retrying, unreachable
from retrievers.text.condense import condense
from retrievers.types import WebPage

QUERY_CHARS = 400
"""Tavily refuses longer queries."""

TIMEOUT_S = 15.0
"""With retries; an advanced search answers in 2-6 s."""


class TavilySearch:
    """Tavily's `/search`, advanced depth."""

    name = "tavily"

    def __init__(self, *, api_key: str | None, base_url: str | None = None, timeout_s: float = TIMEOUT_S) -> None:
        # Without a key the SDK would go on keyless and send the questions anyway.
        if not api_key:
            raise MissingKey("TADORI_WEB_SEARCH is 'tavily' but TAVILY_API_KEY is not set: set it, or use searxng, ddgs or none")
        self._api_key = api_key
        self._base_url = base_url.rstrip("/") if base_url else None
        self._timeout_s = timeout_s

    async def search(self, query: str, *, limit: int) -> list[WebPage]:
        """At most `limit` (1-20) pages; a query over 400 characters is condensed."""
        asked = condense(query, QUERY_CHARS)
        reply = await retrying(self.name, lambda: self._ask(asked, limit), timeout_s=self._timeout_s)
        return _pages(reply)[:limit]

    async def _ask(self, query: str, limit: int) -> Any:
        # In a thread: importing and reading certificates would block the loop.
        errors = await asyncio.to_thread(import_module, "tavily.errors")
        try:
            return await self._post(query, limit)
        except errors.InvalidAPIKeyError as exc:
            raise from_status(self.name, 401, "") from exc
        except errors.ForbiddenError as exc:
            raise ProviderRejected(f"{self.name} refuses this key or its plan is used up: {exc}", status=403) from exc
        except errors.UsageLimitExceededError as exc:
            raise ProviderRateLimited(f"{self.name} is over its rate limit: {exc}; try again later", status=429) from exc
        except errors.BadRequestError as exc:
            raise from_status(self.name, 400, str(exc)) from exc
        except errors.TimeoutError as exc:
            raise late(self.name, self._timeout_s) from exc
        except httpx.HTTPError as exc:
            raise _from_httpx(self.name, exc) from exc
        except ValueError as exc:
            raise ProviderReplyInvalid(f"{self.name} answered with something that is not JSON") from exc

    async def _post(self, query: str, limit: int) -> Any:
        # A client for each search: a kept one would be tied to the event loop that made it.
        async with await asyncio.to_thread(self._client) as client:
            return await client.search(query, max_results=limit, search_depth="advanced", timeout=self._timeout_s)

    def _client(self) -> Any:
        from tavily import AsyncTavilyClient  # type: ignore[import-untyped]

        return AsyncTavilyClient(api_key=self._api_key, api_base_url=self._base_url)


def _from_httpx(who: str, exc: httpx.HTTPError) -> ProviderError:
    if isinstance(exc, httpx.HTTPStatusError):
        return from_status(who, exc.response.status_code, exc.response.reason_phrase, exc.response.headers)
    return unreachable(who, exc)


def _pages(reply: Any) -> list[WebPage]:
    try:
        return [
            WebPage(
                url=str(entry["url"]), title=str(entry.get("title") or entry["url"]), text=str(entry["content"]), score=entry.get("score")
            )
            for entry in reply["results"]
        ]
    except (KeyError, TypeError, AttributeError) as exc:
        raise ProviderReplyInvalid(f"tavily answered without usable results ({type(exc).__name__}: {exc})") from exc
