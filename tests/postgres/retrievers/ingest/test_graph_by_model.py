"""A collection's graph built by a chat model: limited, interrupted, resumed, and kept as it was said."""

import pytest
from drafting import draft, make_collection
from extracting import chat, entry
from graphing import build, kept
from injections import INJECTIONS
from servers.loopback import Reply

from retrievers.errors import ProviderRejected
from retrievers.said import Most
from retrievers.store.audit import audit
from retrievers.store.documents import DocumentStore

MET = "Ada Lovelace met Charles Babbage in London."


def says(words):
    if MET not in words:
        return entry()
    return entry(("Ada Lovelace", "person"), relations=[("Ada Lovelace", "Met", "Charles Babbage", "Ada Lovelace met Charles Babbage")])


async def collection_of(database, scope, *paragraphs):
    collection = await make_collection(database, scope)
    await DocumentStore(database).put(scope, collection, [draft("a", *paragraphs, title="Meetings")])
    return collection


@pytest.mark.rule("kg")
async def test_kinds_and_relations_of_the_model_are_kept_with_their_span(database, scope):
    """kg: evidence of a relation is a chunk and a place in it."""
    collection = await collection_of(database, scope, MET)
    with chat(says) as (extractor, _):
        report = await build(database, scope, collection, extractor)
    rows = await kept(database, scope, collection)
    assert (report["chunks"], report["failed"], report["extractor"]) == (1, 0, extractor.name)
    assert ("ada lovelace", "Ada Lovelace", "person") in [row[3:6] for row in rows["mention"]]
    assert ("ada lovelace", "charles babbage", "met", 0, 32, 1.0) in [row[3:9] for row in rows["relation"]]
    assert await audit(database, scope, collection) == []


@pytest.mark.rule("kg")
async def test_a_limited_build_goes_on_where_it_stopped_and_equals_one_without_a_limit(database, scope):
    """kg: no chunk is paid for twice."""
    paragraphs = [MET, *(f"Paper {number} of the Royal Society." for number in range(10))]
    collection = await collection_of(database, scope, *paragraphs)
    calls, stopped = [], []
    for _ in range(4):
        with chat(says, most=Most(calls=1)) as (extractor, server):
            report = await build(database, scope, collection, extractor)
        calls.append(len(server.asked))
        stopped.append((report["chunks"], "stopped" in report))
    limited = await kept(database, scope, collection)
    with chat(says) as (extractor, server):
        await build(database, scope, collection, extractor)
        assert server.asked == []
    assert (calls, stopped) == ([1, 1, 1, 0], [(4, True), (4, True), (3, False), (0, False)])

    other = await make_collection(database, scope, "whole")
    await DocumentStore(database).put(scope, other, [draft("a", *paragraphs, title="Meetings")])
    with chat(says) as (extractor, _):
        await build(database, scope, other, extractor)
    assert await kept(database, scope, other) == limited


@pytest.mark.rule("kg")
async def test_a_key_that_is_refused_on_the_way_leaves_what_was_read(database, scope):
    """kg: told in the report; refused at once it is an error, and nothing counts as read."""
    collection = await collection_of(database, scope, *(f"Paper {number}." for number in range(6)))
    refused = Reply({"error": {"message": "no"}}, status=401)
    with chat(lambda _: refused) as (extractor, _):
        with pytest.raises(ProviderRejected, match="refused the key"):
            await build(database, scope, collection, extractor)
    with chat(lambda _: refused, {"texts": [{"id": number, **entry()} for number in (1, 2, 3, 4)]}) as (extractor, _):
        report = await build(database, scope, collection, extractor)
    assert report["chunks"] == 4
    assert "refused the key" in report["stopped"]
    with chat(says) as (extractor, _):
        assert (await build(database, scope, collection, extractor))["chunks"] == 2


@pytest.mark.rule("kg", "F2")
async def test_a_chunk_whose_reply_cannot_be_read_keeps_the_rules_names_and_is_read_again_on_demand(database, scope):
    """kg, F2: and not before, so that no build pays for it for ever."""
    collection = await collection_of(database, scope, MET)
    with chat(lambda _: "I cannot.") as (extractor, _):
        report = await build(database, scope, collection, extractor)
    assert (report["chunks"], report["failed"]) == (1, 1)
    assert "charles babbage" in [row[3] for row in (await kept(database, scope, collection))["mention"]]
    with chat(says) as (extractor, _):
        assert (await build(database, scope, collection, extractor))["chunks"] == 0
        assert (await build(database, scope, collection, extractor, retry_failed=True))["failed"] == 0
    assert "met" in [row[5] for row in (await kept(database, scope, collection))["relation"]]


@pytest.mark.rule("kg", "F17")
async def test_names_that_give_orders_are_kept_as_names_or_not_at_all(database, scope):
    """kg, F17: whatever an obeying model lists, what is stored are words of the text and short predicates."""
    collection = await collection_of(database, scope, *(injection.text for injection in INJECTIONS))
    with chat(lambda words: entry((words[-40:], "person"), relations=[("A", words[-90:], "B", words[-30:])])) as (extractor, _):
        report = await build(database, scope, collection, extractor)
    rows = await kept(database, scope, collection)
    whole = "\n".join(["Meetings", *(injection.text for injection in INJECTIONS)])
    assert report["chunks"] == len(INJECTIONS)
    assert [row[4] for row in rows["mention"] if row[4] not in whole] == []
    assert all(len(row[5]) <= 60 and "<" not in row[5] for row in rows["relation"])
    assert await audit(database, scope, collection) == []
