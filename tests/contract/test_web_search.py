"""One suite over every WebSearch: the adapters speak to servers on loopback, the fake stands beside them."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from servers.loopback import Reply
from servers.searxng import SearxngServer
from servers.tavily import TAVILY_QUERY_CHARS, TavilyServer

from retrievers.errors import (
    ConfigurationError,
    MissingKey,
    ProviderRateLimited,
    ProviderRejected,
    ProviderReplyInvalid,
    ProviderUnavailable,
)
from retrievers.providers.fakes import FixedWeb
from retrievers.providers.search_ddgs import DdgsSearch
from retrievers.providers.search_searxng import SearxngSearch
from retrievers.providers.search_tavily import TavilySearch

PAGES = [(f"https://example.org/{number}", f"Page {number}", f"Text of page {number}") for number in range(1, 4)]


@contextmanager
def tavily(pages, *faults, timeout_s=5.0) -> Iterator[tuple[TavilySearch, TavilyServer]]:
    found = [{"url": url, "title": title, "content": text, "score": 0.9} for url, title, text in pages]
    with TavilyServer(found, *faults) as server:
        yield TavilySearch(api_key="tvly-test", base_url=server.url, timeout_s=timeout_s), server


@contextmanager
def searxng(pages, *faults, timeout_s=5.0) -> Iterator[tuple[SearxngSearch, SearxngServer]]:
    found = [{"url": url, "title": title, "content": text, "engines": ["e"], "category": "general"} for url, title, text in pages]
    with SearxngServer(found, *faults) as server:
        yield SearxngSearch(f"{server.url}/search", timeout_s=timeout_s), server


@contextmanager
def fixed(pages) -> Iterator[tuple[FixedWeb, None]]:
    yield FixedWeb([{"url": url, "title": title, "text": text, "score": None} for url, title, text in pages]), None


@contextmanager
def ddgs(pages, *errors) -> Iterator[tuple[DdgsSearch, None]]:
    import ddgs
    from ddgs.exceptions import DDGSException

    pending = list(errors)

    class Client:
        def __init__(self, timeout: int) -> None:
            pass

        def text(self, query: str, max_results: int) -> list[dict[str, str]]:
            if pending:
                raise pending.pop(0)
            if not pages:
                raise DDGSException("No results found.")
            return [{"href": url, "title": title, "body": text} for url, title, text in pages]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ddgs, "DDGS", Client)
        yield DdgsSearch(timeout_s=5.0), None


ADAPTERS = [tavily, searxng, ddgs, fixed]
SERVED = [tavily, searxng]


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_pages_come_in_the_providers_order_with_url_title_and_text(adapter):
    with adapter(PAGES) as (web, _):
        pages = await web.search("page", limit=5)
    assert [(page["url"], page["title"], page["text"]) for page in pages] == PAGES


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_no_more_pages_than_asked_for(adapter):
    with adapter(PAGES) as (web, _):
        assert len(await web.search("page", limit=2)) == 2


@pytest.mark.rule("store-contract")
@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_an_empty_list_means_that_nothing_matched(adapter):
    """store-contract, for the web: empty is a result, and the only way to be empty."""
    with adapter([]) as (web, _):
        assert await web.search("page", limit=5) == []


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_the_same_search_works_from_two_event_loops(adapter):
    with adapter(PAGES) as (web, _):
        first = await asyncio.to_thread(asyncio.run, web.search("page", limit=1))
        assert await web.search("page", limit=1) == first


@pytest.mark.rule("F25")
@pytest.mark.parametrize("adapter", SERVED)
async def test_a_server_error_is_tried_again_and_then_answered(adapter):
    """F25: one failed try is not the end."""
    fault = Reply({"error": "boom"}, status=500)
    with adapter(PAGES, fault) as (web, server):
        assert len(await web.search("page", limit=5)) == 3
    assert len(server.asked) == 2


@pytest.mark.rule("F25")
@pytest.mark.parametrize("adapter", SERVED)
async def test_a_server_that_keeps_failing_is_unavailable_and_not_empty(adapter):
    """F25: an error is never an empty result."""
    with adapter(PAGES, *[Reply({"error": "boom"}, status=500)] * 3) as (web, _):
        with pytest.raises(ProviderUnavailable):
            await web.search("page", limit=5)


@pytest.mark.rule("F25")
@pytest.mark.parametrize("adapter", SERVED)
async def test_a_server_that_hangs_is_unavailable_within_the_time(adapter):
    """F25: a time-out has its own message."""
    with adapter(PAGES, Reply(hang=True), timeout_s=0.4) as (web, _):
        with pytest.raises(ProviderUnavailable, match=r"did not answer within 0\.4 s"):
            await web.search("page", limit=5)


@pytest.mark.parametrize("adapter", SERVED)
async def test_a_reply_that_is_not_json_is_invalid_and_not_empty(adapter):
    with adapter(PAGES, Reply("<html>login</html>")) as (web, _):
        with pytest.raises(ProviderReplyInvalid):
            await web.search("page", limit=5)


@pytest.mark.parametrize("adapter", SERVED)
async def test_a_reply_without_urls_is_invalid_and_not_empty(adapter):
    with adapter(PAGES, Reply({"results": [{"title": "x"}], "answers": []})) as (web, _):
        with pytest.raises(ProviderReplyInvalid):
            await web.search("page", limit=5)


@pytest.mark.parametrize("adapter", SERVED)
async def test_a_reply_that_breaks_off_is_an_error_and_not_empty(adapter):
    with adapter(PAGES, *[Reply({"results": []}, cut=True)] * 3) as (web, _):
        with pytest.raises(ProviderUnavailable):
            await web.search("page", limit=5)


@pytest.mark.parametrize("build", [lambda url: TavilySearch(api_key="k", base_url=url), lambda url: SearxngSearch(url)])
async def test_a_refused_connection_is_unavailable(build):
    with TavilyServer() as server:
        url = server.url
    with pytest.raises(ProviderUnavailable, match="cannot be reached"):
        await build(url).search("page", limit=5)


@pytest.mark.rule("F25")
@pytest.mark.parametrize("question", ["What changed? " * 43, "お茶の抽出温度について教えてください。" * 32])
async def test_tavily_is_asked_a_long_question_in_short(question):
    """F25: 600 characters are condensed to what the service takes."""
    with tavily(PAGES) as (web, server):
        assert len(await web.search(question, limit=5)) == 3
    assert 0 < len(server.asked[0].body["query"]) <= TAVILY_QUERY_CHARS < len(question)


async def test_tavily_searches_in_depth():
    with tavily(PAGES) as (web, server):
        await web.search("page", limit=5)
    assert (server.asked[0].body["search_depth"], server.asked[0].body["max_results"]) == ("advanced", 5)


@pytest.mark.parametrize("key", [None, ""])
def test_tavily_without_a_key_refuses_to_go_keyless(key):
    with pytest.raises(MissingKey, match="TAVILY_API_KEY"):
        TavilySearch(api_key=key)


async def test_tavily_with_a_wrong_key_is_rejected_at_once_and_the_key_is_not_repeated():
    with TavilyServer() as server:
        with pytest.raises(ProviderRejected) as caught:
            await TavilySearch(api_key="tvly-secret", base_url=server.url).search("page", limit=5)
    assert caught.value.status == 401
    assert "tvly-secret" not in str(caught.value)
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [432, 433, 403])
async def test_tavily_with_a_used_up_plan_is_rejected_at_once(status):
    with tavily(PAGES, Reply({"detail": {"error": "plan limit"}}, status=status)) as (web, server):
        with pytest.raises(ProviderRejected, match="plan limit"):
            await web.search("page", limit=5)
    assert len(server.asked) == 1


@pytest.mark.rule("F25")
async def test_tavily_over_its_rate_limit_says_so():
    """F25: 429, three times."""
    with tavily(PAGES, *[Reply({"detail": {"error": "slow down"}}, status=429)] * 3) as (web, _):
        with pytest.raises(ProviderRateLimited, match="slow down"):
            await web.search("page", limit=5)


@pytest.mark.rule("F25", "F27")
async def test_tavily_is_asked_again_after_the_time_that_it_names():
    """F25, F27: 429 with Retry-After costs that time and nothing else; one that would outlast the deadline is not waited for."""
    limit = {"detail": {"error": "slow down"}}
    with tavily(PAGES, Reply(limit, status=429, headers={"retry-after": "1"})) as (web, server):
        started = time.monotonic()
        assert len(await web.search("page", limit=5)) == 3
        assert time.monotonic() - started >= 1
        assert len(server.asked) == 2
    with tavily(PAGES, Reply(limit, status=429, headers={"retry-after": "600"})) as (web, server):
        with pytest.raises(ProviderRateLimited) as caught:
            await web.search("page", limit=5)
    assert (caught.value.retry_after_s, len(server.asked)) == (600, 1)


async def test_ddgs_over_its_rate_limit_says_so():
    from ddgs.exceptions import RatelimitException

    with ddgs(PAGES, *[RatelimitException("202")] * 3) as (web, _):
        with pytest.raises(ProviderRateLimited):
            await web.search("page", limit=5)


async def test_ddgs_out_of_order_is_unavailable_and_not_empty():
    from ddgs.exceptions import DDGSException

    with ddgs(PAGES, *[DDGSException("no engine answered")] * 3) as (web, _):
        with pytest.raises(ProviderUnavailable, match="no engine answered"):
            await web.search("page", limit=5)


def test_searxng_without_a_scheme_is_a_wrong_setting():
    with pytest.raises(ConfigurationError, match="TADORI_SEARXNG_URL"):
        SearxngSearch("localhost:8888")
