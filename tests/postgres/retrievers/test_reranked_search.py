"""A search with a reranker behind it: what it is shown, what it changes, and what is left when it fails."""

from datetime import UTC, datetime

import pytest
from reranking import WORDS, cohere, cross_encoder
from seeding import Text, seed
from servers.loopback import Reply

from retrievers.hybrid import HybridSearch
from retrievers.providers.fakes import FixedReranker, HashEmbedder
from retrievers.reranking import Reranking, Threshold
from retrievers.store.embedding_cache import EmbeddingCache

PAGES = [
    Text("pump", "A pump moves water. The seal of a pump wears.", title="Pumps", heading_path=("Maintenance", "Seals")),
    Text("valve", "A valve stops water.", title="Valves", heading_path=("Valves",)),
    Text("motor", "A motor drives the pump.", title="Motors", heading_path=("Drives",)),
]


@pytest.fixture
def reranked(database, scope):
    """Makes the search of the test's tenant with a reranker."""

    def make(reranker, **given):
        return HybridSearch(database, HashEmbedder(), EmbeddingCache(database), scope, Reranking(reranker, **given))

    return make


async def documents(search, query="pump water", **given):
    return [passage["document"] for passage in (await search.search(query, **given))["passages"]]


@pytest.mark.rule("rr-cross", "T14")
async def test_a_reranker_reorders_by_index(database, scope, reranked):
    """rr-cross, T14: scores belong to texts by index, best first; the fused score stays beside the new one."""
    await seed(database, scope, PAGES)
    found = await reranked(FixedReranker({PAGES[1].text: 0.9, PAGES[2].text: 0.8})).search("pump water", k=2)
    assert [(p["document"], p["score"]) for p in found["passages"]] == [("valve", 0.9), ("motor", 0.8)]
    assert all(p["scores"]["fused"] == p["absolute"] != p["score"] for p in found["passages"])
    assert found["degraded"] == []
    assert found["timings_ms"]["rerank"] >= 0


@pytest.mark.rule("T16")
async def test_it_scores_even_when_there_is_nothing_to_drop(database, scope, reranked):
    """T16: three passages for a k of ten are scored all the same, and each carries the threshold."""
    await seed(database, scope, PAGES)
    search = reranked(FixedReranker({PAGES[2].text: 0.9}), threshold=Threshold("relevance", 0.5))
    found = (await search.search("pump water", k=10))["passages"]
    assert [(p["document"], p["reranked"]["score"], p["reranked"]["threshold"]) for p in found] == [
        ("motor", 0.9, 0.5),
        ("pump", 0.0, 0.5),
        ("valve", 0.0, 0.5),
    ]


async def test_it_looks_at_fifty_candidates(database, scope, reranked):
    await seed(database, scope, [Text(f"d{number:02d}", f"pump {number:02d}") for number in range(60)])
    reranker = FixedReranker({"pump 40": 1.0})
    found = await reranked(reranker).search("pump", k=1)
    assert [p["text"] for p in found["passages"]] == ["pump 40"]
    assert len(reranker.texts) == 50


async def test_nothing_found_is_nothing_to_rerank(database, scope, reranked):
    await seed(database, scope, PAGES)
    reranker = FixedReranker()
    found = await reranked(reranker).search("zeppelin", mode="lexical")
    assert (found["passages"], reranker.queries, found["degraded"]) == ([], [], [])


@pytest.mark.rule("F18", "core-pipeline", "R13")
@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (Reply({"message": "invalid api token"}, status=401), "refused the key (401)"),
        (Reply(hang=True), "within 0.5 s"),
        (Reply({"id": "r", "results": []}), "scored 0 of 3 texts"),
        (Reply({"id": "r", "results": [{"index": i, "relevance_score": s} for i, s in enumerate((-11.0, 0.0, 11.0))]}), "outside 0-1"),
        (Reply({"message": "down"}, status=500), "failed (500)"),
    ],
    ids=["401", "time-out", "empty", "logits", "500"],
)
async def test_one_that_fails_leaves_the_base_order_and_says_so(database, scope, search, reranked, fault, cause):
    """F18, core-pipeline, R13: by the real client, it costs no passage, and it shows."""
    await seed(database, scope, PAGES)
    with cohere(fault, fault, fault, timeout_s=0.5) as (reranker, _):
        await reranker.prepare()
        found = await reranked(reranker, timeout_s=5.0).search("pump water")
    assert [p["document"] for p in found["passages"]] == await documents(search)
    assert not any("reranked" in p for p in found["passages"])
    ((what, instead),) = found["degraded"]
    assert what.startswith("reranker cohere:rerank-test: ")
    assert cause in what
    assert instead == "the passages keep the order of the fusion"


