"""A collection changes to another embedding model: refused until it is asked for, complete afterwards, searched all the while."""

import asyncio
import multiprocessing
import signal
from pathlib import Path
from typing import Any

import pytest
from drafting import contents, rows
from ingesting import ingestion, manual, write
from reindexing import STEPS, Interrupted, OtherEmbedder, reindex, reindex_and_die

from retrievers.errors import CollectionRebuilt, EmbeddingMismatch, ProviderUnavailable, StorageError, UnknownCollection
from retrievers.hybrid import HybridSearch
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store import rebuild
from retrievers.store.audit import audit
from retrievers.store.collections import get_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.types import Embedder

CHUNKS = 6 * 3
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["retrievers.ingest.reindex", "retrievers.providers.fakes", "reindexing"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path, {f"{number}.md": manual(number) for number in range(6)})


@pytest.fixture
async def collection(database: Database, scope: Scope, folder: Path) -> Any:
    """Eighteen chunks, built with HashEmbedder."""
    await ingestion(database).ingest(scope, "default", [folder])
    return await get_collection(database, scope, "default")


def searching(database: Database, scope: Scope, embedder: Embedder) -> HybridSearch:
    return HybridSearch(database, embedder, EmbeddingCache(database), scope)


async def vectors_in(database: Database, scope: Scope, space: int) -> int:
    return (await rows(database, scope, f"select count(*) from tadori.vector_{space}"))[0][0]


async def as_if_clean(database: Database, scope: Scope, folder: Path, embedder: Embedder) -> None:
    """All that is stored equals what an ingestion with the new model alone would have stored, the tenant's names apart."""
    stranger = Scope.operator(f"{scope.tenant}-clean")
    await ingestion(database, embedder).ingest(stranger, "default", [folder])
    changed, clean = [await contents(database, each, await get_collection(database, each, "default")) for each in (scope, stranger)]
    for part in ("vectors", "chunks", "postings"):
        assert sorted(row[1:] for row in changed[part]) == sorted(row[1:] for row in clean[part])
    assert {name: changed[name] for name in ("collection", "documents", "texts", "words")} == {
        name: clean[name] for name in ("collection", "documents", "texts", "words")
    }


@pytest.mark.rule("F14", "emb-models")
@pytest.mark.parametrize("dims", [64, 32])
async def test_another_model_is_refused_and_after_reindex_it_is_the_one_that_searches(
    database: Database, scope: Scope, folder: Path, collection: Any, dims: int
) -> None:
    """F14, emb-models: of the same size or not, the message names the command, and the result equals a clean ingestion."""
    new = OtherEmbedder(dims=dims)
    with pytest.raises(EmbeddingMismatch, match=r"built with the embedding model 'hash-64'.*run `tadori reindex --collection default`"):
        await searching(database, scope, new).search("torque wrench")
    with pytest.raises(EmbeddingMismatch, match="tadori reindex"):
        await ingestion(database, new).ingest(scope, "default", [folder])
    seen: list[tuple[int, int]] = []
    report = await reindex(database, scope, new, progress=lambda done, total: seen.append((done, total)))
    assert {name: report[name] for name in ("collection", "model", "chunks", "embedded")} == {  # type: ignore[literal-required]
        "collection": "default",
        "model": "other",
        "chunks": CHUNKS,
        "embedded": CHUNKS,
    }
    assert set(report) == {"collection", "model", "chunks", "embedded", "seconds"}
    assert (seen[0], seen[-1]) == ((0, CHUNKS), (CHUNKS, CHUNKS))
    found = await searching(database, scope, new).search("torque wrench", k=3, mode="vector")
    assert len(found["passages"]) == 3
    assert found["no_answer"] == 0.5
    with pytest.raises(EmbeddingMismatch, match="built with the embedding model 'other'"):
        await searching(database, scope, HashEmbedder()).search("torque wrench")
    changed = await get_collection(database, scope, "default")
    assert (changed.embedding.dims, changed.embedding.unrelated, changed.no_answer) == (dims, pytest.approx(0.2), 0.5)
    assert await audit(database, scope, changed) == []
    assert await vectors_in(database, scope, collection.space) == 0
    await as_if_clean(database, scope, folder, new)


