"""The one statement: its BM25 against bm25s, its fusions against retrievers.fusion, its modes, ties and empty cases."""

import logging

import bm25s
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seeding import Text, seed

from retrievers.fusion import rrf, weighted
from retrievers.providers.fakes import HashEmbedder
from retrievers.store.documents import DocumentStore
from retrievers.text.analysis import analyse, query_words

logging.getLogger("bm25s").setLevel(logging.WARNING)

TEXTS = {
    "index": "A concurrent index build takes no lock that blocks writes to the table.",
    "lock": "A lock blocks other writers; an exclusive lock blocks readers as well, and a lock is held to the end.",
    "vacuum": "Vacuum removes dead rows and does not block reading or writing.",
    "backup": "A base backup copies the files while the server runs; the log fills the gaps.",
    "replica": "A replica follows the log of the primary server and answers reading queries.",
    "torque": "XR-4200のトルク仕様は12Nmです。締め付けは二回に分けて行います。",
    "meeting": "アレックスは共同創業者で、毎週金曜に打ち合わせがある。",
    "deploy": "go 服务的部署流程：先构建镜像，再滚动更新。",
}
QUERIES = (
    "which lock blocks writes",
    "lock",
    "log of the server",
    "files rows readers",
    "XR-4200のトルク",
    "毎週の打ち合わせ",
    "go 部署",
    "vacuum vacuum unknownword",
)


def reference(texts, query):
    """BM25 by bm25s on the same words: its method lucene leaves out the factor (k1 + 1)."""
    sources = list(texts)
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75, dtype="float64")
    index.index([analyse(texts[source]) for source in sources], show_progress=False)
    words = [word for word in query_words(query) if word in index.vocab_dict]
    if not words:
        return {}
    scores = 2.2 * index.get_scores(words)
    return {source: float(score) for source, score in zip(sources, scores, strict=True) if score > 0}


async def lexical(search, query):
    found = await search.search(query, k=200, mode="lexical")
    return {passage["document"]: passage["scores"]["bm25"] for passage in found["passages"]}


@pytest.mark.rule("T11")
@pytest.mark.parametrize("query", QUERIES)
async def test_bm25_equals_bm25s(database, scope, search, query):
    """T11: what is called BM25 is BM25: scores and order equal an outside implementation's."""
    await seed(database, scope, [Text(source, text) for source, text in TEXTS.items()])
    found = await lexical(search, query)
    expected = reference(TEXTS, query)
    assert expected
    assert found == pytest.approx(expected, abs=1e-5)
    assert list(found.values()) == sorted(found.values(), reverse=True)


@pytest.mark.rule("R18")
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcdef"),
            st.none() | st.lists(st.sampled_from(["lock", "index", "log", "トルク", "金曜"]), min_size=1, max_size=8),
        ),
        min_size=1,
        max_size=12,
    )
)
async def test_bm25_stays_exact_through_inserts_updates_and_deletes(database, search, scope, changes):
    """R18: after any mix of changes the scores equal those of bm25s on what is left."""
    collection = await seed(database, scope, [])
    store = DocumentStore(database)
    await store.delete(scope, collection, await store.sources(scope, collection))
    left = {}
    for source, words in changes:
        if words is None:
            left.pop(source, None)
            await store.delete(scope, collection, [source])
        else:
            left[source] = " ".join([source * 3, *words])
            await seed(database, scope, [Text(source, left[source])])
    for query in ("lock log", "金曜のトルク", "index"):
        assert await lexical(search, query) == pytest.approx(reference(left, query) if left else {}, abs=1e-5)


@pytest.mark.rule("T18")
async def test_a_rare_word_outranks_common_ones(database, scope, search):
    """T18: one passage with the rare word beats the many with the common word, however often they say it."""
    common = [Text(f"common-{number}", f"server server server server note {number}") for number in range(9)]
    await seed(database, scope, [*common, Text("rare", "the server uses write-ahead checkpoints")])
    found = await search.search("server checkpoints", mode="lexical")
    assert found["passages"][0]["document"] == "rare"


@pytest.mark.rule("core-hybrid", "pg-hybrid")
async def test_every_candidate_has_both_scores(database, scope, search):
    """core-hybrid, pg-hybrid: a hit of the vector arm alone gets its BM25, one of the lexical arm alone its cosine."""
    await seed(database, scope, [Text(source, text) for source, text in TEXTS.items()])
    found = await search.search("which lock blocks writes", k=200)
    bm25 = {passage["document"]: passage["scores"]["bm25"] for passage in found["passages"]}
    assert bm25 == pytest.approx(dict.fromkeys(TEXTS, 0.0) | reference(TEXTS, "which lock blocks writes"), abs=1e-5)
    assert all(-1 <= passage["scores"]["cosine"] <= 1 for passage in found["passages"])


