"""Building the graph: after any history, and after any kill, it is what a clean build would give; a fault of it costs no document."""

import asyncio
import multiprocessing
import random
import signal
from itertools import count

import pytest
from drafting import draft, make_collection
from graphing import Told, build, build_and_die, kept, named
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from ingesting import manual, statuses, write

from retrievers.entities import Extraction
from retrievers.errors import ProviderUnavailable
from retrievers.ingest.graph import GraphBuilder
from retrievers.ingest.pipeline import Ingestion
from retrievers.providers.fakes import HashEmbedder
from retrievers.providers.names_rules import RuleExtractor
from retrievers.scope import Scope
from retrievers.store.audit import audit
from retrievers.store.collections import drop_collection, get_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.store.graph import GraphStore

PARAGRAPHS = (
    "Ada Lovelace met Charles Babbage in London.",
    "The Global Positioning System (GPS) helps Ada Lovelace.",
    "Moonlightの配備は東京支社の担当です。",
    "東京支社はアレックスさんがXR-4200を使います。",
    "nothing is named here",
)
TITLES = ("", "Ada Lovelace", "Moonlight", "Notes")

sources = st.sampled_from(["a", "b", "c"])
readers = st.sampled_from([("tenant",), ("group:x",), ("public", "user:ann")])
documents = st.builds(
    lambda source, parts, title, who: draft(source, *parts, title=title, readers=who),
    sources,
    st.sampled_from([PARAGRAPHS[:2], PARAGRAPHS[1:2], PARAGRAPHS[2:]]),  # few: the same text under other names and titles is what matters
    st.sampled_from(TITLES),
    readers,
)
steps = st.one_of(
    st.tuples(st.just("put"), documents),
    st.tuples(st.just("delete"), sources),
    st.tuples(st.just("readers"), sources, readers),
    st.tuples(st.just("build"), st.sampled_from([None, 1, 2])),
)
_numbers = count(1)
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["graphing"])


async def live(database, scope, history):
    """Write as the history says, building in between; what is stored at the end, by source."""
    store, collection, held = DocumentStore(database), await make_collection(database, scope), {}
    for step, *values in history:
        match step:
            case "put":
                [document] = values
                await store.put(scope, collection, [document])
                held[document.source] = document
            case "delete":
                await store.delete(scope, collection, values)
                held.pop(values[0], None)
            case "readers":
                await store.set_readers(scope, collection, [values[0]], values[1])
                if values[0] in held:
                    held[values[0]] = draft_with_readers(held[values[0]], values[1])
            case _:
                await build(database, scope, collection, max_chunks=values[0])
        assert await audit(database, scope, collection) == []
    return held


def draft_with_readers(document, who):
    return type(document)(**{**vars(document), "readers": who})


async def equals_a_rebuild(database, history):
    scope = Scope.operator(f"graphed-{next(_numbers)}")
    held = await live(database, scope, history)
    collection = await get_collection(database, scope, "default")
    await build(database, scope, collection)
    lived = await kept(database, scope, collection)
    await drop_collection(database, scope, "default")
    fresh = await make_collection(database, scope)
    await DocumentStore(database).put(scope, fresh, [held[source] for source in sorted(held, reverse=True)])
    await build(database, scope, fresh)
    assert lived == await kept(database, scope, fresh)


