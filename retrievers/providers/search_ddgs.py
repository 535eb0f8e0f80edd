"""Web search by ddgs, which reads the result pages of public search engines: no key, no promise.

An adapter of the WebSearch protocol, in the extra `ddgs`.
"""

import asyncio
from typing import Any

from retrievers.errors import MissingExtra, ProviderRateLimited, ProviderUnavailable
from retrievers.providers.faults import late, retrying
from retrievers.types import WebPage

TIMEOUT_S = 15.0
"""With retries; ddgs asks several engines at once and waits for the first ones."""

_NOTHING = "No results found."
"""ddgs reports an empty result as an error with this text."""


class DdgsSearch:
    """ddgs' text search, in a thread: its client is synchronous."""

    name = "ddgs"

    def __init__(self, *, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s

    async def search(self, query: str, *, limit: int) -> list[WebPage]:
        """At most `limit` pages; raises MissingExtra where ddgs is not installed."""
        return await retrying(self.name, lambda: asyncio.to_thread(self._ask, query, limit), timeout_s=self._timeout_s)

    def _ask(self, query: str, limit: int) -> list[WebPage]:
        try:
            import ddgs
            from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException
        except ImportError as exc:
            raise MissingExtra("TADORI_WEB_SEARCH=ddgs", "ddgs") from exc
        try:
            found: list[dict[str, Any]] = ddgs.DDGS(timeout=int(self._timeout_s)).text(query, max_results=limit)
        except RatelimitException as exc:
            raise ProviderRateLimited(f"{self.name} is over its rate limit: {exc}; try again later", status=429) from exc
        except TimeoutException as exc:
            raise late(self.name, self._timeout_s) from exc
        except DDGSException as exc:
            if str(exc) == _NOTHING:
                return []
            raise ProviderUnavailable(f"{self.name} failed ({exc}): try again later, or use another web search") from exc
        return [WebPage(url=entry["href"], title=entry["title"], text=entry["body"], score=None) for entry in found[:limit]]
