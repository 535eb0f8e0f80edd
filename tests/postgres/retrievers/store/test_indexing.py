"""What a kind of index needs beside the vectors: made when there is enough, kept right by every change, renewed with growth."""

import numpy as np
import pytest
from drafting import SPEC, draft, rows, vector_of

from retrievers.scope import Scope
from retrievers.store import indexing
from retrievers.store import search as store_search
from retrievers.store.audit import audit
from retrievers.store.collections import drop_collection, ensure_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.search import Query, find_passages
from retrievers.text.analysis import ANALYSER
from retrievers.types import VectorChoice


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Ten chunks are many, and the index is asked however few there are."""
    monkeypatch.setattr(indexing, "FIRST_CHUNKS", 10)
    monkeypatch.setattr(store_search, "EXACT_ROWS", 0)
    monkeypatch.setattr(store_search, "EXACT_FILTERED", 0)


async def made(database, scope, kind, name="default"):
    return await ensure_collection(database, scope, name, SPEC, ANALYSER, VectorChoice(kind))


async def put(database, scope, collection, numbers, readers=("tenant",)):
    await DocumentStore(database).put(scope, collection, [draft(f"d{number}", f"text {number}", readers=readers) for number in numbers])


async def codes(database, scope, collection):
    """The signs of each document's vector as stored, and who may read them."""
    found = await rows(
        database,
        scope,
        f"""select d.source, b.code::text, a.readers from tadori.vector_{collection.space}_bits b
            join tadori.chunk c using (tid, chunk) join tadori.document d on d.tid = c.tid and d.content = c.content
            join tadori.audience a on a.tid = b.tid and a.audience = b.audience where b.coll = %s""",
        collection.coll,
    )
    return {source: (code, tuple(readers)) for source, code, readers in found}


def signs(numbers, centred_on):
    """What the codes should be: the signs around the mean of these documents' vectors, in the half precision they are stored in."""
    vectors = {number: vector_of(f"text {number}").astype(np.float16).astype(np.float32) for number in {*numbers, *centred_on}}
    centre = np.mean([vectors[number] for number in centred_on], axis=0)
    return {f"d{number}": "".join("1" if value > 0 else "0" for value in vectors[number] - centre) for number in numbers}


async def found(database, scope, collection, text, k=3):
    async with database.transaction(scope) as conn:
        passages = await find_passages(conn, collection, Query((), vector_of(text), k, "vector", "absolute"))
    return [passage["document"] for passage in passages]


async def indexes(database, collection, valid=True):
    async with database.owner() as owner:
        listed = await owner.execute(
            "select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam"
            " where i.indrelid = %s::regclass and a.amname = 'ivfflat' and i.indisvalid = %s order by 1",
            (f"tadori.vector_{collection.space}", valid),
        )
        return [name for (name,) in await listed.fetchall()]


@pytest.mark.rule("pg-index")
async def test_codes_are_made_when_there_is_a_mean_to_make_them_around(database, scope):
    """pg-index: nine chunks have none and are compared one by one; with the tenth come the centre and the codes of all."""
    collection = await made(database, scope, "binary")
    await put(database, scope, collection, range(9))
    assert await codes(database, scope, collection) == {}
    assert (await found(database, scope, collection, "text 4"))[0] == "d4"
    await put(database, scope, collection, [9])
    assert {source: code for source, (code, _) in (await codes(database, scope, collection)).items()} == signs(range(10), range(10))
    assert (await found(database, scope, collection, "text 4"))[0] == "d4"


@pytest.mark.rule("pg-index", "R8", "S2")
async def test_codes_follow_what_becomes_of_their_vectors(database, scope):
    """pg-index, R8, S2: added, given other readers, replaced, deleted, dropped: the codes are those of the vectors that are there."""
    collection, store = await made(database, scope, "binary"), DocumentStore(database)
    await put(database, scope, collection, range(12))
    await put(database, scope, collection, [12, 13])
    await store.set_readers(scope, collection, ["d3"], ["user:ann"])
    await store.put(scope, collection, [draft("d5", "text 99")])
    await store.delete(scope, collection, ["d0", "d1"])
    expected = signs([*range(2, 5), *range(6, 14), 99], range(12))
    expected["d5"] = expected.pop("d99")
    stored = await codes(database, scope, collection)
    assert {source: code for source, (code, _) in stored.items()} == expected
    assert {source for source, (_, readers) in stored.items() if readers == ("user:ann",)} == {"d3"}
    assert await audit(database, scope, collection) == []
    assert "d3" not in await found(database, Scope.member(scope.tenant), collection, "text 3", k=20)
    assert (await found(database, Scope.member(scope.tenant, user="ann"), collection, "text 3", k=20))[0] == "d3"
    await drop_collection(database, scope, "default")
    assert await rows(database, scope, f"select * from tadori.vector_{collection.space}_bits") == []


@pytest.mark.rule("S1", "S5")
async def test_each_collection_has_a_centre_of_its_own_and_sees_its_own_codes(database, scope):
    """S1, S5: two tenants and two collections in one space; none sees or moves the codes of another."""
    stranger = Scope.operator(f"{scope.tenant}-stranger")
    first, second = await made(database, scope, "binary"), await made(database, scope, "binary", "other")
    foreign = await made(database, stranger, "binary")
    assert first.space == second.space == foreign.space
    for owner, collection, numbers in ((scope, first, range(10)), (scope, second, range(20, 32)), (stranger, foreign, range(40, 51))):
        await put(database, owner, collection, numbers)
    for owner, collection, numbers in ((scope, first, range(10)), (scope, second, range(20, 32)), (stranger, foreign, range(40, 51))):
        assert {source: code for source, (code, _) in (await codes(database, owner, collection)).items()} == signs(numbers, numbers)
    assert len(await rows(database, stranger, f"select * from tadori.vector_{first.space}_bits")) == 11
    assert set(await found(database, stranger, foreign, "text 3", k=50)) == {f"d{number}" for number in range(40, 51)}


