"""Vectors of a chunk's windows: found by the nearest, hidden with their chunk, gone with it, and there after a change of model."""

import numpy as np
import psycopg
import pytest
from drafting import contents, draft, make_collection, rows
from ingesting import ingestion, statuses, write
from plans import executed
from psycopg.sql import SQL
from reindexing import OtherEmbedder, reindex
from seeding import Text, seed

from retrievers.errors import IngestError
from retrievers.fusion import WINDOW_WEIGHT
from retrievers.hybrid import HybridSearch
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store.audit import audit
from retrievers.store.collections import drop_collection, get_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.store.migrate import migrate, migrations
from retrievers.store.search import Query, find_passages
from retrievers.store.server import require

SENTENCES = ("The seal of the pump wears out after two years.", "ポンプのシールは二年で摩耗します。", "Order a new seal from the store.")
LONG = " ".join(f"{SENTENCES[number % 3]} Note {number}." for number in range(30))


def toward(**parts):
    """A unit vector of 64 numbers with these parts along its axes x, y, z."""
    vector = np.zeros(64, np.float32)
    vector[: len("xyz")] = [parts.get(axis, 0.0) for axis in "xyz"]
    return (vector / np.linalg.norm(vector)).astype(np.float32)


async def windows_in(database, scope, collection):
    return (await rows(database, scope, f"select count(*) from tadori.vector_{collection.space}_windows where coll = {collection.coll}"))[
        0
    ][0]


async def nearest(database, scope, collection, vector, mode="vector"):
    async with database.transaction(scope) as conn:
        return await find_passages(conn, collection, Query((), vector, 10, mode, "absolute"))


@pytest.mark.rule("core-hybrid")
async def test_a_chunk_whose_third_window_is_nearest_beats_one_whose_mean_is_nearer(database, scope):
    """core-hybrid: the nearest window and the mean, each with its share; without windows the vector itself."""
    parts = [toward(y=1), toward(z=1), toward(x=1)]
    told = Text("third window", "one", vector=toward(x=1, y=1, z=1), windows=parts)
    even = Text("nearer mean", "two", vector=toward(x=0.8, y=0.6), windows=[toward(x=0.8, y=0.6), toward(x=0.8, y=0.6)])
    bare = Text("no windows", "three", vector=toward(x=0.82, y=np.sqrt(1 - 0.82**2)))
    collection = await seed(database, scope, [told, even, bare])
    found = await nearest(database, scope, collection, toward(x=1))
    assert [(p["document"], p["ranks"]["vector"]) for p in found] == [("third window", 1), ("no windows", 2), ("nearer mean", 3)]
    mean = 1 / np.sqrt(3)
    assert [p["scores"]["cosine"] for p in found] == pytest.approx([WINDOW_WEIGHT + (1 - WINDOW_WEIGHT) * mean, 0.82, 0.8], abs=1e-3)


@pytest.mark.rule("T10")
async def test_a_window_without_length_is_passed_over(database, scope):
    """T10: it has no cosine, and takes none from the others."""
    blank = Text("blank", "one", vector=toward(x=1), windows=[np.zeros(64, np.float32), toward(x=1)])
    collection = await seed(database, scope, [blank])
    assert [p["scores"]["cosine"] for p in await nearest(database, scope, collection, toward(x=1))] == pytest.approx([1.0], abs=1e-3)


@pytest.mark.rule("F9", "S2")
async def test_readers_that_change_later_reach_the_windows(database, scope, tenant):
    """F9, S2: windows are seen by whoever may read their chunk, now; by nobody else, and by no other tenant."""
    secret = Text("a", "one", vector=toward(x=1), windows=[toward(x=1), toward(y=1)])
    collection = await seed(database, scope, [secret])
    member, insider = Scope.member(tenant, user="eve"), Scope.member(tenant, groups=["crew"])
    assert [await windows_in(database, who, collection) for who in (member, insider, scope)] == [2, 2, 2]
    await DocumentStore(database).set_readers(scope, collection, ["a"], ["group:crew"])
    assert [await windows_in(database, who, collection) for who in (member, insider, scope)] == [0, 2, 2]
    assert await nearest(database, member, collection, toward(x=1)) == []
    assert await windows_in(database, Scope.operator(f"{tenant}-next-door"), collection) == 0
    assert await audit(database, scope, collection) == []


