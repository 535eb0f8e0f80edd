"""The chunks as langchain-postgres sees them: found with their metadata, one tenant's alone, never changed."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from langchain_core.documents import Document
from langchain_postgres import PGVectorStore
from seeding import Text, seed
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

import retrievers
from retrievers.errors import EmbeddingMismatch, StorageError, UnknownCollection
from retrievers.langchain_embeddings import EmbedderEmbeddings
from retrievers.pgvector_store import ReadOnlyPGVectorStore, open_pgvector_store
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store.database import Database


@pytest.fixture
async def filled(database: Database, scope: Scope) -> Database:
    """Three documents of the tenant, and a near twin of the first in another tenant and in another collection."""
    await seed(
        database,
        scope,
        [
            Text(
                "pump.md", "The feed pump runs at 40 bar.", "Pumps", ("Feed", "Pressure"), {"url": "https://example.org/pump", "line": "A"}
            ),
            Text("cat.md", "Cats sleep most of the day.", "Cats"),
            Text("crew.md", "The spare feed pump key is with Ito.", "Keys", readers=("group:crew",)),
        ],
    )
    await seed(database, scope, [Text("old.md", "The old feed pump ran at 30 bar.")], collection="archive")
    await seed(database, Scope.operator(f"{scope.tenant}-x"), [Text("theirs.md", "The feed pump runs at 40 bar and is theirs.")])
    return database


@pytest.fixture
async def store(filled: Database, scope: Scope) -> AsyncIterator[ReadOnlyPGVectorStore]:
    store = await open_pgvector_store(filled, HashEmbedder(), scope=scope)
    yield store
    await store.aclose()


def sources(documents: list[Document]) -> list[str]:
    return [document.metadata["source"] for document in documents]


async def test_a_search_finds_the_chunk_with_its_metadata(store: ReadOnlyPGVectorStore) -> None:
    found = await store.asimilarity_search("feed pump bar", k=1)

    assert found[0].page_content == "The feed pump runs at 40 bar."
    assert found[0].metadata == {
        "source": "pump.md",
        "title": "Pumps",
        "heading_path": ["Feed", "Pressure"],
        "page": None,
        "url": "https://example.org/pump",
        "origin": "person",
        "language": "und",
        "line": "A",
    }
    assert len(found[0].id or "") == 24


async def test_it_is_a_pgvector_store_from_the_public_door(store: ReadOnlyPGVectorStore) -> None:
    assert isinstance(store, PGVectorStore)
    assert retrievers.open_pgvector_store is open_pgvector_store


@pytest.mark.rule("F9", "S1")
async def test_every_search_stays_in_the_tenant_and_the_collection(store: ReadOnlyPGVectorStore) -> None:
    """F9, S1: the near twins of another tenant and of another collection are in no result of any search method."""
    mine = {"pump.md", "cat.md", "crew.md"}

    assert set(sources(await store.asimilarity_search("feed pump bar", k=50))) == mine
    assert {document.metadata["source"] for document, _ in await store.asimilarity_search_with_score("feed pump", k=50)} == mine
    assert set(sources(await store.amax_marginal_relevance_search("feed pump", k=50))) <= mine
    assert set(sources(await store.asimilarity_search("theirs", k=50, filter={"source": {"$ne": "cat.md"}}))) == {"pump.md", "crew.md"}
    assert await store.asimilarity_search("theirs", filter={"source": "theirs.md"}) == []


@pytest.mark.rule("S2")
async def test_a_member_finds_what_it_may_read(filled: Database, scope: Scope) -> None:
    """S2: readers hold here too: the crew's document is for the crew."""
    for member, expected in (
        (Scope.member(scope.tenant, user="eve"), {"pump.md", "cat.md"}),
        (Scope.member(scope.tenant, groups=["crew"]), {"pump.md", "cat.md", "crew.md"}),
    ):
        store = await open_pgvector_store(filled, HashEmbedder(), scope=member)
        try:
            assert set(sources(await store.asimilarity_search("feed pump", k=50))) == expected
        finally:
            await store.aclose()


async def test_it_answers_from_any_loop_and_from_none(store: ReadOnlyPGVectorStore) -> None:
    def in_a_loop_of_its_own() -> list[Document]:
        return asyncio.run(store.asimilarity_search("feed pump bar", k=1))

    assert sources(await asyncio.to_thread(in_a_loop_of_its_own)) == ["pump.md"]
    assert sources(await asyncio.to_thread(store.similarity_search, "feed pump bar", k=1)) == ["pump.md"]