@pytest.mark.rule("F14")
async def test_other_collections_keep_their_vectors(database: Database, scope: Scope, folder: Path, collection: Any) -> None:
    """F14: neither another collection of the same old space nor another tenant's is touched."""
    stranger = Scope.operator(f"{scope.tenant}-stranger")
    await ingestion(database).ingest(scope, "second", [folder])
    await ingestion(database).ingest(stranger, "default", [folder])
    await reindex(database, scope, OtherEmbedder())
    assert await vectors_in(database, scope, collection.space) == CHUNKS
    for who, name in ((scope, "second"), (stranger, "default")):
        assert await audit(database, who, await get_collection(database, who, name)) == []
        assert (await searching(database, who, HashEmbedder()).search("torque", collection=name, mode="vector"))["passages"]


@pytest.mark.rule("emb-advanced")
async def test_the_model_that_is_there_already_embeds_nothing(database: Database, scope: Scope, collection: Any) -> None:
    """emb-advanced: the command is safe to give twice."""
    new = OtherEmbedder()
    await reindex(database, scope, new)
    again = await reindex(database, scope, new)
    assert (again["chunks"], again["embedded"], len(new.passages)) == (CHUNKS, 0, CHUNKS)


@pytest.mark.rule("emb-advanced")
async def test_going_back_takes_the_old_vectors_from_the_cache(database: Database, scope: Scope, collection: Any) -> None:
    """emb-advanced: what was embedded once is not embedded again."""
    await reindex(database, scope, OtherEmbedder())
    old = HashEmbedder()
    assert (await reindex(database, scope, old))["embedded"] == 0
    assert old.passages == []
    assert await audit(database, scope, await get_collection(database, scope, "default")) == []


@pytest.mark.rule("R7", "F14")
@pytest.mark.parametrize(("step", "call"), [(step, call) for step in STEPS for call in (1, 3) if step != "exchange" or call == 1])
async def test_a_kill_at_any_step_leaves_the_old_model_and_the_next_run_goes_on_behind_it(
    database: Database, server_home: Path, scope: Scope, folder: Path, collection: Any, step: str, call: int
) -> None:
    """R7, F14: SIGKILL, then again: searched by the old vectors in between, and nothing that was kept is embedded twice."""
    process = _PROCESSES.Process(target=reindex_and_die, args=(str(server_home), scope.tenant, step, call))
    process.start()
    await asyncio.to_thread(process.join, 120)
    assert process.exitcode == -signal.SIGKILL
    assert await get_collection(database, scope, "default") == collection
    assert await audit(database, scope, collection) == []
    assert (await searching(database, scope, HashEmbedder()).search("torque", mode="vector"))["passages"]
    new = OtherEmbedder()
    second = await reindex(database, scope, new)
    kept = {"embedded": 4 * call, "written": 4 * call, "exchange": CHUNKS}[step]
    assert (second["chunks"], second["embedded"]) == (CHUNKS, CHUNKS - kept)
    assert await audit(database, scope, await get_collection(database, scope, "default")) == []
    assert (await reindex(database, scope, new))["embedded"] == 0
    await as_if_clean(database, scope, folder, new)


async def test_an_unfinished_build_is_removed_by_staying_with_the_old_model(
    database: Database, server_home: Path, scope: Scope, collection: Any
) -> None:
    process = _PROCESSES.Process(target=reindex_and_die, args=(str(server_home), scope.tenant, "written", 2))
    process.start()
    await asyncio.to_thread(process.join, 120)
    spaces = [space for (space,) in await rows(database, scope, "select space from tadori.embedding_space where model = 'other'")]
    assert sum([await vectors_in(database, scope, space) for space in spaces]) == 8
    await reindex(database, scope, HashEmbedder())
    assert sum([await vectors_in(database, scope, space) for space in spaces]) == 0
    assert await audit(database, scope, collection) == []


