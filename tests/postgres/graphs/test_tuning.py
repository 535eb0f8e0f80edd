"""Tuning over the real store and search: a corpus made so that one setting is clearly better, and the command as typed."""

import json
from argparse import Namespace
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from numpy.typing import NDArray

from graphs.cli import main
from graphs.commands import Bar
from graphs.evals.metrics import collapse
from graphs.evals.pools import SHOWN, best_absolute, ranked
from graphs.tuning import _Asking, tune
from retrievers.caching import VectorCache
from retrievers.errors import CollectionRebuilt, InvalidArgument, StorageError, UnknownCollection
from retrievers.hybrid import HybridSearch
from retrievers.ingest.pipeline import Ingestion
from retrievers.providers.fakes import HashEmbedder
from retrievers.ranking import Ranking
from retrievers.scope import Scope
from retrievers.store.collections import get_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.store.tuned import store_setting
from retrievers.trial import Trials
from retrievers.types import Collection, Setting, Vector

QUESTIONS = 24
OTHERS = 24


class MeaningEmbedder(HashEmbedder):
    """Knows what each question means: the name of its answer, of which the question's own words say nothing."""

    async def embed_query(self, text: str) -> Vector:
        return await super().embed_query(text.replace("alias", "widget"))

    async def embed_passages(self, texts: Any) -> NDArray[Any]:
        return await super().embed_passages([text.replace("decoy", "").replace("alias", "") for text in texts])


@dataclass
class Parts:
    """What tuning needs of the services."""

    database: Database
    operator: Scope
    embedder: HashEmbedder

    @property
    def cache(self) -> VectorCache:
        """In the database."""
        return EmbeddingCache(self.database)

    def search(self) -> HybridSearch:
        """As the operator."""
        return HybridSearch(self.database, self.embedder, self.cache, self.operator)

    def ingestion(self) -> Ingestion:
        """Of the same database."""
        return Ingestion(self.database, DocumentStore(self.database), self.cache, self.embedder)

    async def collection(self, name: str) -> Collection:
        """As stored."""
        return await get_collection(self.database, self.operator, name)


@pytest.fixture
def services(database: Database, scope: Scope) -> Parts:
    return Parts(database, scope, MeaningEmbedder())


