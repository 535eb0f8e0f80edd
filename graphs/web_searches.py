"""Which web search stands behind TADORI_WEB_SEARCH: a part of the composition root.

Called by graphs/wiring.py alone; nothing is connected here.
"""

from collections.abc import Callable

from graphs.settings import Settings
from retrievers.errors import ConfigurationError
from retrievers.types import WebSearch


def web_search_for(settings: Settings) -> WebSearch | None:
    """The search as the settings want it, None where none is wanted. Raises MissingKey, ConfigurationError, MissingExtra."""
    makers: dict[str, Callable[[], WebSearch | None]] = {
        "none": lambda: None,
        "tavily": lambda: _tavily(settings),
        "searxng": lambda: _searxng(settings),
        "ddgs": _ddgs,
    }
    return makers[settings.web_search]()


def _tavily(settings: Settings) -> WebSearch:
    from retrievers.providers.search_tavily import TavilySearch

    key = settings.tavily_api_key.get_secret_value() if settings.tavily_api_key else None
    return TavilySearch(api_key=key, base_url=settings.tavily_url)


def _searxng(settings: Settings) -> WebSearch:
    from retrievers.providers.search_searxng import SearxngSearch

    if not settings.searxng_url:
        raise ConfigurationError("TADORI_WEB_SEARCH is 'searxng' but TADORI_SEARXNG_URL is not set: give the address of your SearXNG")
    return SearxngSearch(settings.searxng_url)


def _ddgs() -> WebSearch:
    from retrievers.providers.search_ddgs import DdgsSearch

    return DdgsSearch()