@pytest.mark.rule("R9", "F14")
async def test_what_is_written_meanwhile_is_in_the_new_vectors_too(
    database: Database, scope: Scope, folder: Path, collection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R9, F14: documents added, changed and deleted with the old model while the new one is built."""
    monkeypatch.setattr(rebuild, "BATCH", 4)

    async def others_write() -> None:
        write(folder, {"0.md": manual(0).replace("Item 0-1", "Item anew"), "new.md": manual(77)})
        (folder / "5.md").unlink()
        await ingestion(database).ingest(scope, "default", [folder], prune=True)

    new = Interrupted(others_write)
    report = await reindex(database, scope, new)
    assert report["chunks"] == CHUNKS
    assert await audit(database, scope, await get_collection(database, scope, "default")) == []
    await as_if_clean(database, scope, folder, OtherEmbedder())


@pytest.mark.rule("S2", "F9")
async def test_readers_that_change_meanwhile_hold_for_the_new_vectors(
    database: Database, scope: Scope, collection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S2, F9: a document that was taken from its readers between its embedding and the exchange is not theirs by the new vectors."""
    monkeypatch.setattr(rebuild, "BATCH", 4)

    async def revoke() -> None:
        assert await DocumentStore(database).set_readers(scope, collection, ["0.md"], ["user:somebody"]) == 1

    new = Interrupted(revoke)
    await reindex(database, scope, new)
    assert await audit(database, scope, await get_collection(database, scope, "default")) == []
    found = {
        who: {passage["document"] for passage in (await searching(database, member, new).search("torque", k=50, mode="vector"))["passages"]}
        for who, member in (("any", Scope.member(scope.tenant)), ("somebody", Scope.member(scope.tenant, user="somebody")))
    }
    assert "0.md" not in found["any"]
    assert found["somebody"] == found["any"] | {"0.md"}


@pytest.mark.rule("F14", "store-contract")
async def test_searches_go_on_until_the_exchange_and_are_never_empty_by_it(
    database: Database, scope: Scope, collection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F14, store-contract: every search with the old model finds its passages, or is told that the model has changed."""
    monkeypatch.setattr(rebuild, "BATCH", 2)
    search = searching(database, Scope.member(scope.tenant), HashEmbedder())
    work = asyncio.create_task(reindex(database, scope, OtherEmbedder()))
    found = []

    async def go_on() -> None:
        while True:
            found.append(len((await search.search("torque wrench", k=5, mode="vector"))["passages"]))

    with pytest.raises(EmbeddingMismatch, match="tadori reindex"):
        await go_on()
    await work
    assert len(found) > 2
    assert set(found) == {5}


@pytest.mark.rule("F14", "store-contract")
async def test_a_search_that_began_before_the_exchange_is_not_answered_by_what_is_gone(
    database: Database, scope: Scope, collection: Any
) -> None:
    """F14, store-contract: between the look at the collection and the search its old vectors went."""

    class Slow(HashEmbedder):
        async def embed_query(self, text: str) -> Any:
            await reindex(database, scope, OtherEmbedder())
            return await super().embed_query(text)

    with pytest.raises(EmbeddingMismatch, match="'other'"):
        await searching(database, scope, Slow()).search("torque wrench")


@pytest.mark.rule("F14", "R9")
async def test_a_writer_that_began_before_the_exchange_writes_nothing(database: Database, scope: Scope, collection: Any) -> None:
    """F14, R9: it would give its chunks vectors that nobody searches, and readers to vectors that are gone."""
    await reindex(database, scope, OtherEmbedder())
    store = DocumentStore(database)
    for attempt in (
        lambda: store.set_readers(scope, collection, ["0.md"], ["public"]),
        lambda: store.delete(scope, collection, ["0.md"]),
        lambda: store.put(scope, collection, []),
    ):
        with pytest.raises(CollectionRebuilt, match="start again with that"):
            await attempt()
    assert await audit(database, scope, await get_collection(database, scope, "default")) == []


@pytest.mark.rule("R9")
async def test_two_runs_at_once_come_to_one_result(
    database: Database, scope: Scope, folder: Path, collection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R9: no deadlock, and every chunk has one vector."""
    monkeypatch.setattr(rebuild, "BATCH", 4)
    reports = await asyncio.gather(*(reindex(database, scope, OtherEmbedder()) for _ in range(3)))
    assert {report["chunks"] for report in reports} == {CHUNKS}
    assert await audit(database, scope, await get_collection(database, scope, "default")) == []
    await as_if_clean(database, scope, folder, OtherEmbedder())


async def test_a_run_that_another_model_overtook_says_so(
    database: Database, scope: Scope, collection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild, "BATCH", 4)

    async def overtake() -> None:
        await reindex(database, scope, OtherEmbedder("third"))

    with pytest.raises(CollectionRebuilt):
        await reindex(database, scope, Interrupted(overtake))
    changed = await get_collection(database, scope, "default")
    assert changed.embedding.model == "third"
    assert await audit(database, scope, changed) == []


@pytest.mark.rule("F27", "R13")
async def test_a_model_that_fails_half_way_leaves_everything_searchable_and_its_work_kept(
    database: Database, scope: Scope, collection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F27, R13: progress is kept, and the next run resumes."""
    monkeypatch.setattr(rebuild, "BATCH", 4)

    async def fail() -> None:
        raise ProviderUnavailable("the model is down")

    with pytest.raises(ProviderUnavailable):
        await reindex(database, scope, Interrupted(fail))
    assert await get_collection(database, scope, "default") == collection
    assert (await reindex(database, scope, OtherEmbedder()))["embedded"] == CHUNKS - 4


@pytest.mark.rule("emb-chunking")
async def test_texts_beyond_the_new_models_window_are_counted(database: Database, scope: Scope, collection: Any) -> None:
    """emb-chunking: they are embedded by their beginning, and the report says how many."""
    report = await reindex(database, scope, OtherEmbedder(max_tokens=50))
    assert report["cut"] > 0
    assert report["cut"] < CHUNKS


@pytest.mark.rule("S5", "S3", "S1")
async def test_only_the_tenants_operator_can_and_unknown_and_foreign_look_the_same(
    database: Database, scope: Scope, collection: Any
) -> None:
    """S5, S3, S1: a member may not, and a stranger learns nothing."""
    with pytest.raises(StorageError, match="by its operator alone"):
        await reindex(database, Scope.member(scope.tenant), OtherEmbedder())
    stranger = Scope.operator(f"{scope.tenant}-stranger")
    with pytest.raises(UnknownCollection) as foreign:
        await reindex(database, stranger, OtherEmbedder())
    with pytest.raises(UnknownCollection) as unknown:
        await reindex(database, stranger, OtherEmbedder(), "nothing")
    assert str(foreign.value).replace("default", "nothing") == str(unknown.value)
    assert await get_collection(database, scope, "default") == collection


async def test_an_empty_collection_changes_too(database: Database, scope: Scope, folder: Path, collection: Any) -> None:
    await DocumentStore(database).delete(scope, collection, [f"{number}.md" for number in range(6)])
    assert (await reindex(database, scope, OtherEmbedder()))["chunks"] == 0
    assert (await ingestion(database, OtherEmbedder()).ingest(scope, "default", [folder]))["embedded"] == CHUNKS


async def test_writers_that_never_rest_do_not_keep_the_exchange_away(
    database: Database, scope: Scope, folder: Path, collection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild, "BATCH", 2)
    real, numbers = rebuild.Rebuild.exchange, iter(range(100, 200))

    async def exchange(self: rebuild.Rebuild, embed: Any, *, at_once: bool) -> bool:
        write(folder, {f"{next(numbers)}.md": manual(next(numbers))})
        await ingestion(database).ingest(scope, "default", [folder])
        return await real(self, embed, at_once=at_once)

    monkeypatch.setattr(rebuild.Rebuild, "exchange", exchange)
    report = await reindex(database, scope, OtherEmbedder())
    assert report["chunks"] == CHUNKS + 5 * 3
    assert await audit(database, scope, await get_collection(database, scope, "default")) == []
