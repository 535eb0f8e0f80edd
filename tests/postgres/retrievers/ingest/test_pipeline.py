"""Ingestion over a real database: what goes in, what is left alone, what fails, and that nothing is done twice."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from files import docx, pdf
from ingesting import SENTENCES, holdings, ingestion, manual, statuses, write
from numpy.typing import NDArray

from retrievers.errors import EmbeddingMismatch, InvalidArgument, ProviderRejected, ProviderUnavailable
from retrievers.hybrid import HybridSearch
from retrievers.ingest.load import MOST_BYTES
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store.audit import audit
from retrievers.store.collections import get_collection
from retrievers.store.database import Database
from retrievers.store.embedding_cache import EmbeddingCache


async def found(database: Database, scope: Scope, query: str) -> set[str]:
    """The documents that either arm finds for the query."""
    search = HybridSearch(database, HashEmbedder(), EmbeddingCache(database), scope)
    lexical = await search.search(query, mode="lexical")
    return {passage["document"] for passage in lexical["passages"]}


async def sound(database: Database, scope: Scope) -> bool:
    """Whether counts, postings, vectors and texts agree."""
    return await audit(database, scope, await get_collection(database, scope, "default")) == []


@pytest.mark.rule("emb-chunking", "cjk")
async def test_every_kind_of_file_goes_in_and_is_found(database: Database, scope: Scope, tmp_path: Path) -> None:
    """emb-chunking, cjk: Japanese in each kind, found by the words of either arm."""
    write(
        tmp_path,
        {
            "a.md": "# 手引き\n\n本体の締め付けトルクは12Nmです。",
            "b.txt": "XR-4200のトルク仕様は13Nmです",
            "c.html": "<title>頁</title><p>ボルトの締め付けトルクは14Nmです。</p>",
            "d.pdf": pdf([["蓋の締め付けトルクは15Nmです。"]]),
            "e.docx": docx([("Normal", "軸の締め付けトルクは16Nmです。")]),
            "f.jsonl": '{"_id": "row-1", "title": "表", "text": "輪の締め付けトルクは17Nmです。"}',
            "g.xlsx": b"PK",
        },
    )
    report = await ingestion(database).ingest(scope, "default", [tmp_path])
    files = ["a.md", "b.txt", "c.html", "d.pdf", "e.docx", "row-1"]
    assert statuses(report) == {**dict.fromkeys(files, "added"), "g.xlsx": "skipped"}
    assert [file["reason"] for file in report["files"] if file["reason"]] == ["files of the kind '.xlsx' are not read"]
    assert await found(database, scope, "トルク") == set(files)
    assert await found(database, scope, "輪") == {"row-1"}
    assert await sound(database, scope)


async def test_the_stored_chunk_is_a_slice_with_heading_path_page_and_offsets(database: Database, scope: Scope, tmp_path: Path) -> None:
    write(tmp_path, {"a.pdf": pdf([["First page."], ["Second page with the torque."]]), "b.md": "# T\n\n## Cover\n\nTorque 12."})
    await ingestion(database).ingest(scope, "default", [tmp_path])
    search = HybridSearch(database, HashEmbedder(), EmbeddingCache(database), scope)
    passages = (await search.search("torque", mode="lexical"))["passages"]
    by_document = {passage["document"]: passage for passage in passages}
    assert (by_document["a.pdf"]["page"], by_document["a.pdf"]["text"]) == (2, "Second page with the torque.")
    assert (by_document["b.md"]["heading_path"], by_document["b.md"]["title"]) == (["Cover"], "T")
    assert by_document["b.md"]["end"] - by_document["b.md"]["start"] == len("Torque 12.")


@pytest.mark.rule("F10")
async def test_a_nul_and_a_lone_surrogate_are_cleaned_everywhere_and_counted(database: Database, scope: Scope, tmp_path: Path) -> None:
    """F10: in text, title and metadata of every kind; the other files go in."""
    write(
        tmp_path,
        {
            "a.txt": b"tor\x00que of the cover",
            "b.md": '---\ntitle: "Cov\\0er"\nnote: "a\\0b"\n---\ntorque',
            "c.jsonl": '{"_id": "r\\u0000ow", "title": "t\\ud800", "text": "torque \\u0000\\udfff", "k\\u0000": ["v\\u0000"]}',
            "d.html": b"<title>x\x00</title><p>torque&#0; d</p>",
            "e.txt": "torque, an untouched file",
        },
    )
    report = await ingestion(database).ingest(scope, "default", [tmp_path])
    assert set(statuses(report).values()) == {"added"}
    reasons = {file["source"]: file["reason"] for file in report["files"]}
    assert reasons["a.txt"] == "NUL characters removed: 1"
    assert reasons["b.md"] == "NUL characters removed: 2"
    assert reasons["row"] == "NUL characters removed: 3; lone surrogates replaced: 2"
    assert reasons["e.txt"] is None
    assert await found(database, scope, "torque") == {"a.txt", "b.md", "row", "d.html", "e.txt"}


@pytest.mark.rule("F11", "R10")
async def test_a_huge_document_goes_in_by_parts(database: Database, scope: Scope, tmp_path: Path) -> None:
    """F11, R10: 2,000 chunks, a 9,000-token paragraph without a full stop, and one line of 2 MB, each whole; a huge file says so."""
    paragraph = SENTENCES[1].replace("。", "、") * 270
    write(tmp_path, {"many.md": "\n".join(f"# Part {n}\n\nbolt{n}\n" for n in range(2000)), "long.txt": paragraph})
    write(tmp_path, {"line.txt": "torque wrench " * 20_000, "good.txt": "fine"})
    os.truncate(write(tmp_path, {"huge.pdf": b"%PDF"}) / "huge.pdf", MOST_BYTES + 1)
    report = await ingestion(database).ingest(scope, "default", [tmp_path])
    assert statuses(report) == {"good.txt": "added", "huge.pdf": "failed", "line.txt": "added", "long.txt": "added", "many.md": "added"}
    chunks = {file["source"]: file["chunks"] for file in report["files"]}
    assert chunks["many.md"] == 2000
    assert chunks["long.txt"] > 18
    assert chunks["line.txt"] > 80
    assert await found(database, scope, "bolt1999") == {"many.md"}
    assert await sound(database, scope)


@pytest.mark.rule("F12", "emb-advanced", "T26")
async def test_the_same_files_again_are_unchanged_and_cost_no_embedding(database: Database, scope: Scope, tmp_path: Path) -> None:
    """F12, emb-advanced, T26: the second time nothing is embedded, and all that is stored is the same."""
    write(tmp_path, {"a.md": manual(1), "rows.jsonl": '{"_id": "r1", "text": "torque"}\n{"_id": "r2", "text": "wrench"}'})
    embedder = HashEmbedder()
    first = await ingestion(database, embedder).ingest(scope, "default", [tmp_path])
    before = await holdings(database, scope)
    second = await ingestion(database, embedder).ingest(scope, "default", [tmp_path])
    assert first["embedded"] == len(embedder.passages) == 5
    assert second["embedded"] == 0
    assert statuses(second) == {"a.md": "unchanged", "r1": "unchanged", "r2": "unchanged"}
    assert [file["chunks"] for file in second["files"]] == [file["chunks"] for file in first["files"]] == [3, 1, 1]
    assert await holdings(database, scope) == before


@pytest.mark.rule("F12", "emb-advanced")
async def test_the_same_bytes_under_another_name_are_one_text(database: Database, scope: Scope, tmp_path: Path) -> None:
    """F12, emb-advanced: in one run and in the next; the chunks are not doubled."""
    write(tmp_path, {"a.md": manual(1), "b.md": manual(1)})
    embedder = HashEmbedder()
    first = await ingestion(database, embedder).ingest(scope, "default", [tmp_path])
    write(tmp_path, {"c/d.md": manual(1)})
    second = await ingestion(database, embedder).ingest(scope, "default", [tmp_path])
    assert statuses(first) == {"a.md": "added", "b.md": "added"}
    assert statuses(second) == {"a.md": "unchanged", "b.md": "unchanged", "c/d.md": "added"}
    assert (first["embedded"], second["embedded"]) == (3, 0)
    assert len((await holdings(database, scope))["chunks"]) == 3


@pytest.mark.rule("emb-advanced")
async def test_a_text_embedded_once_is_never_embedded_again(database: Database, scope: Scope, tmp_path: Path) -> None:
    """emb-advanced: an edit embeds the changed section only, another collection none."""
    write(tmp_path, {"a.md": manual(1, sections=5)})
    await ingestion(database).ingest(scope, "default", [tmp_path])
    write(tmp_path, {"a.md": manual(1, sections=5).replace("Item 1-2.", "Item changed.")})
    edited = await ingestion(database).ingest(scope, "default", [tmp_path])
    elsewhere = await ingestion(database).ingest(scope, "other", [tmp_path])
    assert (statuses(edited), edited["embedded"]) == ({"a.md": "updated"}, 1)
    assert (statuses(elsewhere), elsewhere["embedded"]) == ({"a.md": "added"}, 0)


@pytest.mark.rule("F12", "R9")
async def test_two_ingestions_at_once_store_everything_once(database: Database, scope: Scope, tmp_path: Path) -> None:
    """F12, R9: of the same folder, in one process."""
    write(tmp_path, {f"{number}.md": manual(number) for number in range(12)})
    reports = await asyncio.gather(*(ingestion(database).ingest(scope, "default", [tmp_path]) for _ in range(3)))
    assert all(file["status"] in ("added", "unchanged") for report in reports for file in report["files"])
    assert len((await holdings(database, scope))["chunks"]) == 36
    assert await sound(database, scope)


async def test_a_file_given_twice_is_one_document_and_two_of_one_name_clash(database: Database, scope: Scope, tmp_path: Path) -> None:
    write(tmp_path, {"one/a.md": manual(1), "two/a.md": manual(2)})
    once = await ingestion(database).ingest(scope, "default", [tmp_path / "one", tmp_path / "one/a.md"])
    assert statuses(once) == {"a.md": "added"}
    both = await ingestion(database).ingest(scope, "default", [tmp_path / "one", tmp_path / "two"])
    assert [(file["status"], file["reason"]) for file in both["files"]] == [
        ("unchanged", None),
        ("failed", "'a.md' is the source of another document of this run: rename one"),
    ]


@pytest.mark.rule("F13")
async def test_a_shortened_document_is_not_found_by_what_it_lost(database: Database, scope: Scope, tmp_path: Path) -> None:
    """F13: version 1 says "mode X", version 2 does not; then it is pruned."""
    write(tmp_path, {"a.md": "# A\n\n## One\n\nmode X\n\n## Two\n\nlamp", "b.md": "# B\n\nlamp"})
    await ingestion(database).ingest(scope, "default", [tmp_path])
    assert await found(database, scope, "mode X") == {"a.md"}
    write(tmp_path, {"a.md": "# A\n\n## Two\n\nlamp"})
    report = await ingestion(database).ingest(scope, "default", [tmp_path])
    assert statuses(report) == {"a.md": "updated", "b.md": "unchanged"}
    assert await found(database, scope, "mode X") == set()
    (tmp_path / "a.md").unlink()
    pruned = await ingestion(database).ingest(scope, "default", [tmp_path], prune=True)
    assert pruned["deleted"] == 1
    assert await found(database, scope, "lamp") == {"b.md"}
    assert await sound(database, scope)


async def test_an_empty_folder_prunes_nothing(database: Database, scope: Scope, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("kept")
    await ingestion(database).ingest(scope, "default", [tmp_path])
    (tmp_path / "a.md").unlink()
    with pytest.raises(InvalidArgument, match="would delete the whole collection"):
        await ingestion(database).ingest(scope, "default", [tmp_path], prune=True)
    assert (await ingestion(database).ingest(scope, "other", [tmp_path]))["files"] == []


async def test_without_prune_a_missing_file_stays(database: Database, scope: Scope, tmp_path: Path) -> None:
    write(tmp_path, {"a.md": manual(1), "b.md": manual(2)})
    await ingestion(database).ingest(scope, "default", [tmp_path])
    report = await ingestion(database).ingest(scope, "default", [tmp_path / "b.md"])
    assert "deleted" not in report
    assert [row[0] for row in (await holdings(database, scope))["documents"]] == ["a.md", "b.md"]


async def test_nothing_is_pruned_when_a_bad_line_may_hide_a_document(database: Database, scope: Scope, tmp_path: Path) -> None:
    write(tmp_path, {"rows.jsonl": '{"_id": "r1", "text": "one"}\n{"_id": "r2", "text": "two"}'})
    await ingestion(database).ingest(scope, "default", [tmp_path])
    write(tmp_path, {"rows.jsonl": '{"_id": "r1", "text": "one"}\n{"_id": "r2", "text'})
    report = await ingestion(database).ingest(scope, "default", [tmp_path], prune=True)
    assert report["deleted"] == 0
    assert statuses(report) == {"r1": "unchanged", "rows.jsonl:2": "failed"}
    assert "nothing was pruned" in (report["files"][1]["reason"] or "")


@pytest.mark.rule("F30", "R10")
async def test_each_failure_has_its_stage_and_reason_and_is_tried_again(database: Database, scope: Scope, tmp_path: Path) -> None:
    """F30, R10: good, encrypted, empty, 0-byte; the reasons are kept, and what was mended leaves them behind."""
    write(tmp_path, {"good.md": "fine", "secret.pdf": pdf([["x"]], encrypted=True), "blank.md": "\n \n", "zero.txt": b""})
    write(tmp_path, {"rows.jsonl": '{"_id": "r1", "text": "one"}\nbroken'})
    report = await ingestion(database).ingest(scope, "default", [tmp_path])
    assert statuses(report) == {
        "blank.md": "failed",
        "good.md": "added",
        "r1": "added",
        "rows.jsonl:2": "failed",
        "secret.pdf": "failed",
        "zero.txt": "failed",
    }
    stages = {row[0]: row[5] for row in (await holdings(database, scope))["documents"]}
    assert stages["secret.pdf"] == {"load": {"status": "failed", "reason": "the PDF is encrypted: save it without a password"}}
    assert stages["rows.jsonl"]["load"]["reason"].startswith("line 2: not JSON")
    write(tmp_path, {"secret.pdf": pdf([["x"]]), "zero.txt": "one byte", "rows.jsonl": '{"_id": "r1", "text": "one"}'})
    again = await ingestion(database).ingest(scope, "default", [tmp_path])
    assert statuses(again) == {"blank.md": "failed", "good.md": "unchanged", "r1": "unchanged", "secret.pdf": "added", "zero.txt": "added"}
    stages = {row[0]: row[5] for row in (await holdings(database, scope))["documents"]}
    assert "rows.jsonl" not in stages
    assert {state["status"] for state in stages["secret.pdf"].values()} == {"ok"}


async def test_a_version_that_cannot_be_read_leaves_the_stored_one(database: Database, scope: Scope, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "the torque"})
    await ingestion(database).ingest(scope, "default", [tmp_path])
    write(tmp_path, {"a.txt": b"\xff\xfe\x00"})
    assert statuses(await ingestion(database).ingest(scope, "default", [tmp_path])) == {"a.txt": "failed"}
    assert await found(database, scope, "torque") == {"a.txt"}
    write(tmp_path, {"a.txt": "the torque"})
    assert statuses(await ingestion(database).ingest(scope, "default", [tmp_path])) == {"a.txt": "unchanged"}
    assert {state["status"] for state in (await holdings(database, scope))["documents"][0][5].values()} == {"ok"}


async def test_other_readers_change_without_an_embedding(database: Database, scope: Scope, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "the torque"})
    await ingestion(database).ingest(scope, "default", [tmp_path])
    report = await ingestion(database).ingest(scope, "default", [tmp_path], readers=["group:fitters"])
    assert (statuses(report), report["embedded"]) == ({"a.txt": "updated"}, 0)
    assert await found(database, Scope.member(scope.tenant), "torque") == set()
    assert await found(database, Scope.member(scope.tenant, groups=["fitters"]), "torque") == {"a.txt"}


async def test_wrong_readers_and_missing_paths_are_refused_before_anything(database: Database, scope: Scope, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "the torque"})
    with pytest.raises(InvalidArgument, match="reader 'all' is not known"):
        await ingestion(database).ingest(scope, "default", [tmp_path], readers=["all"])
    with pytest.raises(InvalidArgument, match="there is no file or folder"):
        await ingestion(database).ingest(scope, "default", [tmp_path, tmp_path / "missing"])


@pytest.mark.rule("F14")
async def test_another_embedding_model_is_refused(database: Database, scope: Scope, tmp_path: Path) -> None:
    """F14: nothing of another model comes into the collection."""
    write(tmp_path, {"a.txt": "the torque"})
    await ingestion(database).ingest(scope, "default", [tmp_path])
    with pytest.raises(EmbeddingMismatch):
        await ingestion(database, HashEmbedder(32)).ingest(scope, "default", [tmp_path])


class FailingEmbedder(HashEmbedder):
    """Raises when a text holds "poison", and for everything after so many calls."""

    def __init__(self, *, calls: int = 1000) -> None:
        super().__init__()
        self.calls = calls

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls -= 1
        if self.calls < 0:
            raise ProviderUnavailable("the model is down")
        if any("poison" in text for text in texts):
            raise ProviderRejected("a text is too long", status=400)
        return await super().embed_passages(texts)


@pytest.mark.rule("F11")
async def test_a_text_that_the_model_refuses_fails_alone(database: Database, scope: Scope, tmp_path: Path) -> None:
    """F11: one document, not its whole batch."""
    write(tmp_path, {"a.txt": "one", "b.txt": "poison", "c.txt": "three"})
    report = await ingestion(database, FailingEmbedder()).ingest(scope, "default", [tmp_path])
    assert statuses(report) == {"a.txt": "added", "b.txt": "failed", "c.txt": "added"}
    assert (await holdings(database, scope))["documents"][1][5]["embed"]["reason"] == "a text is too long"


@pytest.mark.rule("F27", "R13")
async def test_an_outage_keeps_what_was_done_and_the_next_run_goes_on(database: Database, scope: Scope, tmp_path: Path) -> None:
    """F27, R13: the model goes down half-way; it is not asked for every other document, and no embedding is lost."""
    write(tmp_path, {f"{number:02}.md": manual(number, sections=40) for number in range(5)})
    down = FailingEmbedder(calls=2)
    report = await ingestion(database, down).ingest(scope, "default", [tmp_path])
    failed = [source for source, status in statuses(report).items() if status == "failed"]
    assert 0 < len(failed) < 5
    assert down.calls == -1
    again = await ingestion(database, FailingEmbedder()).ingest(scope, "default", [tmp_path])
    assert [source for source, status in statuses(again).items() if status == "added"] == failed
    assert report["embedded"] + again["embedded"] == 200
    assert await sound(database, scope)


async def test_progress_ends_with_everything_done(database: Database, scope: Scope, tmp_path: Path) -> None:
    write(tmp_path, {"a.md": manual(1), "b.md": manual(1), "c.xyz": "", "rows.jsonl": '{"_id": "r1", "text": "one"}\nbroken\n'})
    calls: list[tuple[int, int]] = []
    await ingestion(database).ingest(scope, "default", [tmp_path], progress=lambda done, total: calls.append((done, total)))
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert calls[-1][0] == calls[-1][1]


@pytest.mark.rule("F8")
async def test_texts_that_are_handed_in_are_documents_too(database: Database, scope: Scope) -> None:
    """F8: hostile keys are data; the source's suffix tells Markdown from text."""
    items = [
        {"source": "notes/a", "text": "the torque", "title": "Note", "metadata": {"author' = 'a' OR '1'='1' --": "x'); DROP"}},
        {"source": "b.md", "content": "# Cover\n\n## Bolts\n\ntorque of four bolts"},
        {"source": "", "text": "lost"},
        {"source": "c", "text": None},
    ]
    report = await ingestion(database).ingest_content(scope, "default", items)
    assert [(file["source"], file["status"]) for file in report["files"]] == [
        ("notes/a", "added"),
        ("b.md", "added"),
        ("content 3", "failed"),
        ("c", "failed"),
    ]
    assert await found(database, scope, "torque") == {"notes/a", "b.md"}
    assert (await ingestion(database).ingest_content(scope, "default", items[:2]))["embedded"] == 0