@pytest.mark.rule("core-hybrid")
async def test_a_lexical_hit_beyond_the_vector_arms_reach_gets_its_cosine(database, scope, search):
    """core-hybrid: fetch 3 under rrf leaves the best lexical hit outside the vector arm; its cosine is looked up."""
    near = (await HashEmbedder().embed_query("lock")).astype(np.float32)
    others = [Text(f"near-{number}", f"unrelated text {number}", vector=near) for number in range(5)]
    await seed(database, scope, [*others, Text("words", "lock", vector=-near)])
    found = await search.search("lock", k=1, fusion="rrf")
    both = await search.search("lock", k=6, fusion="rrf")
    assert {passage["document"]: round(passage["scores"]["cosine"], 3) for passage in both["passages"]}["words"] == -1.0
    assert found["passages"][0]["scores"]["fused"] == pytest.approx(1 / 61)


@pytest.mark.rule("core-hybrid", "T15")
async def test_rrf_and_weighted_agree_with_the_pure_functions(database, scope, search):
    """T15, core-hybrid: the statement computes what retrievers.fusion computes, ranks by rank and scores by score."""
    await seed(database, scope, [Text(source, text) for source, text in TEXTS.items()])
    query = "which lock blocks reading of the log"
    passages = {passage["id"]: passage for passage in (await search.search(query, k=200))["passages"]}
    bm25 = {key: passage["scores"]["bm25"] for key, passage in passages.items()}
    cosine = {key: passage["scores"]["cosine"] for key, passage in passages.items()}
    lexical_ranking = [key for key in sorted(bm25, key=lambda key: (-bm25[key], key)) if bm25[key] > 0]
    vector_ranking = sorted(cosine, key=lambda key: (-cosine[key], key))
    by_rank = await search.search(query, k=200, fusion="rrf")
    by_weight = await search.search(query, k=200, fusion="weighted", weights=(0.3, 0.7))
    expected_rank, expected_weight = rrf([lexical_ranking, vector_ranking]), weighted(bm25, cosine, (0.3, 0.7))
    assert {passage["id"]: passage["score"] for passage in by_rank["passages"]} == pytest.approx(expected_rank)
    assert {passage["id"]: passage["score"] for passage in by_weight["passages"]} == pytest.approx(expected_weight)
    assert [passage["id"] for passage in by_rank["passages"]] == list(expected_rank)
    assert [passage["id"] for passage in by_weight["passages"]] == list(expected_weight)


@pytest.mark.rule("core-hybrid")
async def test_the_absolute_score_is_there_whatever_the_fusion(database, scope, search):
    """core-hybrid: absolute is weight * bm25 / bm25max + cosine; a word that the collection lacks counts the largest idf it knows."""
    await seed(database, scope, [Text(source, text) for source, text in TEXTS.items()])
    idf = {df: np.log(1 + (8 - df + 0.5) / (df + 0.5)) for df in (1, 2)}
    largest = 2.2 * (idf[2] + idf[1])  # lock stands in two texts, the other word in none
    for fusion in ("absolute", "rrf", "weighted"):
        found = await search.search("lock zzz", k=200, fusion=fusion)
        for passage in found["passages"]:
            expected = 1.0 * passage["scores"]["bm25"] / largest + passage["scores"]["cosine"]
            assert passage["absolute"] == pytest.approx(expected, abs=1e-8)
            assert passage["score"] == passage["absolute"] or fusion != "absolute"


@pytest.mark.rule("T10")
async def test_an_arm_that_did_not_run_has_no_score(database, scope, search):
    """T10: a missing score is None, never 1 - nothing, and no absolute score is made up from half."""
    await seed(database, scope, [Text(source, text) for source, text in TEXTS.items()])
    words = (await search.search("lock", mode="lexical"))["passages"]
    meaning = (await search.search("lock", mode="vector"))["passages"]
    assert [(p["scores"]["cosine"], p["absolute"]) for p in words] == [(None, None)] * 2
    assert [(p["scores"]["bm25"], p["absolute"]) for p in meaning] == [(None, None)] * 8
    assert all(p["score"] == p["scores"]["bm25"] for p in words)
    assert all(p["score"] == p["scores"]["cosine"] for p in meaning)


