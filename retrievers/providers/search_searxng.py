"""Web search by a SearXNG of one's own, through LangChain's wrapper.

An adapter of the WebSearch protocol; the only importer of langchain_community, which is slow to import and warns.
"""

import asyncio
import json
import warnings
from typing import Any

from retrievers.errors import ConfigurationError, ProviderReplyInvalid, ProviderUnavailable
from retrievers.providers.faults import retrying, unreachable
from retrievers.types import WebPage

TIMEOUT_S = 15.0
"""With retries; SearXNG itself waits a few seconds for its slowest engine."""


class SearxngSearch:
    """SearXNG's JSON interface; `formats: [html, json]` must stand in its settings.yml."""

    name = "searxng"

    def __init__(self, base_url: str, *, timeout_s: float = TIMEOUT_S) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ConfigurationError(f"TADORI_SEARXNG_URL is {base_url!r}: write it with its scheme, such as http://localhost:8888/search")
        self._base_url = base_url
        self._timeout_s = timeout_s

    async def search(self, query: str, *, limit: int) -> list[WebPage]:
        """At most `limit` pages."""
        return await retrying(self.name, lambda: self._ask(query, limit), timeout_s=self._timeout_s)

    async def _ask(self, query: str, limit: int) -> list[WebPage]:
        # In a thread: importing would block the loop for seconds.
        wrapper = await asyncio.to_thread(self._wrapper)
        import aiohttp

        try:
            # The wrapper's synchronous call has no timeout of its own; this one can be cancelled.
            return _pages(await wrapper.aresults(query, num_results=limit))
        except aiohttp.ClientError as exc:
            raise unreachable(self.name, exc) from exc
        except json.JSONDecodeError as exc:
            raise ProviderReplyInvalid(
                f"{self.name} answered with something that is not JSON: allow the format json in its settings.yml"
            ) from exc
        except (KeyError, TypeError) as exc:
            raise ProviderReplyInvalid(f"{self.name} answered without usable results ({type(exc).__name__}: {exc})") from exc
        except ValueError as exc:
            # The wrapper drops the status. 403 (json not allowed) and 5xx look alike here.
            raise ProviderUnavailable(
                f"{self.name} refused or failed: check TADORI_SEARXNG_URL and that its settings.yml allows json"
            ) from exc

    def _wrapper(self) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            from langchain_community.utilities import SearxSearchWrapper

            # "all" and not the wrapper's default "en": the questions are not only English.
            return SearxSearchWrapper(searx_host=self._base_url, params={"language": "all"})


def _pages(results: list[dict[str, Any]]) -> list[WebPage]:
    """The wrapper says "nothing found" by one result with the single key `Result`."""
    found = [entry for entry in results if "Result" not in entry]
    return [WebPage(url=entry["link"], title=entry["title"] or entry["link"], text=entry["snippet"] or "", score=None) for entry in found]