@pytest.mark.rule("pg-index")
@pytest.mark.parametrize(("drift", "centre_of"), [(1.0, 10), (0.0, 100)])
async def test_the_centre_is_looked_at_again_when_the_collection_has_grown_tenfold(database, scope, monkeypatch, drift, centre_of):
    """pg-index: 10 chunks, then 99, then 100: a mean that has moved by more than is allowed replaces the centre, and all codes with it."""
    monkeypatch.setattr(indexing, "DRIFT", drift)
    collection = await made(database, scope, "binary")
    await put(database, scope, collection, range(10))
    await put(database, scope, collection, range(10, 99))
    assert {source: code for source, (code, _) in (await codes(database, scope, collection)).items()} == signs(range(99), range(10))
    await put(database, scope, collection, [99])
    stored = {source: code for source, (code, _) in (await codes(database, scope, collection)).items()}
    expected = signs(range(100), range(centre_of))
    # The mean is summed in another order here: a sign at the very edge may differ.
    differing = sum(one != other for source in expected for one, other in zip(expected[source], stored[source], strict=True))
    assert stored.keys() == expected.keys()
    assert differing <= 2
    assert await audit(database, scope, collection) == []
    assert await rows(database, scope, "select centred_chunks from tadori.collection where coll = %s", collection.coll) == [(100,)]


async def test_the_audit_names_codes_that_are_missing_or_wrong(database, scope):
    collection = await made(database, scope, "binary")
    await put(database, scope, collection, range(10))
    [(first,), (second,)] = await rows(database, scope, f"select chunk from tadori.vector_{collection.space}_bits order by 1 limit 2")
    async with database.transaction(scope) as conn:
        await conn.execute(f"delete from tadori.vector_{collection.space}_bits where chunk = {first:d}".encode())
        await conn.execute(f"update tadori.vector_{collection.space}_bits set code = ~code where chunk = {second:d}".encode())
    assert await audit(database, scope, collection) == [
        f"code of chunk number {first}: it is missing",
        f"code of chunk number {second}: it is not that of its vector",
    ]


@pytest.mark.rule("F14")
async def test_a_centre_goes_when_the_collection_moves_to_another_space(database, scope):
    """F14: it is the mean of the old model's vectors; without it the new ones are compared one by one until theirs is known."""
    collection, target = await made(database, scope, "binary"), await made(database, scope, "hnsw", "elsewhere")
    await put(database, scope, collection, range(10))
    async with database.transaction(scope) as conn:
        await conn.execute("update tadori.collection set space = %s where coll = %s", (target.space, collection.coll))
    assert await rows(database, scope, "select centre, centred_chunks from tadori.collection where coll = %s", collection.coll) == [
        (None, None)
    ]


async def leave_a_broken_index(database, collection):
    """What a builder that was killed half-way leaves: an index that is not valid."""
    name = f"vector_{collection.space}_ivfflat_1"
    async with database.owner() as owner:
        await owner.execute(
            f"create index if not exists {name} on tadori.vector_{collection.space}"
            " using ivfflat (embedding halfvec_cosine_ops) with (lists = 1)".encode()
        )
        await owner.execute("update pg_index set indisvalid = false where indexrelid = %s::regclass", (f"tadori.{name}",))


@pytest.mark.rule("pg-index")
async def test_lists_are_cut_when_there_is_something_to_cluster_and_again_with_growth(home, monkeypatch):
    """pg-index: none below the limit, then 4 times the root of the rows; the index is built anew, and the old one dropped, at ten times."""
    monkeypatch.setattr(indexing, "GROWTH", 4)
    database, scope = Database(None, home=home), Scope.operator("lists")
    try:
        collection = await made(database, scope, "ivfflat")
        name = f"vector_{collection.space}_ivfflat_"
        seen = []
        for numbers in (range(9), range(9, 16), range(16, 60), range(60, 64)):
            await put(database, scope, collection, numbers)
            seen.append(await indexes(database, collection))
            await leave_a_broken_index(database, collection)
            assert (await found(database, scope, collection, "text 4", k=5))[0] == "d4"
        assert seen == [[], [f"{name}16"], [f"{name}16"], [f"{name}32"]]
        assert await indexes(database, collection, valid=False) == [f"{name}1"], "left after the last build"
    finally:
        await database.close()


async def test_equal_vectors_can_be_clustered_too(database, scope):
    collection = await made(database, scope, "ivfflat")
    same = [draft(f"d{number}", "the same text") for number in range(1)]
    copies = [draft(f"c{number}", *["the same text"] * 30) for number in range(1)]
    await DocumentStore(database).put(scope, collection, [*same, *copies])
    assert len(await found(database, scope, collection, "the same text", k=31)) == 31


@pytest.mark.rule("pg-index")
@pytest.mark.parametrize(("lists", "dims"), [(283, 384), (1000, 1536)])
def test_clustering_is_given_the_memory_that_it_asks_for(lists, dims):
    """pg-index: pgvector refuses to build where maintenance_work_mem is less than samples, centres and bounds take together."""
    samples = max(50 * lists, 10_000)
    asked = samples * (4 * dims + 8) + 2 * lists * (4 * dims + 8) + 4 * samples * lists + 4 * lists * lists + 8 * samples + 12 * lists
    assert asked < 1024 * indexing._memory_kb(lists, dims) < 2 * asked + 2**27