@pytest.mark.rule("kg", "F13", "F12")
def test_after_any_history_the_graph_is_that_of_a_rebuild_from_what_is_left(server_home):
    """kg, F13, F12: any order of new, changed and deleted documents, other titles, other readers, and builds that stopped half-way."""
    with asyncio.Runner() as loop:
        database = Database(None, home=server_home)

        @settings(max_examples=25, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
        @given(st.lists(steps, min_size=5, max_size=12))
        def check(history):
            loop.run(equals_a_rebuild(database, history))

        try:
            check()
        finally:
            loop.run(database.close())


@pytest.mark.slow
@pytest.mark.rule("kg", "R7", "F12")
async def test_a_build_killed_ten_times_and_resumed_is_one_that_nothing_disturbed(database, scope, server_home):
    """kg, R7, F12: SIGKILL before any statement or extraction; what was kept is never half a chunk, and is not read again."""
    store, clean = DocumentStore(database), Scope.operator(f"{scope.tenant}-clean")
    papers = [draft(f"{number}", f"Paper {number} of Ada Lovelace.", *PARAGRAPHS, title=f"Report {number}") for number in range(10)]
    for who in (scope, clean):
        await store.put(who, await make_collection(database, who), papers)
    undisturbed, collection = await make_collection(database, clean), await make_collection(database, scope)
    await build(database, clean, undisturbed)
    expected = await kept(database, clean, undisturbed)

    chance = random.Random(7)
    for _ in range(10):
        process = _PROCESSES.Process(target=build_and_die, args=(str(server_home), scope.tenant, chance.randint(4, 34)))
        process.start()
        process.join(120)
        assert process.exitcode == -signal.SIGKILL
        read = await kept(database, scope, collection)
        done = {row[:2] for row in read["extraction"]}
        assert read == {table: [row for row in whole if row[:2] in done] for table, whole in expected.items()}
        assert await audit(database, scope, collection) == []

    left = 60 - len(done)
    assert 0 < left < 60
    assert (await build(database, scope, collection))["chunks"] == left
    assert await kept(database, scope, collection) == expected
    assert (await build(database, scope, collection))["chunks"] == 0


@pytest.mark.rule("kg", "F12")
async def test_two_builds_at_once_keep_everything_once(database, scope):
    """kg, F12: both read the same chunks; the second one's rows take the place of the first one's."""
    collection = await make_collection(database, scope)
    await DocumentStore(database).put(scope, collection, [draft(f"{number}", f"Paper {number}.", *PARAGRAPHS) for number in range(4)])

    await asyncio.gather(build(database, scope, collection), build(database, scope, collection))

    assert await GraphStore(database).count_pending(scope, collection, "rules-1") == 0
    together = await kept(database, scope, collection)
    assert [row[:2] for row in together["extraction"]] == sorted({row[:2] for row in together["extraction"]}, key=repr)
    assert await audit(database, scope, collection) == []


class Failing(Told):
    """Reads so many texts in all; then it ends early, or fails."""

    def __init__(self, texts, failure=None):
        super().__init__({})
        self.left, self.failure = texts, failure

    async def extract(self, texts):
        if not self.left and self.failure:
            raise self.failure
        taken, self.left = texts[: self.left], max(self.left - len(texts), 0)
        return await super().extract(taken)


async def four_chunks(database, scope):
    collection = await make_collection(database, scope)
    await DocumentStore(database).put(scope, collection, [draft("a", *PARAGRAPHS[:4])])
    return collection


@pytest.mark.rule("kg")
async def test_an_extractor_that_ends_early_keeps_what_it_read_and_goes_on_next_time(database, scope):
    """kg: the cap on what a model may cost."""
    collection = await four_chunks(database, scope)

    report = await build(database, scope, collection, Failing(3))

    assert (report["chunks"], report["stopped"]) == (3, "told-1 reads no more, by a limit that was given: run it again to go on")
    rest = Told({})
    assert (await build(database, scope, collection, rest))["chunks"] == 1
    assert [text.text for text in rest.asked] == [PARAGRAPHS[3]]


async def test_a_provider_that_fails_on_the_way_says_why_and_one_that_fails_at_once_is_an_error(database, scope):
    collection = await four_chunks(database, scope)

    report = await build(database, scope, collection, Failing(1, ProviderUnavailable("the model is down")))

    assert (report["chunks"], report["stopped"]) == (1, "the model is down")
    with pytest.raises(ProviderUnavailable, match="the model is down"):
        await build(database, scope, collection, Failing(0, ProviderUnavailable("the model is down")))


async def test_what_could_not_be_read_is_asked_again_only_when_that_is_wanted(database, scope):
    collection = await four_chunks(database, scope)
    told = Told({PARAGRAPHS[1]: Extraction(failed="the reply made no sense")})

    first = await build(database, scope, collection, told)
    again = await build(database, scope, collection, told)
    retried = await build(database, scope, collection, Told({PARAGRAPHS[1]: named("Ada")}), retry_failed=True)

    assert [(report["chunks"], report["failed"]) for report in (first, again, retried)] == [(4, 1), (0, 0), (1, 0)]
    assert [row[5] for row in (await kept(database, scope, collection))["extraction"]] == [None] * 4
    assert (await GraphStore(database).sizes(scope, collection))["failed"] == 0


async def test_progress_counts_chunks_up_to_the_most_that_are_to_be_read(database, scope):
    collection, seen = await four_chunks(database, scope), []

    report = await build(database, scope, collection, progress=lambda done, total: seen.append((done, total)), max_chunks=3)

    assert (report["extractor"], report["chunks"], seen) == ("rules-1", 3, [(3, 3)])


def with_graph(database, extractor=None):
    """The pipeline as wiring makes it, with a graph."""
    graph = GraphBuilder(GraphStore(database), extractor or RuleExtractor())
    return Ingestion(database, DocumentStore(database), EmbeddingCache(database), HashEmbedder(), None, graph)


@pytest.mark.rule("kg")
async def test_ingestion_reads_what_is_new_and_nothing_twice(database, scope, tmp_path):
    """kg: incremental: only the chunks that the run stored."""
    write(tmp_path, {"a.md": manual(1), "b.md": manual(2)})
    first = await with_graph(database).ingest(scope, "default", [tmp_path])
    write(tmp_path, {"b.md": manual(3)})
    told, seen = Told({}), []
    second = await with_graph(database, told).ingest(scope, "default", [tmp_path], progress=lambda done, total: seen.append((done, total)))

    assert (first["graph"]["extractor"], first["graph"]["chunks"], first["graph"]["failed"]) == ("rules-1", 6, 0)
    assert first["graph"]["names"] >= 6
    assert (second["graph"]["chunks"], len(told.asked)) == (3, 3), "what the rules read before is not read by another one"
    assert seen[-1][0] == seen[-1][1]
    assert await audit(database, scope, await get_collection(database, scope, "default")) == []


@pytest.mark.rule("kg")
async def test_a_fault_of_the_graph_is_in_the_report_and_every_document_is_stored(database, scope, tmp_path):
    """kg: the next run goes on where it was."""
    write(tmp_path, {"a.md": manual(1)})

    report = await with_graph(database, Failing(0, ProviderUnavailable("the model is down"))).ingest(scope, "default", [tmp_path])

    assert statuses(report) == {"a.md": "added"}
    assert (report["graph"]["chunks"], report["graph"]["stopped"]) == (0, "the model is down")
    again = await with_graph(database).ingest(scope, "default", [tmp_path])
    assert (statuses(again), again["graph"]["chunks"]) == ({"a.md": "unchanged"}, 3)