@pytest.mark.rule("F18")
async def test_scores_of_six_thousandths_cost_no_passage(database, scope, reranked):
    """F18: they are an order, and no verdict."""
    await seed(database, scope, PAGES)
    search = reranked(FixedReranker({PAGES[0].text: 0.001, PAGES[1].text: 0.002, PAGES[2].text: 0.006}))
    assert await documents(search) == ["motor", "valve", "pump"]


@pytest.mark.rule("rr-cross")
async def test_a_cross_encoder_of_a_folder_reorders_what_the_arms_found(database, scope, reranked, tmp_path):
    """rr-cross: the model counts shared words; among equals of the search it finds the one passage that has both."""
    texts = ["the bolt of the cat", "turn the bolt twelve times", "a bolt"]
    await seed(database, scope, [Text(text, text) for text in texts])
    found = await reranked(cross_encoder(tmp_path)).search("turn twelve bolt")
    assert found["passages"][0]["document"] == texts[1]
    assert found["passages"][0]["reranked"]["scale"] == "sigmoid"
    assert found["passages"][0]["score"] == pytest.approx(0.99966, abs=1e-4)
    assert set(WORDS) >= {"turn", "twelve", "bolt"}


@pytest.mark.rule("T17", "rr-cross")
@pytest.mark.parametrize("query", ["bolt トルク 回転", "bolt"], ids=["question", "passage"])
async def test_an_english_cross_encoder_is_left_out_where_another_script_is(database, scope, search, reranked, tmp_path, query):
    """T17, rr-cross: in the question or among the passages; the base order stands, and the reason is given."""
    await seed(database, scope, [Text("ja", "ボルトの締付けトルクは bolt 12Nm"), Text("en", "the bolt")])
    found = await reranked(cross_encoder(tmp_path)).search(query)
    assert [p["document"] for p in found["passages"]] == await documents(search, query)
    ((what, _),) = found["degraded"]
    assert "is not declared multilingual, and the query or a passage is in another script" in what


@pytest.mark.rule("rr-combined", "T15")
async def test_the_combined_order_prefers_the_newer_of_two_equals_and_shows_its_parts(database, scope, reranked):
    """rr-combined, T15: half-lives of 180 days; a document without a date is in the middle; under rrf too."""
    now = datetime(2026, 11, 30, tzinfo=UTC)
    dated = [
        Text("old", "pump seal one", modified=datetime(2024, 11, 30, tzinfo=UTC)),
        Text("undated", "pump seal two"),
        Text("new", "pump seal six", modified=datetime(2026, 11, 29, tzinfo=UTC)),
    ]
    await seed(database, scope, dated)
    same = FixedReranker({text.text: 0.5 for text in dated})
    for fusion in ("absolute", "rrf"):
        found = (await reranked(same, combine=True, now=lambda: now).search("pump seal", fusion=fusion))["passages"]
        recency = {p["document"]: p["reranked"]["parts"]["recency"] for p in found}
        assert recency == pytest.approx({"new": 0.996, "undated": 0.5, "old": 0.06}, abs=0.001)
        assert all(p["reranked"]["parts"]["model"] == 1.0 and 0 <= p["reranked"]["parts"]["base"] <= 1 for p in found)
        assert [p["score"] for p in found] == sorted((p["score"] for p in found), reverse=True)
        assert all(0 <= p["score"] <= 1 for p in found)
    by_age = (await reranked(same, combine=True, now=lambda: now).search("pump seal", mode="lexical"))["passages"]
    assert [p["document"] for p in by_age] == ["new", "undated", "old"]


async def test_a_passage_says_when_its_document_was_modified(database, scope, search):
    await seed(database, scope, [Text("dated", "pump", modified=datetime(2026, 5, 1, 9, tzinfo=UTC)), Text("undated", "pump pump")])
    found = {p["document"]: p["modified"] for p in (await search.search("pump"))["passages"]}
    assert datetime.fromisoformat(found["dated"]) == datetime(2026, 5, 1, 9, tzinfo=UTC)
    assert found["undated"] is None
