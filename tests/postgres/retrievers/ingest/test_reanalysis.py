"""A collection's words are cut again by another analyser: equal to a clean ingestion, all or nothing, searched all the while."""

from pathlib import Path
from typing import Any

import pytest
from drafting import contents
from ingesting import ingestion, manual, write

from retrievers.errors import CollectionRebuilt, ConfigurationError, StorageError, UnknownCollection
from retrievers.hybrid import HybridSearch
from retrievers.ingest.pipeline import Ingestion
from retrievers.ingest.reanalysis import reanalyse
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store import reanalysis
from retrievers.store.audit import audit
from retrievers.store.collections import get_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.text.analysers import SUDACHI
from retrievers.text.analysis import ANALYSER

NOTE = "打合せの資料をサーバに置いた。"


def pipeline(database: Database, analyser: str) -> Ingestion:
    return Ingestion(database, DocumentStore(database), EmbeddingCache(database), HashEmbedder(), analyser)


def searching(database: Database, scope: Scope) -> HybridSearch:
    return HybridSearch(database, HashEmbedder(), EmbeddingCache(database), scope)


async def found(database: Database, scope: Scope, query: str) -> tuple[list[str], str]:
    result = await searching(database, scope).search(query, mode="lexical")
    return [passage["document"] for passage in result["passages"]], result["analyser"]


async def age(database: Database, scope: Scope, analyser: str) -> None:
    """Make the collection look as if an older version had made it: another name, and words that no query asks for."""
    async with database.transaction(scope) as conn:
        await conn.execute("update tadori.collection set analyser = %s", (analyser,))
        await conn.execute("update tadori.term set word = 'old-' || word")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {f"{number}.md": manual(number) for number in range(4)} | {"note.md": f"# 会議\n\n## 準備\n\n{NOTE}\n"}
    return write(tmp_path, files)


@pytest.fixture
async def collection(database: Database, scope: Scope, folder: Path) -> Any:
    await pipeline(database, ANALYSER).ingest(scope, "default", [folder])
    return await get_collection(database, scope, "default")


async def as_if_clean(database: Database, scope: Scope, folder: Path, analyser: str) -> None:
    """All that is stored equals what an ingestion with that analyser alone would have stored, the tenant's names apart."""
    stranger = Scope.operator(f"{scope.tenant}-clean")
    await pipeline(database, analyser).ingest(stranger, "default", [folder])
    changed, clean = [await contents(database, each, await get_collection(database, each, "default")) for each in (scope, stranger)]
    for part in ("chunks", "postings", "vectors"):
        assert sorted(row[1:] for row in changed[part]) == sorted(row[1:] for row in clean[part])
    for part in ("collection", "documents", "texts", "words"):
        assert changed[part] == clean[part]
    assert await audit(database, scope, await get_collection(database, scope, "default")) == []


