"""After any history of writes the store equals a clean one: the same words, counts, lengths, readers, and the same ranking."""

import asyncio
import logging
from dataclasses import replace
from itertools import count

import bm25s
import pytest
from drafting import contents, draft, make_collection
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from retrievers.ingest.reanalysis import reanalyse
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store.audit import audit
from retrievers.store.collections import drop_collection, get_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.search import Query, find_passages
from retrievers.text.analysis import ANALYSER, analyse, query_words

logging.getLogger("bm25s").setLevel(logging.WARNING)

PARAGRAPHS = (
    "alpha beta beta gamma",
    "beta gamma delta delta delta",
    "gamma",
    "XR-4200のトルク仕様は12Nmです",
    "トルクを確認する beta",
    "!?",
    "epsilon epsilon alpha zeta eta theta",
)
QUERIES = ("alpha", "beta gamma", "delta epsilon theta", "XR-4200のトルク", "unknown beta")

sources = st.sampled_from(["a", "b", "c", "d", "e"])
paragraphs = st.lists(st.sampled_from(PARAGRAPHS), max_size=3, unique=True).map(tuple)
readers = st.sampled_from([("tenant",), ("public",), ("group:x",), ("group:x", "user:ann"), ("public", "tenant")])
documents = st.builds(
    lambda source, parts, who, year: draft(source, *parts, readers=who, metadata={"year": year}, windowed=True),
    sources,
    paragraphs,
    readers,
    st.integers(1, 2),
)
_numbers = count(1)


class AnyHistory(RuleBasedStateMachine):
    """The store beside a dictionary: source to the document it should hold, and the failures noted since."""

    loop: asyncio.Runner
    database: Database

    @initialize()
    def start(self) -> None:
        self.scope = Scope.operator(f"history-{next(_numbers)}")
        self.store = DocumentStore(self.database)
        self.collection = self.run(make_collection(self.database, self.scope))
        self.held, self.failed = {}, set()

    def run(self, coroutine):
        return self.loop.run(coroutine)

    @rule(given=st.lists(documents, min_size=1, max_size=3))
    def put(self, given) -> None:
        self.run(self.store.put(self.scope, self.collection, given))
        self.hold(given)

    @rule(given=documents)
    def adopt(self, given) -> None:
        [result] = self.run(self.store.adopt(self.scope, self.collection, [given]))
        stored = {document.content_hash for document in self.held.values()}
        assert (result is not None) == (given.content_hash in stored)
        if result is not None:
            self.hold([given])

    @rule(given=st.lists(sources, min_size=1, max_size=2))
    def delete(self, given) -> None:
        report = self.run(self.store.delete(self.scope, self.collection, given))
        assert report.deleted == len({source for source in given if source in self.held or source in self.failed})
        for source in given:
            self.held.pop(source, None)
            self.failed.discard(source)

    @rule(given=sources, who=readers)
    def set_readers(self, given, who) -> None:
        self.run(self.store.set_readers(self.scope, self.collection, [given], who))
        if given in self.held:
            self.held[given] = replace(self.held[given], readers=who)

    @rule(given=sources)
    def fail(self, given) -> None:
        if given in self.held:
            self.run(self.store.record_failure(self.scope, self.collection, given, "load", "broken"))
            self.failed.add(given)

    @rule()
    def cut_again(self) -> None:
        self.run(reanalyse(self.database, self.scope, "default", HashEmbedder(), ANALYSER))

    def hold(self, given) -> None:
        self.held |= {document.source: document for document in given}
        self.failed -= {document.source for document in given}

    @invariant()
    def sound(self) -> None:
        if hasattr(self, "held"):
            assert self.run(audit(self.database, self.scope, self.collection)) == []

    def teardown(self) -> None:
        if hasattr(self, "held"):
            self.run(self.compare())

    async def compare(self) -> None:
        """Rank, look at every table, build anew under the same name, look again."""
        collection = await get_collection(self.database, self.scope, "default")
        await self.check_ranking(collection)
        before = await contents(self.database, self.scope, collection)
        await drop_collection(self.database, self.scope, "default")
        fresh = await make_collection(self.database, self.scope)
        await self.store.put(self.scope, fresh, list(self.held.values()))
        for source in self.failed:
            await self.store.record_failure(self.scope, fresh, source, "load", "broken")
        assert before == await contents(self.database, self.scope, fresh)

    async def check_ranking(self, collection) -> None:
        texts = {document.content_hash: document for document in self.held.values()}
        bodies = [chunk.draft.text for document in texts.values() for chunk in document.chunks]
        async with self.database.transaction(self.scope) as conn:
            for query in QUERIES:
                words = tuple(query_words(query))
                found = await find_passages(conn, collection, Query(words, None, 50, "lexical", "absolute"))
                scores = sorted((round(passage["scores"]["bm25"], 4) for passage in found), reverse=True)
                assert scores == reference(bodies, words), query


def reference(bodies, words):
    """The scores above 0 by bm25s, best first; its method lucene leaves out the factor (k1 + 1)."""
    index, analysed = bm25s.BM25(method="lucene", k1=1.2, b=0.75, dtype="float64"), [analyse(body) for body in bodies]
    known = [word for word in words if any(word in entry for entry in analysed)]
    if not known:
        return []
    index.index(analysed, show_progress=False)
    return sorted((round(float(score) * 2.2, 4) for score in index.get_scores(known) if score > 0), reverse=True)


@pytest.mark.slow
@pytest.mark.rule("R18", "R8", "core-hybrid")
def test_after_any_history_the_store_equals_a_clean_one(server_home) -> None:
    """R18, R8, core-hybrid: any order of inserts, updates, deletes, readers, second sources, failures, a new cut; then bm25s agrees."""
    with asyncio.Runner() as loop:
        database = Database(None, home=server_home)
        machine = type("History", (AnyHistory,), {"loop": loop, "database": database})
        try:
            run_state_machine_as_test(
                machine,
                settings=settings(
                    max_examples=20,
                    stateful_step_count=12,
                    phases=[Phase.generate],  # shrinking a history takes minutes, and the printed one can be read
                    deadline=None,
                    database=None,
                    suppress_health_check=list(HealthCheck),
                ),
            )
        finally:
            loop.run(database.close())
