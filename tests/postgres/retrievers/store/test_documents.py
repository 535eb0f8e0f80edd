"""Documents go in, change and leave: every arm agrees after each step, and nothing of an old version stays."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from drafting import contents, draft, make_collection, rows, traces, vector_of
from psycopg import AsyncConnection

from retrievers.errors import IngestError, InvalidArgument, StorageError
from retrievers.scope import Scope
from retrievers.store.audit import audit
from retrievers.store.documents import DeleteReport, DocumentStore
from retrievers.store.rows import MAX_COUNT, chunk_id
from retrievers.store.swap import PutResult


@pytest.fixture
def store(database):
    return DocumentStore(database)


@pytest.fixture
async def collection(database, scope):
    return await make_collection(database, scope)


async def words_of(database, scope, collection):
    query = "select word, df from tadori.term where tid = %s and coll = %s"
    return dict(await rows(database, scope, query, collection.tid, collection.coll))


async def test_a_new_document_is_in_every_arm(database, scope, store, collection):
    document = draft(
        "a.txt",
        "red apples, red pears",
        "green pears",
        title="Fruit",
        headings=("Trees", "Ripe"),
        metadata={"year": 2024, "tags": ["x", "y"]},
    )
    assert await store.put(scope, collection, [document]) == [PutResult("a.txt", "added", 2)]
    stored = await contents(database, scope, collection)
    first, second = (chunk_id(scope.tenant, "default", document.content_hash, ordinal) for ordinal in (0, 1))
    assert stored["collection"] == [(2, 6)]
    assert [row[:7] for row in stored["documents"]] == [
        ("a.txt", document.content_hash, "Fruit", "en", "text/plain", ["tenant"], {"year": 2024, "tags": ["x", "y"]})
    ]
    assert {row[0]: row[2:] for row in stored["chunks"]} == {
        first: (0, "red apples, red pears", ["Trees", "Ripe"], 0, 21, 4, 4, ["tenant"]),
        second: (1, "green pears", ["Trees", "Ripe"], 23, 34, 2, 2, ["tenant"]),
    }
    assert stored["words"] == [("appl", 1), ("green", 1), ("pear", 2), ("red", 1)]
    assert [row[:4] for row in stored["postings"]] == sorted(
        [(first, "appl", 1, 4), (first, "pear", 1, 4), (first, "red", 2, 4), (second, "green", 1, 2), (second, "pear", 1, 2)]
    )
    assert sorted(row[0] for row in stored["vectors"]) == sorted([first, second])
    assert await audit(database, scope, collection) == []


async def test_vectors_are_stored_as_they_are(database, scope, store, collection):
    document = draft("a", "one")
    await store.put(scope, collection, [document])
    [(text,)] = await rows(database, scope, f"select embedding::text from tadori.vector_{collection.space} where tid = %s", collection.tid)
    assert np.array(text.strip("[]").split(","), np.float32).astype(np.float16).tolist() == vector_of("one").astype(np.float16).tolist()


@pytest.mark.rule("T26", "R7")
async def test_chunk_ids_are_the_same_in_every_process(database, tenant, scope, store, collection):
    """T26, R7: a digest, not hash(): known beforehand, and the same after a clean ingestion."""
    assert chunk_id("acme", "default", "ab" * 32, 0) == "4830cb9a214d2ed23cbb1f0a"
    document = draft("a", "one", "two")
    await store.put(scope, collection, [document])
    before = await contents(database, scope, collection)
    await store.delete(scope, collection, ["a"])
    await store.put(scope, collection, [document])
    assert await contents(database, scope, collection) == before


@pytest.mark.rule("F12")
async def test_the_same_document_again_is_unchanged(database, scope, store, collection):
    """F12: the second time nothing is written, not even the time of ingestion."""
    document = draft("a", "one", "two")
    await store.put(scope, collection, [document])
    before = await rows(database, scope, "select xmin::text, ingested from tadori.document where tid = %s", collection.tid)
    assert await store.put(scope, collection, [document]) == [PutResult("a", "unchanged", 2)]
    assert await rows(database, scope, "select xmin::text, ingested from tadori.document where tid = %s", collection.tid) == before


@pytest.mark.rule("F12", "emb-advanced")
async def test_the_same_bytes_under_another_name_are_stored_once(database, scope, store, collection):
    """F12, emb-advanced: two documents, one text, one set of chunks; the last one takes the text with it."""
    first, second = draft("a", "one", "two"), draft("b", "one", "two")
    await store.put(scope, collection, [first])
    assert await store.put(scope, collection, [second]) == [PutResult("b", "added", 2)]
    assert await traces(database, scope, collection) == {"document": 2, "content": 1, "chunk": 2, "term": 2, "posting": 2, "vector": 2}
    assert await store.delete(scope, collection, ["a"]) == DeleteReport(1, 0)
    assert await audit(database, scope, collection) == []
    assert await store.delete(scope, collection, ["b"]) == DeleteReport(1, 2)
    assert set((await traces(database, scope, collection)).values()) == {0}


async def test_a_second_source_needs_no_chunks(database, scope, store, collection):
    await store.put(scope, collection, [draft("a", "one", "two")])
    known, unknown = replace(draft("b", "one", "two"), chunks=()), replace(draft("c", "three"), chunks=())
    assert await store.adopt(scope, collection, [unknown, known]) == [None, PutResult("b", "added", 2)]
    assert await store.sources(scope, collection) == ["a", "b"]
    assert await audit(database, scope, collection) == []


@pytest.mark.rule("F13", "R8")
async def test_a_changed_document_leaves_nothing_of_its_old_version(database, scope, store, collection):
    """F13, R8: the words, postings, vectors and counts of version 1 are gone in the transaction that brings version 2."""
    await store.put(scope, collection, [draft("manual", "turn on mode X", "then wait"), draft("other", "mode of transport")])
    assert await store.put(scope, collection, [draft("manual", "turn on", "then rest")]) == [PutResult("manual", "updated", 2)]
    assert await words_of(database, scope, collection) == {"turn": 1, "on": 1, "then": 1, "rest": 1, "mode": 1, "of": 1, "transport": 1}
    assert await traces(database, scope, collection) == {"document": 2, "content": 2, "chunk": 3, "term": 7, "posting": 7, "vector": 3}
    assert await rows(database, scope, "select chunk_count, token_count from tadori.collection where tid = %s", collection.tid) == [(3, 7)]
    assert await audit(database, scope, collection) == []


@pytest.mark.rule("F13", "R8")
async def test_a_changed_document_equals_a_fresh_one(database, scope, store, collection):
    """R8, F13: after update and delete all tables are what a clean ingestion makes."""
    other = await make_collection(database, scope, "fresh")
    await store.put(scope, collection, [draft("a", "old words of a"), draft("b", "words of b"), draft("c", "soon gone")])
    await store.put(scope, collection, [draft("a", "new words", "in two chunks")])
    await store.delete(scope, collection, ["c", "unknown"])
    await store.put(scope, other, [draft("b", "words of b"), draft("a", "new words", "in two chunks")])
    changed, fresh = await contents(database, scope, collection), await contents(database, scope, other)
    for part in ("collection", "documents", "texts", "words"):
        assert changed[part] == fresh[part]
    assert sorted(row[1:] for row in changed["postings"]) == sorted(row[1:] for row in fresh["postings"])


@pytest.mark.rule("F13")
async def test_a_source_that_takes_over_the_text_of_another_shares_it(database, scope, store, collection):
    """F13: its own old text goes, although the new one was there before."""
    await store.put(scope, collection, [draft("a", "shared text"), draft("b", "private text")])
    assert await store.put(scope, collection, [draft("b", "shared text")]) == [PutResult("b", "updated", 1)]
    assert await words_of(database, scope, collection) == {"share": 1, "text": 1}
    assert await audit(database, scope, collection) == []


async def test_two_sources_may_swap_their_texts_in_one_call(database, scope, store, collection):
    await store.put(scope, collection, [draft("a", "first"), draft("b", "second")])
    assert await store.put(scope, collection, [draft("a", "second"), draft("b", "first")]) == [
        PutResult("a", "updated", 1),
        PutResult("b", "updated", 1),
    ]
    assert await words_of(database, scope, collection) == {"first": 1, "second": 1}
    assert await audit(database, scope, collection) == []


async def test_of_two_versions_in_one_call_the_later_stays(database, scope, store, collection):
    results = await store.put(scope, collection, [draft("a", "first"), draft("b", "other"), draft("a", "second")])
    assert [(result.source, result.status) for result in results] == [("a", "added"), ("b", "added"), ("a", "updated")]
    assert set(await words_of(database, scope, collection)) == {"other", "second"}
    assert await audit(database, scope, collection) == []


@pytest.mark.parametrize("change", [{"title": "New"}, {"metadata": {"k": "v"}}, {"language": "ja"}, {"content_type": "text/markdown"}])
async def test_what_is_said_of_a_document_may_change_without_its_text(database, scope, store, collection, change):
    document = draft("a", "one")
    await store.put(scope, collection, [document])
    before = await rows(database, scope, "select chunk, xmin::text from tadori.chunk where tid = %s", collection.tid)
    assert await store.put(scope, collection, [replace(document, **change)]) == [PutResult("a", "updated", 1)]
    assert await rows(database, scope, "select chunk, xmin::text from tadori.chunk where tid = %s", collection.tid) == before
    [field] = change
    assert await rows(database, scope, f"select {field} from tadori.document where tid = %s", collection.tid) == [(change[field],)]


async def test_a_new_date_alone_is_noted_and_changes_nothing(database, scope, store, collection):
    await store.put(scope, collection, [draft("a", "one")])
    date = datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert await store.put(scope, collection, [replace(draft("a", "one"), modified=date)]) == [PutResult("a", "unchanged", 1)]
    assert await rows(database, scope, "select modified from tadori.document where tid = %s", collection.tid) == [(date,)]


async def test_a_document_without_text_is_a_document(database, scope, store, collection):
    assert await store.put(scope, collection, [draft("empty")]) == [PutResult("empty", "added", 0)]
    assert (await store.states(scope, collection, ["empty"]))["empty"].has_content
    assert await audit(database, scope, collection) == []


async def test_nothing_put_is_nothing_done(scope, store, collection):
    assert await store.put(scope, collection, []) == []
    assert await store.delete(scope, collection, []) == DeleteReport(0, 0)
    assert await store.states(scope, collection, []) == {}


async def test_counts_beyond_smallint_are_clamped(database, scope, store, collection):
    await store.put(scope, collection, [draft("a", "word " * 40_000 + "other")])
    assert sorted(await rows(database, scope, "select tf, dl from tadori.posting where tid = %s", collection.tid)) == [
        (1, MAX_COUNT),
        (MAX_COUNT, MAX_COUNT),
    ]
    assert await rows(database, scope, "select chunk_count, token_count from tadori.collection where tid = %s", collection.tid) == [
        (1, 40_001)
    ]
    assert await audit(database, scope, collection) == []


# failures --------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("F30", "R8")
async def test_a_failed_update_keeps_the_version_before(database, scope, store, collection):
    """F30, R8: the reason stands with its stage, the text stays searchable."""
    await store.put(scope, collection, [draft("a", "one")])
    await store.record_failure(scope, collection, "a", "embed", "the model is gone")
    state = (await store.states(scope, collection, ["a"]))["a"]
    assert (state.has_content, state.failed, state.chunks) == (True, True, 1)
    [(stages,)] = await rows(database, scope, "select stages from tadori.document where tid = %s", collection.tid)
    assert stages["embed"] == {"status": "failed", "reason": "the model is gone"}
    assert stages["load"]["status"] == "ok"


@pytest.mark.rule("F30")
async def test_a_source_that_never_worked_is_known_with_its_reason(database, scope, store, collection):
    """F30: a failed file does not vanish; the next try that works makes it an added document."""
    await store.record_failure(scope, collection, "bad.pdf", "load", "encrypted\0 " + "x" * 5000)
    state = (await store.states(scope, collection, ["bad.pdf"]))["bad.pdf"]
    assert (state.content_hash, state.has_content, state.failed, state.chunks) == (None, False, True, 0)
    [(reason,)] = await rows(database, scope, "select stages -> 'load' ->> 'reason' from tadori.document where tid = %s", collection.tid)
    assert reason.startswith("encrypted\ufffd xxx")
    assert len(reason) == 2000
    assert await audit(database, scope, collection) == []
    assert await store.put(scope, collection, [draft("bad.pdf", "one")]) == [PutResult("bad.pdf", "added", 1)]
    assert not (await store.states(scope, collection, ["bad.pdf"]))["bad.pdf"].failed


async def test_an_unchanged_document_clears_a_failure(scope, store, collection):
    await store.put(scope, collection, [draft("a", "one")])
    await store.record_failure(scope, collection, "a", "load", "unreadable for a moment")
    assert await store.adopt(scope, collection, [draft("a", "one")]) == [PutResult("a", "unchanged", 1)]
    assert not (await store.states(scope, collection, ["a"]))["a"].failed


@pytest.mark.rule("F10")
@pytest.mark.parametrize(
    "change",
    [
        {"text": "a\0b"},
        {"title": "a\0b"},
        {"source": "a\0b"},
        {"language": "\0"},
        {"metadata": {"key": "a\0b"}},
        {"metadata": {"a\0b": ["x"]}},
        {"metadata": {"key": [{"deep": "\\\0"}]}},
        {"text": "a\ud800b"},
        {"title": "\udfff"},
        {"metadata": {"key": "\ud83d"}},
        {"metadata": {"key": float("nan")}},
        {"metadata": {"key": {1, 2}}},
    ],
)
async def test_what_postgresql_cannot_hold_is_a_clear_error(database, scope, store, collection, change):
    """F10: should a NUL or half a surrogate pair come through, the store names document and field, and writes nothing of the call."""
    document = replace(draft("bad", "fine"), **{"chunks": (), **change})
    with pytest.raises(IngestError, match=r"^document .* (NUL|surrogate|not JSON)") as raised:
        await store.put(scope, collection, [draft("good", "fine too"), document])
    assert raised.value.stage == "store"
    assert set((await traces(database, scope, collection)).values()) == {0}


@pytest.mark.rule("F10")
@pytest.mark.parametrize("metadata", [{"key": "\\u0000"}, {"\\\\u0000": "\\"}, {"key": "\\\\\\u0000"}])
async def test_the_spelling_of_a_nul_is_not_a_nul(database, scope, store, collection, metadata):
    """F10: a text about NUL goes in as it is."""
    await store.put(scope, collection, [draft("a", "write \\u0000", metadata=metadata)])
    assert await rows(database, scope, "select metadata from tadori.document where tid = %s", collection.tid) == [(metadata,)]


@pytest.mark.parametrize(
    ("flaw", "reason"),
    [
        (lambda chunk: replace(chunk, vector=np.ones(7, np.float32)), "has no vector of 8 numbers"),
        (lambda chunk: replace(chunk, vector=np.full(8, np.nan, np.float32)), "has no vector of 8 numbers"),
        (lambda chunk: replace(chunk, draft=replace(chunk.draft, start=1)), "is not the text at its offsets"),
        (lambda chunk: replace(chunk, draft=replace(chunk.draft, ordinal=1)), "not numbered from 0 on"),
        (lambda chunk: replace(chunk, draft=replace(chunk.draft, heading_path=("a\0",))), "NUL character in its chunk 0"),
        (lambda chunk: replace(chunk, draft=replace(chunk.draft, context="\ud800")), "half a surrogate pair in its chunk 0"),
        (lambda chunk: replace(chunk, words=("a\0",)), "NUL character in its word list of chunk 0"),
    ],
)
async def test_a_chunk_that_is_wrong_is_refused(scope, store, collection, flaw, reason):
    document = draft("a", "one paragraph")
    with pytest.raises(IngestError, match=reason):
        await store.put(scope, collection, [replace(document, chunks=tuple(flaw(chunk) for chunk in document.chunks))])


@pytest.mark.rule("T23")
@pytest.mark.parametrize("readers", [(), ("everyone",), ("group:",), ("group:a,b",), ("user:a\0b",)])
async def test_readers_that_are_none_are_refused(scope, store, collection, readers):
    """T23: nothing is readable by default; a reader is one of four kinds."""
    with pytest.raises(InvalidArgument, match="reader"):
        await store.put(scope, collection, [draft("a", "one", readers=readers)])
    with pytest.raises(InvalidArgument, match="reader"):
        await store.set_readers(scope, collection, ["a"], readers)


async def test_only_the_operator_writes(scope, store, collection):
    member = Scope.member(scope.tenant)
    for attempt in (
        lambda: store.put(member, collection, [draft("a", "one")]),
        lambda: store.adopt(member, collection, [draft("a", "one")]),
        lambda: store.delete(member, collection, ["a"]),
        lambda: store.set_readers(member, collection, ["a"], ["public"]),
        lambda: store.record_failure(member, collection, "a", "load", "x"),
        lambda: store.put(Scope(scope.tenant, ()), collection, []),
    ):
        with pytest.raises(StorageError, match="is written by its operator alone"):
            await attempt()


@pytest.mark.rule("F8", "S15")
async def test_sql_in_a_document_is_text(database, scope, store, collection):
    """F8, S15: key, value, source, language and title are bound; they come back literally and every table is still there."""
    hostile = "x'); drop table tadori.chunk; --"
    metadata = {"author' = 'a' OR '1'='1' --": hostile, "%s": "%(tid)s", '"}': "{0}"}
    document = replace(
        draft(hostile, f"one {hostile}", title="'; --", metadata=metadata, headings=('{"a",NULL}', "")),
        language="english'; --",
        content_type="%",
    )
    await store.put(scope, collection, [document])
    query = "select source, title, language, content_type, metadata from tadori.document where tid = %s"
    assert await rows(database, scope, query, collection.tid) == [(hostile, "'; --", "english'; --", "%", metadata)]
    assert await rows(database, scope, "select body, heading_path from tadori.chunk where tid = %s", collection.tid) == [
        (f"one {hostile}", ['{"a",NULL}', ""])
    ]
    assert await store.sources(scope, collection) == [hostile]
    assert (await store.states(scope, collection, [hostile, "' or true --", "a\0b", "\ud800"])).keys() == {hostile}
    assert await store.delete(scope, collection, ["' or true --", "a\0b"]) == DeleteReport(0, 0)
    assert await store.delete(scope, collection, [hostile]) == DeleteReport(1, 1)


async def test_a_call_takes_as_many_statements_for_fifty_documents_as_for_one(scope, store, collection, monkeypatch):
    count = 0
    execute = AsyncConnection.execute

    async def counted(self, *arguments, **keywords):
        nonlocal count
        count += 1
        return await execute(self, *arguments, **keywords)

    monkeypatch.setattr(AsyncConnection, "execute", counted)
    await store.put(scope, collection, [draft("one", "first", "second")])
    for_one, count = count, 0
    await store.put(scope, collection, [draft(f"{number}", f"text {number}", "and more") for number in range(50)])
    assert count <= for_one
