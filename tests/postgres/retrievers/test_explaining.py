"""Explained searches: the same hits, every candidate with its reason, and why a named passage is none."""

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seeding import Text, seed

from retrievers import hybrid
from retrievers.errors import InvalidArgument, UnknownCollection
from retrievers.explaining import ExplainedSearch
from retrievers.fusion import fetch_count
from retrievers.passages import unknown_passage
from retrievers.providers.fakes import FixedReranker, HashEmbedder
from retrievers.reranking import Reranking
from retrievers.scope import Scope
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.types import Filters

PAGES = [
    Text(f"page {number:03}", f"The pump number {number} moves water. " + "More about the pump. " * (number % 7)) for number in range(150)
]
ODD = Text(
    "kettle", "A kettle boils tea on the stove.", title="Kettle", metadata={"year": "2019"}, modified=datetime(2019, 5, 1, tzinfo=UTC)
)


@pytest.fixture
def explained(database, scope, embedder):
    return ExplainedSearch(database, embedder, EmbeddingCache(database), scope)


@pytest.fixture
async def pages(database, scope):
    await seed(database, scope, [*PAGES, ODD])


def of(explanation, document):
    return next(candidate for candidate in explanation["candidates"] if candidate["document"] == document)


@pytest.mark.rule("disclosure")
@pytest.mark.parametrize("fusion", ["absolute", "rrf", "weighted"])
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "vector"])
async def test_the_hits_are_those_of_the_search_and_the_candidates_begin_with_them(pages, explained, mode, fusion):
    """disclosure: what is explained is the search itself; candidates of both arms come back in its order."""
    given = {"k": 7, "mode": mode, "fusion": fusion}
    searched = await explained.search("pump number 3 water", **given)
    explanation = await explained.explain("pump number 3 water", **given)
    fetch = fetch_count(fusion, 7)
    assert explanation["passages"] == searched["passages"]
    assert [candidate["id"] for candidate in explanation["candidates"][:7]] == [passage["id"] for passage in searched["passages"]]
    assert fetch <= len(explanation["candidates"]) <= 2 * fetch
    assert [candidate["rank"] for candidate in explanation["candidates"]] == [*range(1, len(explanation["candidates"]) + 1)]
    assert explanation["why"] is None


async def test_each_candidate_has_its_rank_and_score_in_each_arm(pages, explained):
    explanation = await explained.explain("pump number 3 water", k=3)
    by_words = sorted((c for c in explanation["candidates"] if c["ranks"]["lexical"]), key=lambda c: c["ranks"]["lexical"])
    by_meaning = sorted((c for c in explanation["candidates"] if c["ranks"]["vector"]), key=lambda c: c["ranks"]["vector"])
    assert [c["ranks"]["lexical"] for c in by_words][:100] == [*range(1, 101)]
    assert [c["ranks"]["vector"] for c in by_meaning][:100] == [*range(1, 101)]
    assert [c["scores"]["bm25"] for c in by_words] == sorted((c["scores"]["bm25"] for c in by_words), reverse=True)
    assert [c["scores"]["cosine"] for c in by_meaning] == sorted((c["scores"]["cosine"] for c in by_meaning), reverse=True)
    assert [(c["verdict"], c["kept"]) for c in explanation["candidates"][3:]] == [("below_k", False)] * len(explanation["candidates"][3:])


async def test_a_reranker_shows_what_it_moved(database, scope):
    await seed(database, scope, PAGES)
    reranking = Reranking(FixedReranker({PAGES[140].text: 0.9, PAGES[3].text: 0.1}))
    explained = ExplainedSearch(database, HashEmbedder(), EmbeddingCache(database), scope, reranking)
    explanation = await explained.explain("pump number 3 water", k=1)
    assert explanation["passages"] == (await explained.search("pump number 3 water", k=1))["passages"]
    top = explanation["candidates"][0]
    assert (top["rank"], top["kept"] or top["verdict"] == "below_threshold") == (1, True)
    unread = [c for c in explanation["candidates"] if c["fused_rank"] > 50]
    assert {c["why"].split(", and ")[-1] for c in unread} == {"only the first 50 were reranked"}
    assert [c["rank"] for c in unread] == [c["fused_rank"] for c in unread]


@pytest.mark.rule("F9", "S1", "S2")
async def test_unknown_foreign_and_unreadable_passages_are_told_apart_by_nothing(database, scope, tenant, embedder, pages):
    """F9, S1, S2: one text for all three, by id and by source, and no figure with it."""
    other = Scope.operator(f"{tenant}-next-door")
    await seed(database, other, [Text("their page", "The pump of the neighbours moves water.")])
    await seed(database, scope, [Text("secret page", "The secret pump moves water.", readers=("group:crew",))])
    theirs = ExplainedSearch(database, embedder, EmbeddingCache(database), other)
    own = ExplainedSearch(database, embedder, EmbeddingCache(database), scope)
    member = ExplainedSearch(database, embedder, EmbeddingCache(database), Scope.member(tenant))
    foreign = of(await theirs.explain("pump water"), "their page")["id"]
    secret = of(await own.explain("secret pump water"), "secret page")["id"]
    for name in ("nothing", foreign, "their page", secret, "secret page"):
        reason = (await member.explain("pump water", why=name))["why"]
        assert {**reason, "name": "", "why": ""} == {**(await member.explain("pump", why="?"))["why"], "name": "", "why": ""}
        assert (reason["verdict"], reason["why"]) == ("unknown", unknown_passage(name))
    assert (await own.explain("secret pump water", why="secret page", k=200))["why"]["verdict"] != "unknown"


