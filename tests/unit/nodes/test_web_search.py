"""The web is asked once, for the user's own question, and its pages are passages like any other."""

import pytest
from turns import runtime, turn

from nodes.web_search import web_search
from retrievers.errors import MissingExtra, ProviderError, ProviderRateLimited, ProviderUnavailable
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
@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (ProviderRateLimited("over the limit"), "rate_limited"),
        (ProviderUnavailable("did not answer within 15 s"), "unavailable"),
        (ProviderError("refused"), "failed"),
        (MissingExtra("TADORI_WEB_SEARCH=ddgs", "ddgs"), "failed"),
    ],
)
async def test_a_web_that_fails_is_a_degradation(error, outcome):
    """F25, R13: the reason is kept, and the turn goes on."""
    update = await searched(FixedWeb(error=error))
    assert update["web_outcome"] == outcome
    assert update["degraded"] == [{"step": "web_search", "cause": str(error), "fallback": "answer from the documents alone"}]


@pytest.mark.rule("F25")
@pytest.mark.parametrize("long", ["We talked of many things at tea. " * 20, "お茶を飲みながらいろいろな話をしました。" * 30])
async def test_a_long_question_is_condensed_for_any_web_search(long):
    """F25: what asks is kept; the question itself stays as it is."""
    web = FixedWeb([PAGE])
    update = await web_search(turn(long + "How far is the moon?"), runtime(), tool=web_tool(web), embedder=HashEmbedder())
    assert len(web.queries[0]) <= 400
    assert web.queries[0].endswith("How far is the moon?")
    assert "question" not in update


@pytest.mark.rule("S9", "crag")
async def test_one_site_brings_two_pages_at_most():
    """S9, crag: five planted pages of one site, under any of its names, do not crowd out another's; a copied text comes once."""
    planted = [
        {**OTHER, "url": f"https://{name}example.co.jp/{number}", "text": f"The moon is {number} km away."}
        for number, name in enumerate(["", "a.", "b.", "www.", ""])
    ]
    copied = {**PAGE, "url": "https://copies.example/moon"}
    update = await searched(FixedWeb([*planted[:3], PAGE, copied]))
    assert {page["url"] for page in update["passages"]} == {planted[0]["url"], planted[1]["url"], PAGE["url"]}
    assert update["trail"][0]["reason"].endswith("; 2 more of the same sites, or copies, were left out")


@pytest.mark.parametrize("url", ["", "no address", "https://[::1", "https://localhost/a"])
async def test_an_odd_address_is_a_site_of_its_own(url):
    assert len((await searched(FixedWeb([{**PAGE, "url": url}])))["passages"]) == 1


async def test_a_web_that_finds_nothing_is_no_failure():
    update = await searched(FixedWeb([{**PAGE, "text": "  "}]))
    assert update["web_outcome"] == "nothing"
    assert "degraded" not in update
