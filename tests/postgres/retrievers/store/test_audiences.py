"""Readers: who finds a document in which arm, what a second source adds, and what a change takes away at once."""

import pytest
from drafting import contents, draft, make_collection, rows, traces

from retrievers.scope import Scope
from retrievers.store.audit import audit
from retrievers.store.documents import DocumentStore

ARMS = ("document", "content", "chunk", "posting", "vector")


@pytest.fixture
def store(database):
    return DocumentStore(database)


@pytest.fixture
async def collection(database, scope):
    return await make_collection(database, scope)


async def seen(database, scope, collection):
    """Rows of each arm that the scope sees."""
    counts = await traces(database, scope, collection)
    return tuple(counts[arm] for arm in ARMS)


@pytest.mark.rule("S2", "T23", "pg-meta")
@pytest.mark.parametrize(
    ("readers", "public", "member", "group", "user"),
    [
        (("public",), True, True, True, True),
        (("tenant",), False, True, True, True),
        (("group:x",), False, False, True, False),
        (("user:ann",), False, False, False, True),
        (("group:x", "user:ann"), False, False, True, True),
    ],
)
async def test_who_sees_a_document(database, scope, store, collection, readers, public, member, group, user):
    """S2, T23, pg-meta: the decision table, the same in every arm; the operator sees all, a principal of nothing sees nothing."""
    await store.put(scope, collection, [draft("a", "one word", readers=readers)])
    everything, nothing = (1, 1, 1, 2, 1), (0, 0, 0, 0, 0)
    for reader, allowed in (
        (scope, True),
        (Scope(scope.tenant, ()), False),
        (Scope(scope.tenant, ("public",)), public),
        (Scope.member(scope.tenant), member),
        (Scope.member(scope.tenant, groups=["x"]), group),
        (Scope.member(scope.tenant, groups=["y"], user="bob"), member),
        (Scope.member(scope.tenant, user="ann"), user),
        (Scope.operator(f"{scope.tenant}-stranger"), False),
    ):
        assert await seen(database, reader, collection) == (everything if allowed else nothing), reader


@pytest.mark.rule("S2")
async def test_a_second_source_adds_its_readers_in_every_arm(database, scope, store, collection):
    """S2: the text belongs to the readers of either document, and each document to its own."""
    x, y = Scope.member(scope.tenant, groups=["x"]), Scope.member(scope.tenant, groups=["y"])
    await store.put(scope, collection, [draft("a", "one word", readers=("group:x",))])
    assert await seen(database, y, collection) == (0, 0, 0, 0, 0)
    await store.put(scope, collection, [draft("b", "one word", readers=("group:y",))])
    assert await seen(database, x, collection) == (1, 1, 1, 2, 1)
    assert await seen(database, y, collection) == (1, 1, 1, 2, 1)
    assert await store.sources(y, collection) == ["b"]
    assert await audit(database, scope, collection) == []


@pytest.mark.rule("S2", "R8")
async def test_with_its_source_go_its_readers(database, scope, store, collection):
    """S2, R8: what is left is for the readers of the documents that are left."""
    x, y = Scope.member(scope.tenant, groups=["x"]), Scope.member(scope.tenant, groups=["y"])
    await store.put(scope, collection, [draft("a", "one word", readers=("group:x",)), draft("b", "one word", readers=("group:y",))])
    await store.delete(scope, collection, ["a"])
    assert await seen(database, x, collection) == (0, 0, 0, 0, 0)
    assert await seen(database, y, collection) == (1, 1, 1, 2, 1)
    assert await audit(database, scope, collection) == []


@pytest.mark.rule("S2")
async def test_revoking_hides_the_document_from_the_next_statement_on(database, scope, store, collection):
    """S2: no arm keeps a revoked reader, and the vectors are not computed anew."""
    member = Scope.member(scope.tenant)
    await store.put(scope, collection, [draft("a", "one word"), draft("b", "two words")])
    before = await contents(database, scope, collection)
    assert await store.set_readers(scope, collection, ["a", "unknown"], ["group:x"]) == 1
    assert await seen(database, member, collection) == (1, 1, 1, 2, 1)
    assert await seen(database, Scope.member(scope.tenant, groups=["x"]), collection) == (2, 2, 2, 4, 2)
    after = await contents(database, scope, collection)
    assert [row[:2] for row in after["vectors"]] == [row[:2] for row in before["vectors"]]
    assert after["words"] == before["words"]
    assert await store.set_readers(scope, collection, ["a"], ["group:x", "group:x"]) == 0
    assert await audit(database, scope, collection) == []


async def test_put_with_other_readers_changes_the_readers_alone(database, scope, store, collection):
    await store.put(scope, collection, [draft("a", "one word")])
    before = await rows(database, scope, "select id, chunk from tadori.chunk where tid = %s", collection.tid)
    [result] = await store.put(scope, collection, [draft("a", "one word", readers=("public", "group:x"))])
    assert result.status == "updated"
    assert await rows(database, scope, "select id, chunk from tadori.chunk where tid = %s", collection.tid) == before
    assert await seen(database, Scope(scope.tenant, ("public",)), collection) == (1, 1, 1, 2, 1)
    assert (await store.states(scope, collection, ["a"]))["a"].readers == ("group:x", "public")
    assert await audit(database, scope, collection) == []


async def test_the_order_of_readers_and_repeats_do_not_matter(database, scope, store, collection):
    await store.put(scope, collection, [draft("a", "one", readers=("user:é", "public", "user:Z", "public"))])
    [result] = await store.put(scope, collection, [draft("a", "one", readers=("public", "user:Z", "user:é"))])
    assert result.status == "unchanged"
    assert len(await rows(database, scope, "select from tadori.audience where tid = %s", collection.tid)) == 1


@pytest.mark.rule("S1", "F9")
async def test_two_tenants_with_the_same_bytes_do_not_meet(database, scope, store, collection):
    """S1, F9: each has its own text and ids; neither learns that the other has it."""
    stranger = Scope.operator(f"{scope.tenant}-stranger")
    theirs = await make_collection(database, stranger)
    [mine], [other] = [
        await store.put(who, where, [draft("same.txt", "the same words")]) for who, where in ((scope, collection), (stranger, theirs))
    ]
    assert mine == other
    assert mine.status == "added"
    own, foreign = await contents(database, scope, collection), await contents(database, stranger, theirs)
    assert {row[0] for row in own["chunks"]}.isdisjoint(row[0] for row in foreign["chunks"])
    assert await seen(database, stranger, collection) == (0, 0, 0, 0, 0)
    await store.delete(stranger, theirs, ["same.txt"])
    assert await contents(database, scope, collection) == own