def test_the_embeddings_adapter_keeps_queries_and_passages_apart_and_works_inside_a_loop() -> None:
    adapter = EmbedderEmbeddings(HashEmbedder())

    async def inside() -> tuple[list[float], list[float]]:
        return adapter.embed_query("pump"), await adapter.aembed_query("pump")

    inner, outer = asyncio.run(inside())
    assert inner == outer == adapter.embed_query("pump")
    assert len(adapter.embed_documents(["a", "b"])) == 2


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("aadd_texts", (["new"],)),
        ("aadd_documents", ([Document("new")],)),
        ("aadd_embeddings", (["new"], [[0.0] * 64])),
        ("adelete", (["1"],)),
        ("areindex", ()),
        ("adrop_vector_index", ()),
        ("aapply_vector_index", (None,)),
        ("aapply_hybrid_search_index", ()),
    ],
)
async def test_a_write_is_refused_with_what_to_do(store: ReadOnlyPGVectorStore, method: str, arguments: tuple[object, ...]) -> None:
    with pytest.raises(StorageError, match="read only: add and remove documents with `tadori ingest` and `tadori delete`"):
        await getattr(store, method)(*arguments)

    with pytest.raises(StorageError, match="read only"):
        getattr(store, method.removeprefix("a") if method != "aadd_texts" else "add_texts")(*arguments)


def test_no_public_method_that_writes_was_overlooked() -> None:
    writing = {
        name for name in dir(PGVectorStore) if name.lstrip("a").startswith(("dd_", "add_", "delete", "reindex", "drop_", "pply_", "apply_"))
    }

    assert {name for name in writing if name not in vars(ReadOnlyPGVectorStore)} == set()


async def test_the_database_refuses_a_write_around_the_class(store: ReadOnlyPGVectorStore) -> None:
    async def write() -> None:
        async with store._engine._pool.connect() as conn:
            await conn.execute(text("delete from tadori.chunk"))

    with pytest.raises(DBAPIError, match="cannot execute DELETE in a read-only transaction"):
        await store._engine._run_as_async(write())


@pytest.mark.rule("F8")
@pytest.mark.parametrize("key", ["source' = 'a' OR '1'='1' --", 'source"; drop table tadori.chunk; --'])
async def test_a_filter_key_is_never_sql(store: ReadOnlyPGVectorStore, key: str) -> None:
    """F8: refused before it reaches the statement."""
    with pytest.raises(ValueError, match="Invalid"):
        await store.asimilarity_search("pump", filter={key: "x"})


@pytest.mark.rule("F7")
async def test_a_small_tenant_beside_a_large_one_gets_as_many_rows_as_it_asks_for(database: Database, tenant: str) -> None:
    """F7: an approximate index behind a filter would return few rows or none; 20 rows among 400 that are all nearer."""
    large, small = Scope.operator(f"{tenant}-large"), Scope.operator(f"{tenant}-small")
    await seed(database, large, [Text(f"{n}.md", f"feed pump bar {n}") for n in range(400)])
    await seed(database, small, [Text(f"{n}.md", f"cats sleep quietly {n}") for n in range(20)])

    store = await open_pgvector_store(database, HashEmbedder(), scope=small)
    try:
        assert len(await store.asimilarity_search("feed pump bar", k=10)) == 10
        assert len(await store.asimilarity_search("feed pump bar", k=200)) == 20
    finally:
        await store.aclose()


@pytest.mark.rule("S3")
async def test_unknown_and_foreign_collections_give_one_error(filled: Database, scope: Scope) -> None:
    """S3: nothing tells that another tenant has a collection of that name."""
    texts = []
    for asker in (scope, Scope.operator(f"{scope.tenant}-x")):
        with pytest.raises(UnknownCollection) as raised:
            await open_pgvector_store(filled, HashEmbedder(), scope=asker, collection="archive" if asker is not scope else "nowhere")
        texts.append(str(raised.value).replace("archive", "NAME").replace("nowhere", "NAME"))
    assert texts[0] == texts[1]


@pytest.mark.rule("F14")
async def test_another_embedding_model_is_refused(filled: Database, scope: Scope) -> None:
    """F14: the same size is not the same model."""
    another = HashEmbedder()
    another._spec = replace(another.spec, model="another")

    with pytest.raises(EmbeddingMismatch, match="tadori reindex --collection"):
        await open_pgvector_store(filled, another, scope=scope)


def test_importing_the_floor_does_not_import_the_vendor() -> None:
    code = "import retrievers, sys; print('langchain_postgres' in sys.modules, 'psycopg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False False\n"