@pytest.mark.rule("T10")
@pytest.mark.parametrize("fusion", ["absolute", "rrf", "weighted"])
async def test_a_chunk_whose_vector_has_no_length_is_found_by_its_words_alone(database, scope, search, fusion):
    """T10: a cosine that is not a number is no score; it neither leads the ranking nor hides the chunk."""
    await seed(
        database, scope, [Text("blank", "lock", vector=np.zeros(64, np.float32)), Text("good", "a lock blocks"), Text("other", "tea")]
    )
    found = (await search.search("lock blocks", fusion=fusion))["passages"]
    assert found[0]["document"] == "good"
    assert {p["document"]: p["scores"]["cosine"] is None for p in found} == {"blank": True, "good": False, "other": False}
    assert [p["document"] for p in (await search.search("lock blocks", mode="vector"))["passages"]] == ["good", "other"]


async def test_equal_scores_are_ordered_by_id(database, scope, search):
    same = (await HashEmbedder().embed_query("x")).astype(np.float32)
    await seed(database, scope, [Text(f"d{number}", f"lock {number:03d}", vector=same) for number in range(30)])
    for mode in ("hybrid", "lexical", "vector"):
        for fusion in ("absolute", "weighted"):
            ids = [p["id"] for p in (await search.search("lock", k=5, mode=mode, fusion=fusion))["passages"]]
            everyone = [p["id"] for p in (await search.search("lock", k=200, mode=mode, fusion=fusion))["passages"]]
            assert everyone == sorted(everyone)
            assert ids == everyone[:5]


@pytest.mark.rule("lexical-query")
@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\u3000", "\0"])
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "vector"])
async def test_a_blank_query_finds_nothing(database, scope, search, query, mode):
    """lexical-query: an empty query returns nothing, never recent items."""
    await seed(database, scope, [Text(source, text) for source, text in TEXTS.items()])
    found = await search.search(query, mode=mode)
    assert found["passages"] == []
    assert found["chunk_count"] == 8


@pytest.mark.rule("lexical-query")
async def test_a_query_without_words_finds_nothing_by_words(database, scope, search):
    """lexical-query: punctuation and function words alone match nothing in mode lexical, and mode hybrid goes by meaning alone."""
    await seed(database, scope, [Text(source, text) for source, text in TEXTS.items()])
    for query in ("?!", "the of and"):
        assert (await search.search(query, mode="lexical"))["passages"] == []
        hybrid = (await search.search(query, k=200))["passages"]
        assert len(hybrid) == 8
        assert all(p["scores"]["bm25"] == 0 and p["absolute"] == p["scores"]["cosine"] for p in hybrid)


@pytest.mark.rule("T8", "F6")
async def test_a_natural_question_is_not_an_and_of_its_words(database, scope, search):
    """T8, F6: no text holds every word of the question; the one with its rare words comes first."""
    await seed(database, scope, [Text(source, text) for source, text in TEXTS.items()])
    found = await search.search("What is the best way to build an index when people write to the table all day long?", mode="lexical")
    assert found["passages"][0]["document"] == "index"


@pytest.mark.rule("F3", "cjk", "T8", "T20")
@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("XR-4200", "torque"),
        ("トルク", "torque"),
        ("金曜", "meeting"),
        ("アレックスとの予定は？", "meeting"),
        ("ﾄﾙｸ", "torque"),
        ("ｘｒ４２００", "torque"),
    ],
)
async def test_japanese_words_are_found_inside_a_sentence(database, scope, search, query, document):
    """F3, cjk, T8, T20: the lexical arm alone finds each, in full and in half width, as a code and as a part of a sentence."""
    await seed(database, scope, [Text(source, text) for source, text in TEXTS.items()])
    found = await search.search(query, mode="lexical")
    assert found["passages"][0]["document"] == document


@pytest.mark.rule("F4", "cjk")
@pytest.mark.parametrize(
    ("query", "latin", "cjk"),
    [("go 部署 deployment", "go", "部署"), ("記憶 システム memory", "memory", "記憶"), ("cron 定時", "cron", "定時")],
)
async def test_both_halves_of_a_mixed_query_count(database, scope, search, query, latin, cjk):
    """F4, cjk: a text with both halves beats a text with either, and either half alone is found."""
    texts = [
        Text("latin", f"about {latin} only"),
        Text("cjk", f"{cjk}について"),
        Text("both", f"{latin} と {cjk}"),
        Text("none", "something else"),
    ]
    await seed(database, scope, texts)
    found = [passage["document"] for passage in (await search.search(query, mode="lexical"))["passages"]]
    assert found[0] == "both"
    assert set(found) == {"both", "latin", "cjk"}
