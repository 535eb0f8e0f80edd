"""Several at once: writers of one document, readers beside them, a writer that is cut off, tenants that do not wait for each other."""

import asyncio
import random

import pytest
from drafting import contents, draft, make_collection, rows

from retrievers.scope import Scope
from retrievers.store.audit import audit
from retrievers.store.collections import drop_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.swap import Swap
from retrievers.store.writing import writing

WRITERS = 8


@pytest.fixture
def store(database):
    return DocumentStore(database)


@pytest.fixture
async def collection(database, scope):
    return await make_collection(database, scope)


def version(number, source="shared"):
    """A document whose every chunk names its version; each version has another number of chunks."""
    return draft(source, *(f"shared words of version{number} part{part}" for part in range(1 + number % 4)))


@pytest.mark.rule("R9")
async def test_eight_writers_of_one_document_leave_one_version(server_home, database, scope, collection):
    """R9: each with a connection of its own, all at once, five rounds; the last one to hold the lock wins, whole."""

    async def write(number):
        own = Database(None, home=server_home)
        try:
            for step in range(5):
                await DocumentStore(own).put(scope, collection, [version(number * 5 + step)])
        finally:
            await own.close()

    await asyncio.gather(*map(write, range(WRITERS)))
    bodies = [
        body for (body,) in await rows(database, scope, "select body from tadori.chunk where tid = %s order by ordinal", collection.tid)
    ]
    [last] = {body.split()[3] for body in bodies}
    number = int(last.removeprefix("version"))
    assert bodies == [chunk.draft.text for chunk in version(number).chunks]
    assert await audit(database, scope, collection) == []


@pytest.mark.rule("R9")
async def test_writers_of_many_documents_in_any_order_do_not_deadlock(database, scope, store, collection):
    """R9: puts, deletes and changes of readers over the same sources, in orders that would lock crosswise row by row."""
    dice = random.Random(7)

    async def write(seed):
        for step in range(4):
            order = dice.sample(range(12), 12)
            await store.put(scope, collection, [version(seed + step, f"s{number}") for number in order])
            await store.set_readers(scope, collection, [f"s{number}" for number in order[:4]], [f"group:{seed}", f"user:{step}"])
            await store.delete(scope, collection, [f"s{number}" for number in order[4:7]])

    await asyncio.gather(*map(write, range(WRITERS)))
    assert await audit(database, scope, collection) == []


@pytest.mark.rule("R9")
async def test_writers_of_two_collections_that_add_the_same_readers_do_not_deadlock(database, scope, store):
    """R9: reader sets are the tenant's, not the collection's; they are added in one order."""
    one, two = await make_collection(database, scope, "one"), await make_collection(database, scope, "two")
    sets = [(f"group:{number}",) for number in range(20)]

    async def write(collection, order):
        for readers in order:
            await store.put(scope, collection, [draft(readers[0], f"text of {readers[0]}", readers=readers)])

    await asyncio.gather(*(write(where, order) for where in (one, two) for order in (sets, sets[::-1])))
    assert await rows(database, scope, "select count(*), count(distinct readers) from tadori.audience where tid = %s", one.tid) == [
        (20, 20)
    ]
    assert await audit(database, scope, one) == await audit(database, scope, two) == []


@pytest.mark.rule("R9", "F13")
async def test_a_reader_sees_the_old_version_or_the_new_one_never_a_mix(database, scope, store, collection):
    """R9, F13: words, postings, chunks and vectors of one statement always belong to one whole version."""
    await store.put(scope, collection, [version(0)])
    query = f"""
        select x.content_hash, count(*), count(v.chunk), count(p.chunk), bool_and(c.body like '%%' || t.word || '%%'), max(k.chunk_count)
        from tadori.collection k
        join tadori.document d on d.tid = k.tid and d.coll = k.coll
        join tadori.content x on x.tid = d.tid and x.content = d.content
        join tadori.chunk c on c.tid = x.tid and c.content = x.content
        left join tadori.vector_{collection.space} v on v.tid = c.tid and v.chunk = c.chunk
        left join tadori.term t on t.tid = c.tid and t.coll = c.coll and t.word like 'version_%%'
        left join tadori.posting p on p.tid = c.tid and p.coll = c.coll and p.term = t.term and p.chunk = c.chunk
        where k.tid = %s and k.coll = %s group by x.content_hash"""
    whole = {document.content_hash: len(document.chunks) for document in map(version, range(40))}
    done = asyncio.Event()
    seen = set()

    async def read():
        while not done.is_set():
            [(digest, chunks, vectors, postings, worded, counted)] = await rows(database, scope, query, collection.tid, collection.coll)
            assert (chunks, vectors, postings, worded, counted) == (whole[digest],) * 3 + (True, whole[digest])
            seen.add(digest)

    async def write():
        for number in range(40):
            await store.put(scope, collection, [version(number)])
        done.set()

    await asyncio.gather(write(), read(), read())
    assert len(seen) > 3


@pytest.mark.rule("F12", "R8")
async def test_a_writer_that_is_cut_off_leaves_what_was_before(database, scope, store, collection, monkeypatch):
    """F12, R8: the last step fails, or the task is cancelled between two steps: all is as before, and the next try succeeds."""
    await store.put(scope, collection, [version(1), draft("other", "shared words")])
    before = await contents(database, scope, collection)
    reached, remove = asyncio.Event(), Swap._remove

    async def hang(self, orphans):
        await remove(self, orphans)
        reached.set()
        await asyncio.sleep(60)

    monkeypatch.setattr(Swap, "_remove", hang)
    task = asyncio.create_task(store.put(scope, collection, [version(2), draft("third", "more")]))
    await asyncio.wait_for(reached.wait(), 10)
    assert await contents(database, scope, collection) == before
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    monkeypatch.undo()
    assert await contents(database, scope, collection) == before
    assert [result.status for result in await store.put(scope, collection, [version(2), draft("third", "more")])] == ["updated", "added"]
    assert await audit(database, scope, collection) == []


@pytest.mark.rule("S1")
async def test_an_open_write_of_one_tenant_does_not_hold_up_another_with_the_same_bytes(database, scope, store, collection):
    """S1: a key that starts with the content's hash would make the second tenant wait, and so tell it that the text exists."""
    stranger = Scope.operator(f"{scope.tenant}-stranger")
    theirs = await make_collection(database, stranger)
    async with writing(database, scope, collection) as conn:
        await Swap(conn, scope.tenant, collection).bring_in([version(3)])
        [result] = await asyncio.wait_for(store.put(stranger, theirs, [version(3)]), 10)
    assert result.status == "added"
    assert await audit(database, scope, collection) == await audit(database, stranger, theirs) == []


async def test_a_write_to_one_collection_does_not_hold_up_another(database, scope, store, collection):
    second = await make_collection(database, scope, "second")
    await store.put(scope, second, [draft("before", "adds the readers, which are the tenant's")])
    async with writing(database, scope, collection) as conn:
        await Swap(conn, scope.tenant, collection).bring_in([version(3)])
        await asyncio.wait_for(store.put(scope, second, [version(3)]), 10)


async def test_dropping_waits_for_the_writer(database, scope, store, collection):
    async with writing(database, scope, collection) as conn:
        dropping = asyncio.create_task(drop_collection(database, scope, "default"))
        await Swap(conn, scope.tenant, collection).bring_in([version(3)])
        await asyncio.sleep(0.1)
        assert not dropping.done()
    assert await dropping
    assert await rows(database, scope, "select from tadori.chunk where tid = %s", collection.tid) == []