@pytest.mark.rule("F13")
async def test_windows_go_with_their_chunks(database, scope):
    """F13: a shortened text has its own windows and none of the old, a deleted one none, a dropped collection none."""
    collection, store = await make_collection(database, scope), DocumentStore(database)
    await store.put(scope, collection, [draft("a", "red apples, red pears, blue plums", windowed=True)])
    await store.put(scope, collection, [draft("b", "green pears, green plums", windowed=True)])
    assert await windows_in(database, scope, collection) == 5
    await store.put(scope, collection, [draft("a", "red apples, red plums", windowed=True)])
    assert await windows_in(database, scope, collection) == 4
    await store.delete(scope, collection, ["b"])
    assert await windows_in(database, scope, collection) == 2
    assert await audit(database, scope, collection) == []
    await drop_collection(database, scope, "default")
    assert await windows_in(database, scope, collection) == 0


@pytest.mark.parametrize("windows", [np.ones((2, 3), np.float32), np.full((2, 8), np.nan, np.float32)])
async def test_windows_that_are_no_vectors_of_the_model_are_refused(database, scope, windows):
    collection = await make_collection(database, scope)
    document = draft("a", "red apples, red pears", windowed=True)
    object.__setattr__(document.chunks[0], "windows", windows)
    with pytest.raises(IngestError, match="a window of chunk 0 of 'a' has no vector of 8 numbers"):
        await DocumentStore(database).put(scope, collection, [document])


@pytest.mark.rule("F12", "emb-advanced")
async def test_a_second_ingestion_embeds_no_window(database, scope, tmp_path):
    """F12, emb-advanced: the windows of a long text are embedded once, also when it comes again under another name."""
    folder, first, again = write(tmp_path, {"a.md": f"# Pump\n\n{LONG}\n"}), HashEmbedder(), HashEmbedder()
    await ingestion(database, first).ingest(scope, "default", [folder])
    collection = await get_collection(database, scope, "default")
    count = await windows_in(database, scope, collection)
    assert count == len(first.passages) > collection.chunk_count
    assert all(text.startswith("Pump\n") for text in first.passages)
    report = await ingestion(database, again).ingest(scope, "default", [folder])
    write(tmp_path, {"b.md": f"# Pump\n\n{LONG}\n"})
    await ingestion(database, again).ingest(scope, "default", [folder])
    assert set(statuses(report).values()) == {"unchanged"}
    assert again.passages == []
    assert await windows_in(database, scope, collection) == count


@pytest.mark.rule("F14")
async def test_a_change_of_model_builds_windows_as_an_ingestion_does(database, scope, tmp_path):
    """F14: the new model's windows are those of a clean ingestion with it, and the old ones are gone."""
    folder = write(tmp_path, {"a.md": f"# Pump\n\n{LONG}\n", "b.md": f"# Valve\n\n{LONG[:900]}\n"})
    await ingestion(database).ingest(scope, "default", [folder])
    before = await get_collection(database, scope, "default")
    await reindex(database, scope, OtherEmbedder())
    after = await get_collection(database, scope, "default")
    changed = await contents(database, scope, after)
    assert await windows_in(database, scope, before) == 0
    assert await audit(database, scope, after) == []
    await drop_collection(database, scope, "default")
    await ingestion(database, OtherEmbedder()).ingest(scope, "default", [folder])
    clean = await contents(database, scope, await get_collection(database, scope, "default"))
    assert len(clean["windows"]) > 8
    assert changed["windows"] == clean["windows"]


class Revoking(OtherEmbedder):
    """Calls `then` once, after the first batch is written: when it is asked for the second."""

    def __init__(self, then):
        super().__init__()
        self._then, self._calls = then, 0

    async def embed_passages(self, texts):
        self._calls += 1
        if self._calls == 2:
            await self._then()
        return await super().embed_passages(texts)


@pytest.mark.rule("F9", "S2")
async def test_readers_that_change_during_a_change_of_model_reach_its_windows(database, scope, tenant, tmp_path, monkeypatch):
    """F9, S2: windows built before the change are the new readers' after the exchange."""
    monkeypatch.setattr("retrievers.store.rebuild.BATCH", 1)
    folder = write(tmp_path, {"a.md": f"# Pump\n\n{LONG[:900]}\n", "b.md": f"# Valve\n\n{LONG[:800]}\n"})
    await ingestion(database).ingest(scope, "default", [folder])
    collection = await get_collection(database, scope, "default")

    async def revoke():
        await DocumentStore(database).set_readers(scope, collection, ["a.md", "b.md"], ["group:crew"])

    await reindex(database, scope, Revoking(revoke))
    after = await get_collection(database, scope, "default")
    assert await windows_in(database, scope, after) > 2
    assert await windows_in(database, Scope.member(tenant, user="eve"), after) == 0
    assert await audit(database, scope, after) == []