async def test_a_filter_that_is_not_met_is_named(pages, explained):
    filters = Filters((("year", "2019"), ("kind", "memo")), since=datetime(2020, 1, 1, tzinfo=UTC))
    reason = (await explained.explain("kettle tea", why="kettle", filters=filters))["why"]
    assert (reason["verdict"], reason["why"]) == (
        "filtered",
        "its document does not meet the filter since 2020-01-01T00:00:00+00:00, kind=memo",
    )
    assert [entry["met"] for entry in reason["conditions"]] == [False, True, False]
    assert reason["scores"]["bm25"] > 0, "its scores are shown all the same"


async def test_what_no_arm_brought_is_told_by_how_much_it_missed(pages, explained):
    reason = (await explained.explain("pump number 3 water", why="kettle", k=3))["why"]
    assert (reason["verdict"], reason["scores"]["bm25"], reason["candidate"]) == ("not_candidate", 0.0, None)
    assert reason["scores"]["cosine"] < reason["last"]["cosine"]
    assert reason["why"].startswith("in neither arm's candidates: it holds no word of the query; by meaning its cosine is ")


async def test_a_candidate_below_k_is_told_its_rank_and_the_words_it_holds_and_lacks(pages, explained):
    explanation = await explained.explain("pump number 3 kettles", why="page 120", k=3)
    reason, own = explanation["why"], of(explanation, "page 120")
    assert (reason["verdict"], reason["candidate"], reason["id"]) == ("below_k", own, own["id"])
    assert reason["why"] == f"below k: rank {own['rank']} of {len(explanation['candidates'])}, and k is 3"
    held = {word["word"]: word["count"] for word in reason["words"]}
    assert (held["pump"] > 0, held["number"], held["3"], held["kettl"]) == (True, 1, 0, 0)
    weights = {word["word"]: word["weight"] for word in reason["words"]}
    assert weights["kettl"] == weights["3"] > weights["pump"] > 0
    assert {word["word"]: word["df"] for word in reason["words"]} == {"pump": 150, "number": 150, "3": 1, "kettl": 1}


async def test_a_hit_is_told_to_be_one_by_its_id_as_by_its_source(pages, explained):
    explanation = await explained.explain("kettle boils tea", why="kettle")
    assert (explanation["why"]["verdict"], explanation["why"]["why"]) == ("kept", "hit 1")
    assert (await explained.explain("kettle boils tea", why=explanation["why"]["id"]))["why"] == {
        **explanation["why"],
        "name": explanation["why"]["id"],
    }


@pytest.mark.rule("no-answer")
async def test_a_hit_below_the_threshold_is_told_both_figures(pages, explained):
    """no-answer: a hit that no prompt would hold."""
    reason = (await explained.explain("zebra stove", why="kettle", k=200))["why"]
    assert (reason["verdict"], reason["no_answer"]) == ("below_threshold", pytest.approx(0.6))
    assert f"{reason['absolute']:.3f} < 0.600" in reason["why"]


@pytest.mark.rule("T10")
@pytest.mark.parametrize(("mode", "missing"), [("lexical", "cosine"), ("vector", "bm25")])
async def test_an_arm_that_did_not_run_has_no_scores(pages, explained, mode, missing):
    """T10: None, never a number that was not computed."""
    reason = (await explained.explain("pump number 3", why="kettle", mode=mode, k=3))["why"]
    assert (reason["scores"][missing], reason["last"][missing], reason["absolute"]) == (None, None, None)
    assert missing not in reason["why"]


async def test_the_scores_of_a_named_passage_are_the_searchs_own(pages, explained):
    """Also of one that was no candidate: those that it has where both arms bring more."""
    wide = {c["id"]: c for c in (await explained.explain("pump number 3 water", k=200))["candidates"]}
    few = await explained.explain("pump number 3 water", k=1, fusion="rrf")
    brought = {candidate["id"] for candidate in few["candidates"]}
    for id in [*sorted(wide.keys() - brought)[::30], *brought]:
        reason = (await explained.explain("pump number 3 water", k=1, fusion="rrf", why=id))["why"]
        assert (reason["verdict"] == "not_candidate") == (id not in brought)
        assert reason["scores"] == {"bm25": wide[id]["scores"]["bm25"], "cosine": wide[id]["scores"]["cosine"]}


async def test_a_source_with_the_text_of_another_is_told_as_itself(database, scope, explained):
    await seed(database, scope, [Text("first", "The pump moves water.")])
    await seed(database, scope, [Text("second", "The pump moves water.")])
    reason = (await explained.explain("pump water", why="second"))["why"]
    assert (reason["document"], reason["verdict"]) == ("second", "kept")


@pytest.mark.rule("S15")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(max_size=40) | st.sampled_from(["%", "'; drop table tadori.chunk; --", "{passes}", "\0", "\ud800", "x" * 9000]))
async def test_no_name_is_anything_but_unknown(database, scope, embedder, name):
    """S15: whatever is named, it is a value."""
    await seed(database, scope, [ODD])
    explained = ExplainedSearch(database, embedder, EmbeddingCache(database), scope)
    assert (await explained.explain("kettle", why=name))["why"]["verdict"] == "unknown"


@pytest.mark.rule("store-contract", "S3")
async def test_it_refuses_what_the_search_refuses(explained):
    """store-contract, S3."""
    with pytest.raises(InvalidArgument, match="k is 0"):
        await explained.explain("pump", k=0)
    with pytest.raises(UnknownCollection):
        await explained.explain("pump", collection="plans", why="x")


async def test_in_an_empty_collection_there_is_nothing_to_explain(explained):
    explanation = await explained.explain("pump", why="x")
    assert (explanation["passages"], explanation["candidates"], explanation["why"]["verdict"]) == ([], [], "unknown")
    assert hybrid.HybridSearch.search is ExplainedSearch.search