def write(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_folder(place: Path, *, misleading: bool, questions: int = QUESTIONS) -> Path:
    """Questions for an alias that the answer has by meaning alone; where words mislead, decoys share the words of the question."""
    place.mkdir()
    corpus = [{"_id": f"gold{n}", "title": "", "text": f"widget n{n}x stands ready"} for n in range(questions)]
    asked = [{"_id": f"q{n}", "text": f"alias n{n}x" if misleading else f"widget n{n}x"} for n in range(questions)]
    if misleading:
        corpus += [{"_id": f"decoy{n}", "title": "", "text": f"alias n{n}x decoy"} for n in range(questions)]
    asked += [{"_id": f"u{n}", "text": f"opera o{n}z"} for n in range(OTHERS)]
    write(place / "corpus.jsonl", corpus)
    write(place / "queries.jsonl", asked)
    (place / "dev.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(f"q{n}\tgold{n}\t1\n" for n in range(questions)))
    (place / "unanswerable_dev.tsv").write_text("query-id\tkind\n" + "".join(f"u{n}\tout_of_corpus\n" for n in range(OTHERS)))
    return place


def options(folder: Path, **more: Any) -> Namespace:
    return Namespace(**{"folder": folder, "queries": "dev.tsv", "collection": None, "limit": None, "dry_run": False, "json": True} | more)


@pytest.mark.rule("per-corpus", "no-answer")
async def test_a_better_setting_is_stored_and_searched_with(services: Parts, tmp_path: Path) -> None:
    """per-corpus, no-answer: words mislead here; what is tuned puts the answers first, with a threshold and a curve of its own."""
    result = await tune(services, options(write_folder(tmp_path / "aliases", misleading=True)))  # type: ignore[arg-type]
    data = result.data
    assert (data["collection"], data["stored"]) == ("eval-aliases", True)
    assert data["questions"] == {"tuned": {"answerable": 12, "unanswerable": 12}, "checked": {"answerable": 12, "unanswerable": 12}}
    assert data["before"]["ndcg@10"] < 0.7
    assert data["after"]["ndcg@10"] == 1.0
    stored = await services.collection("eval-aliases")
    assert asdict(stored.ranking) == data["ranking"]["ranking"]
    assert (stored.fusion, stored.weights) == (data["ranking"]["fusion"], data["ranking"]["weights"])
    assert stored.no_answer == pytest.approx(data["ranking"]["no_answer"])
    assert data["after"]["no_answer"] == pytest.approx(stored.no_answer, abs=1e-4)
    assert f"threshold goes from 0.6000 to {data['after']['no_answer']:.4f}" in data["reason"]
    found = await services.search().search("alias n3x", collection="eval-aliases")
    assert found["passages"][0]["document"] == "gold3"
    assert found["answerable"] is not None
    nothing = await services.search().search("opera o3z", collection="eval-aliases")
    assert nothing["answerable"] is not None
    assert nothing["answerable"] < 0.5 < found["answerable"]


@pytest.mark.rule("per-corpus", "no-answer")
async def test_where_nothing_is_better_nothing_changes(services: Parts, tmp_path: Path) -> None:
    """per-corpus, no-answer: every answer comes first already, so neither ranking nor threshold is touched, and that is said."""
    result = await tune(services, options(write_folder(tmp_path / "plain", misleading=False)))  # type: ignore[arg-type]
    assert (result.data["stored"], result.data["before"]["ndcg@10"]) == (False, 1.0)
    assert result.text.endswith("not stored: nDCG@10 on the other half is 1.0000, not above 1.0000")
    stored = await services.collection("eval-plain")
    assert (stored.fusion, stored.no_answer, stored.ranking) == ("absolute", pytest.approx(0.6), Ranking())


async def test_a_dry_run_stores_nothing(services: Parts, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "aliases", misleading=True)
    result = await tune(services, options(folder, dry_run=True))  # type: ignore[arg-type]
    assert not result.data["stored"]
    assert "better, but not stored because of --dry-run: the no-answer threshold goes from 0.6000 to " in result.text
    assert (await services.collection("eval-aliases")).ranking == Ranking()


async def test_the_second_time_there_is_nothing_left_to_gain(services: Parts, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "aliases", misleading=True)
    first = await tune(services, options(folder))  # type: ignore[arg-type]
    second = await tune(services, options(folder))  # type: ignore[arg-type]
    assert (first.data["stored"], second.data["stored"]) == (True, False)
    assert second.data["before"] == first.data["after"]


@pytest.mark.rule("per-corpus")
async def test_a_collection_that_is_there_is_tuned_by_its_sources(services: Parts, tmp_path: Path) -> None:
    """per-corpus: the judgements name the sources of any collection; what it lacks is named."""
    folder = write_folder(tmp_path / "aliases", misleading=True)
    await services.ingestion().ingest(services.operator, "mine", [folder / "corpus.jsonl"], readers=("tenant",))
    assert (await tune(services, options(folder, collection="mine"))).data["stored"]  # type: ignore[arg-type]
    await DocumentStore(services.database).delete(services.operator, await services.collection("mine"), ["gold7"])
    with pytest.raises(InvalidArgument, match=r"collection 'mine' lacks 1 of the 24 documents that 'dev.tsv' names, the first is 'gold7'"):
        await tune(services, options(folder, collection="mine"))  # type: ignore[arg-type]
    with pytest.raises(UnknownCollection):
        await tune(services, options(folder, collection="none"))  # type: ignore[arg-type]


async def test_too_few_questions_are_refused_before_anything_is_read_in(services: Parts, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "few", misleading=True)
    with pytest.raises(InvalidArgument, match=r"'dev.tsv' has 19 questions that a document answers: tuning needs 20 or more"):
        await tune(services, options(folder, limit=19))  # type: ignore[arg-type]
    with pytest.raises(UnknownCollection):
        await services.collection("eval-few")


async def test_a_setting_is_stored_by_the_operator_alone_and_over_nobody_elses(services: Parts, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "plain", misleading=False)
    await services.ingestion().ingest(services.operator, "mine", [folder / "corpus.jsonl"], readers=("tenant",))
    collection = await services.collection("mine")
    setting = Setting("weighted", (0.25, 0.75), 0.5, Ranking(lexical=0.5, fetch=50, answer=(9.5, 0.75)))
    with pytest.raises(StorageError, match="written by its operator alone"):
        await store_setting(services.database, Scope.member(services.operator.tenant), collection, setting)
    await store_setting(services.database, services.operator, collection, setting)
    stored = await services.collection("mine")
    assert (stored.fusion, stored.weights, stored.no_answer, stored.ranking) == ("weighted", (0.25, 0.75), 0.5, setting.ranking)
    with pytest.raises(CollectionRebuilt):
        await store_setting(services.database, services.operator, collection, replace(setting, no_answer=0.4))


@pytest.fixture
def run(server_home: Path, tenant: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Run a command in this process as a fresh tenant, with the embedder that needs no model: (exit code, stdout, stderr)."""
    for name in ("TADORI_DATABASE_URL", "TADORI_CHAT_MODEL", "TADORI_RERANKER", "TADORI_EMBEDDING_MODEL", "TADORI_REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TADORI_HOME", str(server_home))
    monkeypatch.setenv("TADORI_TENANT", tenant)
    monkeypatch.setattr("graphs.embedders.embedder_for", lambda settings: MeaningEmbedder())
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(arguments)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return command


@pytest.mark.rule("per-corpus", "no-answer")
def test_the_command_prints_a_table_and_what_became_of_it(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    """per-corpus, no-answer: old and new threshold stand in the message; --json has the same as one object; search says how likely."""
    write_folder(tmp_path / "aliases", misleading=True)
    code, out, err = run("tune", "aliases", "--queries", "dev.tsv")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "eval-aliases: tuned on 12 questions and 12 unanswerable ones, measured on 12 questions and 12 unanswerable ones"
    assert lines[1].split() == ["before", "after"]
    names = [line.split()[0] for line in lines[2:-1]]
    figures = ["ndcg@10", "recall@10", "mrr@10", "kept", "rejected", "no_answer"]
    assert names == [*figures, "fusion", "weights", "lexical", "near", "fetch", "title", "heading", "code", "answer"]
    assert lines[-1].startswith("stored: the no-answer threshold goes from 0.6000 to ")
    code, out, err = run("tune", "aliases", "--queries", "dev.tsv", "--json")
    assert (code, err) == (0, "")
    assert set(json.loads(out)) == {"collection", "before", "after", "stored", "reason", "ranking", "questions"}
    assert json.loads(run("search", "alias n3x", "--collection", "eval-aliases", "--json")[1])["answerable"] > 0.5
    assert "answerable  0." in run("search", "opera o3z", "--collection", "eval-aliases", "--explain")[1]


def test_too_few_questions_are_one_line_and_a_usage_error(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    write_folder(tmp_path / "few", misleading=True)
    code, out, err = run("tune", "few", "--queries", "dev.tsv", "--limit", "5")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "tuning needs 20 or more" in err


ORDERS = [
    Setting("absolute", None, 0.5, Ranking()),
    Setting("absolute", None, 0.5, Ranking(lexical=0.3, near=0.0, title=1.0, heading=1.0, code=1.0)),
    Setting("absolute", None, 0.5, Ranking(lexical=3.0, near=1.05, fetch=10)),
    Setting("rrf", None, 0.5, Ranking()),
    Setting("rrf", None, 0.5, Ranking(fetch=10, title=1.0)),
    Setting("weighted", (0.3, 0.7), 0.5, Ranking(fetch=12)),
    Setting("weighted", (0.7, 0.3), 0.5, Ranking(heading=1.0)),
]


@pytest.mark.rule("per-corpus")
@pytest.mark.parametrize("setting", ORDERS)
async def test_what_is_tried_in_memory_is_what_a_search_gives(database: Database, scope: Scope, tmp_path: Path, setting: Setting) -> None:
    """per-corpus: order and best absolute score of each setting equal those of the statement and the factors after it."""
    parts = Parts(database, scope, HashEmbedder())
    words = ["pump", "valve", "motor", "shaft", "seal", "bolt", "torque", "filter", "gauge", "hose"]
    texts = [" ".join(words[(n * step + n // 3) % 10] for step in (1, 3, 7, 2)) + f" part n{n}" for n in range(40)]
    rows = [{"_id": f"d{n}", "title": words[n % 10] if n % 4 == 0 else "", "text": text} for n, text in enumerate(texts)]
    write(tmp_path / "corpus.jsonl", rows)
    await parts.ingestion().ingest(scope, "parts", [tmp_path / "corpus.jsonl"], readers=("tenant",))
    trials = Trials(database, parts.embedder, parts.cache, scope)
    collection = await trials.collection("parts")
    asking = _Asking(trials, collection, Bar("test"), 4)
    for question in ("pump", "valve motor", "torque of the seal bolt", "gauge hose n17"):
        (pool,) = await asking.pools([question])
        found = await trials.search(setting).ranked(question, "parts", k=SHOWN, limit=50)
        assert ranked(pool, setting) == collapse([passage["document"] for passage in found])
        assert best_absolute(pool, setting) == pytest.approx(max(passage["absolute"] or 0.0 for passage in found))