@pytest.mark.rule("core-hybrid")
async def test_chunks_from_before_windows_and_word_order_are_still_found(database, scope, search):
    """core-hybrid: empty words and no windows cost nothing but their share: both arms find the chunk, and `near` is 0."""
    collection = await seed(
        database, scope, [Text("old", "the seal of the pump", windows=[toward(x=1), toward(y=1)]), Text("new", "a pump")]
    )
    await rows(database, scope, f"delete from tadori.vector_{collection.space}_windows where coll = {collection.coll} returning 1")
    await rows(database, scope, f"update tadori.chunk set words = '{{}}' where coll = {collection.coll} returning 1")
    found = (await search.search("seal pump"))["passages"]
    assert [(p["document"], p["scores"]["near"], p["ranks"]["lexical"]) for p in found] == [("old", 0.0, 1), ("new", 0.0, 2)]
    assert await audit(database, scope, collection) == []


@pytest.mark.rule("pg-index", "pg-hybrid")
async def test_windows_and_words_are_read_by_key(database, scope):
    """pg-index, pg-hybrid: 400 chunks of three windows; a search reads those of its candidates by primary key, and the words of fifty."""
    rng = np.random.default_rng(5)
    documents = [
        Text(f"{number:03}", f"pump seal number{number}", windows=list(rng.normal(size=(3, 64)).astype(np.float32)))
        for number in range(400)
    ]
    collection = await seed(database, scope, documents)
    async with database.owner() as conn:
        await conn.execute(SQL("analyze tadori.chunk"))
    vector = (await HashEmbedder().embed_query("pump seal number7")).astype(np.float32)
    nodes = await executed(database, scope, collection, Query(("pump", "seal", "number7"), vector, 10, "hybrid", "absolute"))
    table = f"vector_{collection.space}_windows"
    windows = [node for node in nodes if node.get("Relation Name") == table]
    assert {(node["Node Type"], node["Index Name"]) for node in windows} <= {("Index Scan", f"{table}_pkey")}
    assert 100 <= sum(node["Actual Loops"] for node in windows) <= 200
    together = [node for node in nodes if node.get("Relation Name") == "chunk" and node["Actual Loops"] == 50]
    assert [(node["Node Type"], node["Index Name"], node["Actual Rows"]) for node in together] == [("Index Scan", "chunk_pkey", 1)]


@pytest.mark.rule("R15", "core-hybrid")
async def test_a_model_that_was_there_before_windows_gets_their_table(empty_dsn, home):
    """R15, core-hybrid: migration 0006 makes the table of a space that 0005 left; windows are kept and searched there."""
    conn = await psycopg.AsyncConnection.connect(empty_dsn, autocommit=True)
    await require(conn)
    await migrate(conn, migrations()[:5])
    await conn.execute(
        "insert into tadori.embedding_space (model, dims, column_type, index_kind) values ('hash-64', 64, 'halfvec', 'hnsw')"
    )
    await conn.execute(
        "create table tadori.vector_1 (tid integer not null, coll integer not null, chunk integer not null, audience integer not null, "
        "embedding halfvec(64) not null, primary key (tid, chunk), foreign key (tid, chunk) references tadori.chunk on delete cascade)"
    )
    await conn.execute("grant select, insert, update, delete on tadori.vector_1 to tadori_app")
    await conn.close()
    database, scope = Database(empty_dsn, home=home), Scope.operator("old")
    await database.prepare()
    try:
        collection = await seed(database, scope, [Text("a", "the seal of the pump", windows=[toward(x=1), toward(y=1)])])
        assert (collection.space, await windows_in(database, scope, collection)) == (1, 2)
        found = await HybridSearch(database, HashEmbedder(), EmbeddingCache(database), scope).search("seal pump")
        assert [p["document"] for p in found["passages"]] == ["a"]
    finally:
        await database.close()
