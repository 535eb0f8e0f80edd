"""An evaluation over the real pipeline, store and search, with the embedder that needs no model."""

import json
from dataclasses import dataclass

import pytest

from graphs.evals.runner import evaluate
from retrievers.errors import IngestError
from retrievers.hybrid import HybridSearch
from retrievers.ingest.pipeline import Ingestion
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store.collections import list_collections
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.embedding_cache import EmbeddingCache

CORPUS = {"pump": "A pump moves water.", "valve": "A valve stops water.", "motor": "A motor drives the shaft."}
QUESTIONS = {"q1": "What moves water?", "q2": "What drives the shaft?", "q3": "What stops water?", "u1": "Who wrote the opera?"}


@dataclass
class Parts:
    """What an evaluation needs of the services."""

    database: Database
    operator: Scope
    embedder: HashEmbedder

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
