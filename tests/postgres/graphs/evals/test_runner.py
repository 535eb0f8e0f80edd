"""An evaluation over the real pipeline, store and search, with the embedder that needs no model."""

import json
from dataclasses import dataclass

import pytest

from graphs.evals.runner import evaluate
from graphs.rag import build_graph
from nodes.structured import Decider
from retrievers.errors import IngestError, InvalidArgument, ProviderUnavailable
from retrievers.hybrid import HybridSearch
from retrievers.ingest.pipeline import Ingestion
from retrievers.providers.fakes import FixedWeb, HashEmbedder, ScriptedChat
from retrievers.scope import Scope
from retrievers.store.collections import list_collections
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.tools import search_tool, web_tool

CORPUS = {"pump": "A pump moves water.", "valve": "A valve stops water.", "motor": "A motor drives the shaft."}
QUESTIONS = {"q1": "What moves water?", "q2": "What drives the shaft?", "q3": "What stops water?", "u1": "Who wrote the opera?"}


@dataclass
class Parts:
    """What an evaluation needs of the services."""

    database: Database
    operator: Scope
    embedder: HashEmbedder
    web: FixedWeb | None = None
    chat: Decider | None = None

    def rag(self, scope):
        search = self.search(scope)
        web = web_tool(self.web) if self.web else None
        return build_graph(search=search, search_tool=search_tool(search), embedder=self.embedder, web_tool=web, chat=self.chat)

    def search(self, scope):
        return HybridSearch(self.database, self.embedder, EmbeddingCache(self.database), scope)

    def ingestion(self):
        return Ingestion(self.database, DocumentStore(self.database), EmbeddingCache(self.database), self.embedder)


@pytest.fixture
def services(database, scope):
    return Parts(database, scope, HashEmbedder())


