"""Web search by Tavily.

An adapter of the WebSearch protocol; the address and the key are given, never looked up.
"""

import asyncio
import json
from importlib import import_module
from typing import Any

import httpx

from retrievers.errors import MissingKey, ProviderError, ProviderRejected, ProviderReplyInvalid
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
        except errors.BadRequestError as exc:
            raise from_status(self.name, 400, str(exc)) from exc
        except errors.TimeoutError as exc:
            raise late(self.name, self._timeout_s) from exc
        except httpx.HTTPError as exc:
            raise _from_httpx(self.name, exc) from exc
        except (ValueError, TypeError, AttributeError) as exc:
            # How the client fails on what is no JSON, and on JSON that is no object.
            raise ProviderReplyInvalid(f"{self.name} answered with something that is not a search reply") from exc

    async def _post(self, query: str, limit: int) -> Any:
        # A client for each search: a kept one would be tied to the event loop that made it.
        async with await asyncio.to_thread(_http) as http:
            tavily = await asyncio.to_thread(import_module, "tavily")
            client = tavily.AsyncTavilyClient(api_key=self._api_key, api_base_url=self._base_url, client=http)
            return await client.search(query, max_results=limit, search_depth="advanced", timeout=self._timeout_s)


def _http() -> httpx.AsyncClient:
    return httpx.AsyncClient(event_hooks={"response": [_heed_rate_limit]})


async def _heed_rate_limit(response: httpx.Response) -> None:
    """Raise for a 429 here: the SDK's own error for it has lost the Retry-After."""
    if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
        raise from_status("tavily", response.status_code, _detail(await response.aread()), response.headers)


def _detail(body: bytes) -> str:
    try:
        return str(json.loads(body)["detail"]["error"])
    except (ValueError, KeyError, TypeError):
        return ""


def _from_httpx(who: str, exc: httpx.HTTPError) -> ProviderError:
    if isinstance(exc, httpx.HTTPStatusError):
        return from_status(who, exc.response.status_code, exc.response.reason_phrase, exc.response.headers)
    return unreachable(who, exc)


def _pages(reply: Any) -> list[WebPage]:
    if "query" not in reply:
        # The client puts an empty list where there are no results, so that any object would look like a search that found nothing.
        raise ProviderReplyInvalid("tavily answered with something that is not a search reply")
    try:
        return [
            WebPage(
                url=str(entry["url"]), title=str(entry.get("title") or entry["url"]), text=str(entry["content"]), score=entry.get("score")
            )
            for entry in reply["results"]
        ]
    except (KeyError, TypeError, AttributeError) as exc:
        raise ProviderReplyInvalid(f"tavily answered without usable results ({type(exc).__name__}: {exc})") from exc
