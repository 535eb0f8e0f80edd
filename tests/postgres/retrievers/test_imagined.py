"""A search with imagined passages: what they are near to is found as well, and measured by the question itself."""

import pytest
from seeding import Text, seed

from retrievers.errors import InvalidArgument, ProviderUnavailable
from retrievers.hybrid import HybridSearch
from retrievers.passages import Bounds, Imagined
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.tools import search_tool
from retrievers.types import Filters

QUESTION = "Why does it rattle?"
ANSWER = "Worn bearings cause vibration at high speed."
PAGES = [Text("vibration", "Worn bearings cause vibration at high speed until they are greased.", title="Motors")] + [
    Text(f"note-{number}", f"Why does form {number} matter? It does, says note {number}.", title="Notes") for number in range(12)
]


def documents(result):
    return [passage["document"] for passage in result["passages"]]


@pytest.mark.rule("hyde")
async def test_what_the_questions_words_miss_is_found_by_an_imagined_passage(database, scope, search):
    """hyde: "why does it rattle" shares no word with its answer."""
    await seed(database, scope, PAGES)
    assert "vibration" not in documents(await search.search(QUESTION, k=3))
    found = await search.search(QUESTION, k=3, hypothetical=[ANSWER])
    assert "vibration" in documents(found)
    assert len(found["passages"]) == 3


@pytest.mark.rule("hyde", "no-answer")
async def test_every_passage_keeps_the_questions_own_score(database, scope, search):
    """hyde, no-answer: the threshold means what it meant; the imagined score stands beside it."""
    await seed(database, scope, PAGES)
    plain = {passage["id"]: passage for passage in (await search.search(QUESTION, k=13))["passages"]}
    found = {passage["document"]: passage for passage in (await search.search(QUESTION, k=3, hypothetical=[ANSWER]))["passages"]}
    for passage in found.values():
        assert passage["absolute"] == pytest.approx(plain[passage["id"]]["absolute"])
        assert passage["scores"]["cosine"] == pytest.approx(plain[passage["id"]]["scores"]["cosine"])
    assert found["vibration"]["hypothetical"] > 0.8 > found["vibration"]["absolute"]


@pytest.mark.rule("hyde-per-concept")
async def test_several_imagined_passages_are_searched_with_by_their_mean(database, scope, search):
    """hyde-per-concept: what either of them is near to is found by one search."""
    await seed(database, scope, [*PAGES, Text("grease", "Lithium paste lasts longest under load.", title="Supplies")])
    found = documents(await search.search(QUESTION, k=4, hypothetical=[ANSWER, "Lithium paste lasts longest."]))
    assert {"vibration", "grease"} <= set(found)


@pytest.mark.rule("hyde", "embed-first")
async def test_an_imagined_passage_is_embedded_as_a_passage_and_once(database, scope, search, embedder):
    """hyde, embed-first: on the passage side, from the cache the second time."""
    await seed(database, scope, PAGES)
    for _ in range(2):
        await search.search(QUESTION, hypothetical=[ANSWER, f"  {ANSWER}\n", " "])
    assert (embedder.passages, embedder.queries) == ([ANSWER], [QUESTION])


async def test_a_search_by_words_alone_has_no_use_for_them(database, scope, search, embedder):
    await seed(database, scope, PAGES)
    await search.search(QUESTION, mode="lexical", hypothetical=[ANSWER])
    assert embedder.passages == []


@pytest.mark.rule("hyde", "F9", "pg-meta")
async def test_an_imagined_passage_finds_nothing_beyond_the_filters_and_the_readers(database, scope, search):
    """hyde, F9, pg-meta: the same conditions as the question's own search."""
    await seed(database, scope, [*PAGES, Text("secret", f"{ANSWER} Secret.", readers=("user:ann",))])
    filtered = await search.search(QUESTION, hypothetical=[ANSWER], filters=Filters((("no", "such"),)))
    assert filtered["passages"] == []
    other = HybridSearch(database, HashEmbedder(), EmbeddingCache(database), Scope.member(scope.tenant))
    assert "secret" not in documents(await other.search(QUESTION, k=20, hypothetical=[ANSWER]))


@pytest.mark.rule("hyde-fallback", "F18")
async def test_passages_that_cannot_be_embedded_leave_the_questions_own_search(database, scope):
    """hyde-fallback, F18: and the result says so."""
    await seed(database, scope, PAGES)

    class Half(HashEmbedder):
        async def embed_passages(self, texts):
            raise ProviderUnavailable("the embedding server is down")

    search = HybridSearch(database, Half(), EmbeddingCache(database), scope)
    found = await search.search(QUESTION, k=3, hypothetical=[ANSWER])
    assert documents(found) == documents(await search.search(QUESTION, k=3))
    assert found["degraded"] == [("the embedding server is down", "searched without the imagined passages")]


@pytest.mark.rule("S14")
async def test_more_imagined_passages_than_any_question_has_parts_are_refused(search):
    """S14: bounded before anything is embedded."""
    with pytest.raises(InvalidArgument, match="9 imagined passages"):
        await search.search(QUESTION, hypothetical=[f"text {number}" for number in range(9)])


@pytest.mark.rule("hyde")
async def test_the_tool_takes_them_from_its_caller(database, scope, search):
    """hyde: the graph's own node hands them over as an object."""
    await seed(database, scope, PAGES)
    arguments = {"query": QUESTION, "k": 3, "bounds": Bounds(), "imagined": Imagined((ANSWER,))}
    tool = search_tool(search)
    message = await tool.ainvoke({"type": "tool_call", "id": "1", "name": tool.name, "args": arguments})
    assert "vibration" in documents(message.artifact)