@pytest.fixture
def folder(tmp_path):
    """Three documents, three questions with their gold, and one that nothing answers."""
    place = tmp_path / "pumps"
    place.mkdir()
    write(place / "corpus.jsonl", [{"_id": name, "title": "", "text": text} for name, text in CORPUS.items()])
    write(place / "queries.jsonl", [{"_id": name, "text": text} for name, text in QUESTIONS.items()])
    (place / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tpump\t1\nq2\tmotor\t1\nq3\tvalve\t1\nq3\tpump\t1\n")
    (place / "unanswerable_dev.tsv").write_text("query-id\tkind\nu1\tout_of_corpus\n")
    return place


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.mark.rule("golden")
async def test_a_report_holds_the_agreed_numbers(services, folder):
    """golden: the keys of the contract; three easy questions are answered, the fourth stands apart."""
    report = await evaluate(services, folder, queries="dev.tsv")
    timings = report.pop("timings_ms")
    assert report == {
        "ndcg@10": 1.0,
        "recall@5": 1.0,
        "recall@10": 1.0,
        "recall@100": 1.0,
        "mrr@10": 1.0,
        "all_gold@10": 1.0,
        "no_answer_auroc": {"out_of_corpus": 1.0, "adversarial": None},
        "queries": 3,
    }
    assert {stage: sorted(values) for stage, values in timings.items()} == {"embed": ["p50", "p95"], "search": ["p50", "p95"]}


async def test_the_corpus_is_ingested_once(services, folder):
    await evaluate(services, folder, queries="dev.tsv")
    embedded = len(services.embedder.passages)
    await evaluate(services, folder, queries="dev.tsv", mode="lexical", limit=1)
    assert len(services.embedder.passages) == embedded == 3
    names = [collection.name for collection in await list_collections(services.database, services.operator)]
    assert names == ["eval-pumps"]


async def test_a_corpus_that_was_ingested_half_way_is_completed(services, folder):
    whole = (folder / "corpus.jsonl").read_text()
    write(folder / "corpus.jsonl", [{"_id": "pump", "title": "", "text": CORPUS["pump"]}])
    assert (await evaluate(services, folder, queries="dev.tsv"))["recall@10"] == pytest.approx(0.5, abs=1e-4)
    (folder / "corpus.jsonl").write_text(whole)
    assert (await evaluate(services, folder, queries="dev.tsv"))["recall@10"] == 1.0


async def test_questions_can_be_asked_of_another_folders_corpus(services, folder, tmp_path):
    other = tmp_path / "twins"
    other.mkdir()
    write(other / "corpus.jsonl", [{"_id": "valve", "title": "", "text": "A valve stops water."}])
    report = await evaluate(services, folder, queries="dev.tsv", corpus=other / "corpus.jsonl")
    assert report["recall@10"] == pytest.approx((0 + 0 + 0.5) / 3, abs=1e-4)
    names = [collection.name for collection in await list_collections(services.database, services.operator)]
    assert names == ["eval-twins"]


@pytest.mark.parametrize(("mode", "fusion"), [("lexical", None), ("vector", None), ("hybrid", "rrf"), ("hybrid", "weighted")])
async def test_every_mode_and_fusion_can_be_measured(services, folder, mode, fusion):
    report = await evaluate(services, folder, queries="dev.tsv", mode=mode, fusion=fusion)
    assert report["ndcg@10"] == 1.0


async def test_progress_ends_with_the_last_question(services, folder):
    seen = []
    await evaluate(services, folder, queries="dev.tsv", limit=2, progress=lambda done, total: seen.append((done, total)))
    assert seen[-3:] == [(1, 3), (2, 3), (3, 3)]


async def test_a_document_that_fails_ends_the_run(services, folder):
    with (folder / "corpus.jsonl").open("a") as corpus:
        corpus.write("{broken\n")
    with pytest.raises(IngestError, match="1 documents of"):
        await evaluate(services, folder, queries="dev.tsv")


@pytest.mark.rule("golden", "F19")
async def test_with_ask_the_report_says_who_was_answered_and_who_was_not(services, folder):
    """golden, F19: answered from the gold document, and the question that nothing answers refused, beside what a search reports."""
    report = await evaluate(services, folder, queries="dev.tsv", ask=True)
    assert (report["queries"], report["answered"], report["cited_gold"]) == (3, 1.0, 1.0)
    assert report["abstained"] == {"answerable": 0.0, "out_of_corpus": 1.0, "adversarial": None}
    assert (report["calls"], report["tokens"], report["asked"]) == (0.0, 0.0, {"answerable": 3, "out_of_corpus": 1})
    assert (report["failed"], report["missed"]) == ([], [])


async def test_without_ask_nothing_is_answered(services, folder):
    assert "answered" not in await evaluate(services, folder, queries="dev.tsv")


async def test_a_question_whose_passages_lie_under_the_threshold_is_missed_for_that(services, folder):
    await evaluate(services, folder, queries="dev.tsv", limit=1)
    async with services.database.owner() as owner:
        await owner.execute("update tadori.collection set no_answer = 5 where name = 'eval-pumps'")
    report = await evaluate(services, folder, queries="dev.tsv", limit=1, ask=True)
    assert (report["answered"], report["abstained"]["answerable"], report["causes"]) == (0.0, 1.0, {"threshold": 1})
    assert [(entry["id"], entry["cause"]) for entry in report["missed"]] == [("q1", "threshold")]


async def test_the_web_does_not_answer_for_the_corpus(services, folder):
    services.web = FixedWeb(
        [{"url": "https://example.org", "title": "Opera", "text": "Who wrote the opera? Verdi wrote it.", "score": 0.9}]
    )
    report = await evaluate(services, folder, queries="dev.tsv", ask=True)
    assert (report["abstained"]["out_of_corpus"], services.web.queries) == (1.0, [])


async def test_a_run_that_fails_is_named_and_the_others_go_on(services, folder, monkeypatch):
    whole = HashEmbedder.embed_query

    async def failing(self, text):
        if text == "What drives the shaft?" and len(self.queries) > 4:
            raise ProviderUnavailable("the embedder is down")
        return await whole(self, text)

    monkeypatch.setattr(HashEmbedder, "embed_query", failing)
    monkeypatch.setattr(EmbeddingCache, "get", no_vectors)
    report = await evaluate(services, folder, queries="dev.tsv", ask=True)
    assert [entry["id"] for entry in report["failed"]] == ["q2"]
    assert "the embedder is down" in report["failed"][0]["reason"]
    assert report["statuses"]["answerable"] == {"answered": 2, "failed": 1}


async def no_vectors(self, scope, model, side, texts):
    return [None for _ in texts]


async def test_a_models_calls_and_tokens_are_counted(services, folder):
    services.chat = Decider(ScriptedChat(replies=["no idea"] * 40))
    report = await evaluate(services, folder, queries="dev.tsv", limit=2, ask=True)
    assert report["calls"] > 0
    assert report["tokens"] > report["calls"]


async def test_a_single_arm_cannot_be_asked(services, folder):
    with pytest.raises(InvalidArgument, match="leave out --mode"):
        await evaluate(services, folder, queries="dev.tsv", mode="lexical", ask=True)


async def test_progress_counts_searches_and_answers(services, folder):
    seen = []
    await evaluate(services, folder, queries="dev.tsv", limit=1, ask=True, progress=lambda done, total: seen.append((done, total)))
    assert seen[-4:] == [(1, 4), (2, 4), (3, 4), (4, 4)]
