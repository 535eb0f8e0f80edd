"""The served ingestion graph: texts and paths below the root go in, everything else is answered and not read."""

from pathlib import Path
from typing import Any

import pytest
from ingesting import ingestion, write

from graphs.ingestion import IngestGraph, IngestKnobs, build_ingest_graph
from retrievers.scope import Scope
from retrievers.store.collections import list_collections
from retrievers.store.database import Database


def graph(database: Database, scope: Scope, root: Path | None) -> IngestGraph:
    return build_ingest_graph(ingestion=lambda: ingestion(database), scope=scope, ingest_root=root)


async def run(served: IngestGraph, context: IngestKnobs | None = None, **given: object) -> dict[str, Any]:
    return await served.ainvoke(given, context=context)  # type: ignore[arg-type]


async def test_paths_below_the_root_go_in_with_sources_relative_to_it(database: Database, scope: Scope, tmp_path: Path) -> None:
    write(tmp_path, {"guides/a.md": "# A\n\ntorque", "guides/b.txt": "wrench", "c.md": "not asked for"})
    result = await run(graph(database, scope, tmp_path), paths=["guides"])
    assert (result["status"], result["reason"]) == ("done", "documents: 2, failed: 0")
    lines = [(file["path"], file["source"], file["status"]) for file in result["report"]["files"]]
    assert lines == [("guides/a.md", "guides/a.md", "added"), ("guides/b.txt", "guides/b.txt", "added")]
    again = await run(graph(database, scope, tmp_path), paths=["guides/a.md"])
    assert [(file["source"], file["status"]) for file in again["report"]["files"]] == [("guides/a.md", "unchanged")]


async def test_texts_go_in_without_a_root_into_the_collection_that_is_named(database: Database, scope: Scope) -> None:
    content = [{"source": "notes/a", "text": "torque", "title": "Note"}, {"source": "bad", "text": ""}]
    result = await run(graph(database, scope, None), IngestKnobs(collection="notes", readers=["public"]), content=content)
    assert (result["status"], result["reason"]) == ("done", "documents: 2, failed: 1")
    assert [collection.name for collection in await list_collections(database, scope)] == ["notes"]


@pytest.mark.rule("F9")
@pytest.mark.parametrize("path", ["../secret.md", "in/../../secret.md", "/etc/passwd", "link", "link/secret.md", "a\0b", "missing.md"])
async def test_a_path_that_leads_out_of_the_root_is_refused_before_anything_is_read(
    database: Database, scope: Scope, tmp_path: Path, path: str
) -> None:
    """F9: `..`, absolute paths and links out; the good path beside it is not read either."""
    write(tmp_path, {"secret.md": "secret", "root/in/a.md": "fine"})
    (tmp_path / "root/link").symlink_to(tmp_path)
    result = await run(graph(database, scope, tmp_path / "root"), paths=["in", path])
    assert (result["status"], result["report"]) == ("failed", None)
    assert "below TADORI_INGEST_ROOT" in result["reason"]
    assert await list_collections(database, scope) == []


async def test_without_a_root_paths_are_refused_with_what_to_do(database: Database, scope: Scope) -> None:
    result = await run(graph(database, scope, None), paths=["a.md"])
    assert result["status"] == "failed"
    assert result["reason"] == "paths are not read here: the operator has not set TADORI_INGEST_ROOT; send the texts as content"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, "there is nothing to ingest"),
        ({"paths": "guides"}, "paths is not a list of strings"),
        ({"content": ["text"]}, "content is not a list of objects"),
        ({"paths": ["a"] * 1001}, "more than 1000"),
    ],
)
async def test_input_of_another_form_is_answered(database: Database, scope: Scope, given: dict[str, object], reason: str) -> None:
    result = await run(graph(database, scope, None), **given)
    assert result["status"] == "failed"
    assert reason in result["reason"]


@pytest.mark.parametrize(
    ("knobs", "reason"), [(IngestKnobs(collection="No Name"), "is not a name"), (IngestKnobs(readers=["all"]), "reader 'all' is not known")]
)
async def test_a_wrong_knob_is_answered(database: Database, scope: Scope, knobs: IngestKnobs, reason: str) -> None:
    result = await run(graph(database, scope, None), knobs, content=[{"source": "a", "text": "torque"}])
    assert result["status"] == "failed"
    assert reason in result["reason"]


def test_the_tenant_is_no_knob() -> None:
    assert set(IngestKnobs.model_fields) == {"collection", "readers"}


def test_the_input_has_a_schema_that_a_form_can_be_made_of(database: Database, scope: Scope) -> None:
    schema = graph(database, scope, None).get_input_jsonschema()
    assert set(schema["properties"]) == {"paths", "content"}
    assert set(schema["$defs"]["Content"]["properties"]) == {"source", "text", "content", "title", "metadata"}
