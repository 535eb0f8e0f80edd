"""The search of every door: what it refuses, what it embeds, what hints it gives."""

import asyncio

import pytest
from seeding import Text, seed

from retrievers.errors import EmbeddingMismatch, InvalidArgument, StorageError, UnknownCollection
from retrievers.hybrid import HybridSearch
from retrievers.providers.fakes import HashEmbedder
from retrievers.retriever import HybridRetriever
from retrievers.store.collections import ensure_collection
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.types import Filters

PAGES = [
    Text("pump", "A pump moves water. The seal of a pump wears.", title="Pumps", heading_path=("Maintenance", "Seals")),
    Text("valve", "A valve stops water.", title="Valves", heading_path=("Valves",)),
    Text("motor", "A motor drives the pump.", title="Motors", heading_path=("Drives",)),
]


async def documents(search, query="pump water", **given):
    return [passage["document"] for passage in (await search.search(query, **given))["passages"]]


@pytest.mark.rule("store-contract")
async def test_the_default_collection_is_empty_until_something_is_stored(search):
    """store-contract: a fresh tenant finds nothing, and is told that there is nothing."""
    found = await search.search("pump")
    assert (found["passages"], found["chunk_count"], found["degraded"]) == ([], 0, [])
    assert found["no_answer"] == HashEmbedder().spec.no_answer
    assert await search.hints("pump seals") == {"words": [{"word": "pump", "df": 0}, {"word": "seal", "df": 0}], "headings": []}


@pytest.mark.rule("store-contract", "S3")
@pytest.mark.parametrize("name", ["plans", "No Such Name", "x\0y", "'; drop table tadori.chunk; --", ""])
async def test_an_unknown_collection_is_an_error_and_never_empty(search, name):
    """store-contract, S3: whatever the name looks like."""
    with pytest.raises(UnknownCollection):
        await search.search("pump", collection=name)
    with pytest.raises(UnknownCollection):
        await search.hints("pump", collection=name)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k": 0}, "k is 0"),
        ({"k": 201}, "k is 201"),
        ({"mode": "fuzzy"}, "mode 'fuzzy'"),
        ({"fusion": "mean"}, "fusion 'mean'"),
        ({"fusion": "weighted", "weights": (-1.0, 1.0)}, "weights"),
        ({"fusion": "weighted", "weights": (0.0, 0.0)}, "weights"),
        ({"fusion": "weighted", "weights": (float("nan"), 1.0)}, "weights"),
        ({"filters": Filters((("product", "pump"),) * 33)}, "33 filters"),
    ],
)
async def test_what_cannot_be_meant_is_refused(search, given, message):
    with pytest.raises(InvalidArgument, match=message):
        await search.search("pump", **given)


@pytest.mark.rule("emb-advanced", "embed-first")
async def test_a_query_is_embedded_once(database, scope, search, embedder):
    """emb-advanced, embed-first: the second time its vector comes from the cache; mode lexical embeds nothing at all."""
    await seed(database, scope, PAGES)
    await search.search("pump water", mode="lexical")
    assert embedder.queries == []
    first = await search.search("pump water")
    second = await search.search("  pump water\n")
    assert embedder.queries == ["pump water"]
    assert first["passages"] == second["passages"]
    assert set(first["timings_ms"]) == {"embed", "search"}


@pytest.mark.rule("emb-models", "F14")
async def test_another_embedding_model_is_refused(database, scope):
    """emb-models, F14: same size or not, the message says which model is stored and what to do; words alone still search."""
    await seed(database, scope, PAGES)
    other = HybridSearch(database, HashEmbedder(32), EmbeddingCache(database), scope)
    with pytest.raises(
        EmbeddingMismatch, match=r"'hash-64' \(64 dimensions\), and 'hash-32' \(32\) is set: run `tadori reindex --collection default`"
    ):
        await other.search("pump")
    assert await documents(other, mode="lexical") == ["pump", "valve", "motor"]


async def test_words_cut_by_another_analyser_are_refused(database, scope, search):
    await ensure_collection(database, scope, "default", HashEmbedder().spec, "tadori-0")
    with pytest.raises(StorageError, match="'tadori-0'"):
        await search.search("pump")


async def test_a_stored_threshold_and_fusion_come_with_the_result(database, scope, search):
    await seed(database, scope, PAGES)
    found = await search.search("pump")
    assert (found["fusion"], found["chunk_count"], found["no_answer"]) == ("absolute", 3, pytest.approx(0.6))
    assert (await search.search("pump", fusion="rrf"))["fusion"] == "rrf"


async def test_a_passage_says_where_it_stands(database, scope, search):
    await seed(database, scope, PAGES)
    best = (await search.search("seal of a pump", k=1))["passages"][0]
    assert (best["document"], best["title"], best["heading_path"]) == ("pump", "Pumps", ["Maintenance", "Seals"])
    assert (best["text"], best["start"], best["end"]) == (PAGES[0].text, 0, len(PAGES[0].text))
    assert (best["origin"], best["page"], best["url"], best["metadata"]) == ("person", None, None, {})


@pytest.mark.rule("S14")
async def test_a_query_of_a_megabyte_is_searched_in_part_and_says_so(database, scope, search):
    """S14: bounded work; the first words count, and the result tells that the others did not."""
    await seed(database, scope, PAGES)
    query = "pump " + " ".join(f"word{number}" for number in range(120_000))
    found = await search.search(query, mode="lexical")
    assert [p["document"] for p in found["passages"]] == ["pump", "motor"]
    assert found["degraded"] == [("the query has more than 256 distinct words", "the first 256 are looked up")]
    assert len((await search.hints(query))["words"]) == 256


async def test_hints_name_words_by_rarity_and_headings_by_nearness(database, scope, search):
    await seed(database, scope, PAGES)
    hints = await search.hints("How does the seal of a pump move water uphill?")
    assert hints["words"] == [
        {"word": "uphil", "df": 0},
        {"word": "move", "df": 1},
        {"word": "seal", "df": 1},
        {"word": "pump", "df": 2},
        {"word": "water", "df": 2},
    ]
    assert hints["headings"] == ["Seals", "Maintenance", "Pumps", "Valves", "Drives", "Motors"]
    assert (await search.hints("?!"))["words"] == []


@pytest.mark.rule("F26")
async def test_the_retriever_gives_the_same_documents_through_both_doors(database, scope, search):
    """F26: awaited, and called from a thread without a loop, twice."""
    await seed(database, scope, PAGES)
    retriever = HybridRetriever(search=search, k=2, filters=Filters())
    awaited = await retriever.ainvoke("pump water")
    called = [await asyncio.to_thread(retriever.invoke, "pump water") for _ in range(2)]
    assert called == [awaited, awaited]
    assert [document.metadata["document"] for document in awaited] == ["pump", "motor"]
    assert awaited[0].id == awaited[0].metadata["id"]
    assert awaited[0].page_content == PAGES[0].text


async def test_a_documents_own_metadata_cannot_pose_as_ours(database, scope, search):
    await seed(database, scope, [Text("honest", "pump", metadata={"document": "forged", "author": "Ito"})])
    (document,) = await HybridRetriever(search=search).ainvoke("pump")
    assert (document.metadata["document"], document.metadata["author"]) == ("honest", "Ito")
