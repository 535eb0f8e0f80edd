"""The web is asked once, for the user's own question, and its pages are passages like any other."""

import pytest
from turns import runtime, turn

from nodes.web_search import web_search
from retrievers.errors import MissingExtra, ProviderError, ProviderRateLimited
from retrievers.providers.fakes import FixedWeb, HashEmbedder
from retrievers.tools import web_tool

PAGE = {"url": "https://example.org/moon", "title": "Moon", "text": "The moon is 384,400 km away.", "score": 0.8}
OTHER = {"url": "https://example.org/tea", "title": "Tea", "text": "Tea is a drink.", "score": 0.9}


async def searched(web, embedder=None, **state):
    tool = web_tool(web) if web else None
    return await web_search(turn("How far is the moon?", **state), runtime(), tool=tool, embedder=embedder or HashEmbedder())


@pytest.mark.rule("crag", "T30")
async def test_the_users_question_is_searched_whatever_the_last_query_was():
    """crag, T30: the original question."""
    web = FixedWeb([PAGE])
    await searched(web, query="moon away")
    assert web.queries == ["How far is the moon?"]


@pytest.mark.rule("crag", "T4")
async def test_the_try_is_counted_also_without_a_web_and_when_it_fails():
    """crag, T4: counted in the state."""
    for web in (None, FixedWeb([PAGE]), FixedWeb(error=ProviderError("down"))):
        assert (await searched(web))["web_tries"] == 1


@pytest.mark.rule("provenance", "crag")
async def test_pages_become_passages_from_the_web():
    """provenance, crag: marked, with their address."""
    update = await searched(FixedWeb([PAGE]))
    page = update["passages"][0]
    assert (page["origin"], page["url"], page["document"], page["title"]) == ("web", PAGE["url"], PAGE["url"], "Moon")
    assert page["text"] == PAGE["text"]
    assert update["web_outcome"] is None


async def test_pages_have_an_estimate_of_the_absolute_score_best_first():
    update = await searched(FixedWeb([OTHER, PAGE]))
    scores = [page["absolute"] for page in update["passages"]]
    assert [page["title"] for page in update["passages"]] == ["Moon", "Tea"]
    assert scores[0] > 0.5 > scores[1]


@pytest.mark.rule("T10")
async def test_pages_have_no_score_when_the_embedder_fails():
    """T10: none is none."""

    class Broken(HashEmbedder):
        async def embed_query(self, text):
            raise ProviderError("the embedder is down")

    assert [page["absolute"] for page in (await searched(FixedWeb([PAGE]), Broken()))["passages"]] == [None]


async def test_without_a_web_search_the_trail_says_so():
    update = await searched(None)
    assert (update["web_outcome"], update["passages"]) == ("not_configured", [])
    assert update["trail"][0]["reason"] == "no web search is configured"


@pytest.mark.rule("F25", "R13")
@pytest.mark.parametrize("error", [ProviderRateLimited("over the limit"), MissingExtra("TADORI_WEB_SEARCH=ddgs", "ddgs")])
async def test_a_web_that_fails_is_a_degradation(error):
    """F25, R13: the reason is kept, and the turn goes on."""
    update = await searched(FixedWeb(error=error))
    assert update["web_outcome"] == "failed"
    assert update["degraded"] == [{"step": "web_search", "cause": str(error), "fallback": "answer from the documents alone"}]


async def test_a_web_that_finds_nothing_is_no_failure():
    update = await searched(FixedWeb([{**PAGE, "text": "  "}]))
    assert update["web_outcome"] == "nothing"
    assert "degraded" not in update