@pytest.mark.rule("cjk", "R18")
@pytest.mark.parametrize("batch", [500, 3])
async def test_a_collection_gets_the_words_of_another_analyser(
    database: Database, scope: Scope, folder: Path, collection: Any, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    """cjk, R18: in one batch or in many; afterwards all is as if that analyser had been there from the start, and back again."""
    monkeypatch.setattr(reanalysis, "BATCH", batch)
    before = await contents(database, scope, collection)
    assert await found(database, scope, "サーバー 打ち合わせ") == (["note.md"], ANALYSER)
    progress: list[tuple[int, int]] = []
    report = await reanalyse(database, scope, "default", HashEmbedder(), SUDACHI, lambda done, total: progress.append((done, total)))
    assert (report["collection"], report["analyser"], report["chunks"]) == ("default", SUDACHI, 13)
    assert progress[-1] == (13, 13)
    assert await found(database, scope, "打ち合わせ") == (["note.md"], SUDACHI)
    await as_if_clean(database, scope, folder, SUDACHI)
    await reanalyse(database, scope, "default", HashEmbedder(), ANALYSER)
    assert await contents(database, scope, await get_collection(database, scope, "default")) == before


@pytest.mark.rule("cjk", "store-contract")
async def test_a_collection_of_an_older_version_is_refused_until_its_words_are_cut_again(
    database: Database, scope: Scope, folder: Path, collection: Any
) -> None:
    """cjk, store-contract: neither searched nor written with words cut in two ways; the message names the command, which repairs it."""
    await age(database, scope, "tadori-1")
    refusal = r"collection 'default' were cut by the analyser 'tadori-1'.*run `tadori reindex --words --collection default`"
    with pytest.raises(StorageError, match=refusal):
        await searching(database, scope).search("torque")
    with pytest.raises(StorageError, match=refusal):
        await searching(database, scope).hints("torque")
    with pytest.raises(StorageError, match=refusal):
        await ingestion(database).ingest(scope, "default", [folder])
    await reanalyse(database, scope, "default", HashEmbedder(), ANALYSER)
    assert sorted((await found(database, scope, "torque"))[0]) == ["0.md", "1.md", "2.md", "3.md"]
    await as_if_clean(database, scope, folder, ANALYSER)


@pytest.mark.rule("R7", "R12")
async def test_words_are_exchanged_all_or_not_at_all(
    database: Database, scope: Scope, collection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R7, R12: what ends it half-way leaves everything as it was, and until it ends searches find the old words."""
    monkeypatch.setattr(reanalysis, "BATCH", 3)
    before = await contents(database, scope, collection)
    calls = []

    def stop(done: int, total: int) -> None:
        calls.append(done)
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await reanalyse(database, scope, "default", HashEmbedder(), SUDACHI, stop)
    assert calls == [3, 6, 9]
    assert await contents(database, scope, collection) == before
    assert (await get_collection(database, scope, "default")).analyser == ANALYSER


async def test_a_search_finds_the_old_words_until_the_exchange(
    database: Database, scope: Scope, collection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reanalysis, "BATCH", 3)
    seen = []

    async def cut(chunks: Any) -> Any:
        seen.append(await found(database, scope, "サーバ"))
        return [{"word": 1} for _ in chunks]

    await reanalysis.exchange_words(database, scope, collection, SUDACHI, cut)
    assert seen == [(["note.md"], ANALYSER)] * 5
    assert await found(database, scope, "サーバ") == ([], SUDACHI)


@pytest.mark.rule("R9")
async def test_a_writer_that_still_cuts_the_old_way_is_stopped(database: Database, scope: Scope, folder: Path, collection: Any) -> None:
    """R9: its words would be asked for by nobody; the stored version stays."""
    await reanalyse(database, scope, "default", HashEmbedder(), SUDACHI)
    with pytest.raises(CollectionRebuilt, match="changed to another embedding model or analyser meanwhile"):
        await DocumentStore(database).delete(scope, collection, ["note.md"])
    assert (await found(database, scope, "打ち合わせ"))[0] == ["note.md"]


@pytest.mark.rule("S2", "S3")
async def test_only_the_operator_of_a_collection_that_is_there_may_do_it(database: Database, scope: Scope, collection: Any) -> None:
    """S2, S3: a member may not, an unknown collection is an error, and so is an analyser that nobody knows."""
    with pytest.raises(StorageError, match="written by its operator alone"):
        await reanalyse(database, Scope.member(scope.tenant), "default", HashEmbedder())
    with pytest.raises(UnknownCollection):
        await reanalyse(database, scope, "plans", HashEmbedder())
    with pytest.raises(ConfigurationError, match="'simple' is not known"):
        await reanalyse(database, scope, "default", HashEmbedder(), "simple")


async def test_a_new_collection_is_made_with_the_analyser_that_is_set_and_keeps_it(database: Database, scope: Scope, folder: Path) -> None:
    await pipeline(database, ANALYSER).ingest(scope, "plain", [folder])
    await pipeline(database, SUDACHI).ingest(scope, "plain", [folder])
    await ingestion(database).ingest(scope, "full", [folder])
    assert [(await get_collection(database, scope, name)).analyser for name in ("plain", "full")] == [ANALYSER, SUDACHI]
