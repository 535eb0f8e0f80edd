"""What a person sees at a terminal."""

import pytest

from graphs import render


@pytest.mark.rule("S8")
def test_text_from_documents_cannot_drive_the_terminal() -> None:
    """S8: escapes, direction overrides and tag characters are dropped, Japanese and newlines stay."""
    assert render.safe("a\x1b[31mred\x9b0m\u202e\U000e0041\u2066 日本語\nb") == "a[31mred0m 日本語\nb"


def test_a_place_names_the_title_once() -> None:
    assert render.place("CREATE INDEX", ["CREATE INDEX", "Notes"], "sql.html", 3) == "CREATE INDEX > Notes (sql.html, p. 3)"


def test_a_document_without_a_title_is_named_by_its_source() -> None:
    assert render.place("", [], "a.txt", None) == "a.txt (a.txt)"


def test_a_long_quote_is_cut_to_one_line() -> None:
    assert render.one_line("one\n two   three", 9) == "one two …"


def test_an_answer_ends_with_status_steps_time_and_model() -> None:
    result = {
        "answer": "Use X. [1]",
        "status": "answered",
        "reason": "",
        "degraded": [{"step": "grade", "cause": "the model timed out", "fallback": "threshold"}],
        "citations": [
            {
                "n": 1,
                "title": "T",
                "heading_path": ["T", "H"],
                "document": "t.md",
                "page": None,
                "url": None,
                "quote": "Use X.",
                "verified": True,
            }
        ],
        "trail": [{"step": "gate"}, {"step": "retrieve"}, {"step": "retrieve"}],
        "usage": {"calls": 0},
    }
    assert render.answer(result, 0.42).splitlines() == [
        "Use X. [1]",
        "",
        "[1] T > H (t.md): “Use X.” ✓",
        "",
        "degraded: grade: the model timed out; threshold",
        "answered · 2 steps · 0.4 s · no model",
    ]


def test_an_ingestion_shows_failures_first() -> None:
    files = [
        {"source": "a.md", "status": "added", "chunks": 2, "reason": None},
        {"source": "b.pdf", "status": "failed", "chunks": 0, "reason": "encrypted"},
    ]
    lines = render.ingested({"files": files, "embedded": 2, "seconds": 1.0}).splitlines()
    assert lines[0] == "! b.pdf  failed, 0 chunks  (encrypted)"
    assert lines[-1] == "1 added, 1 failed · 2 texts embedded · 1.0 s"


def test_an_ingestion_counts_what_was_pruned() -> None:
    assert render.ingested({"files": [], "embedded": 0, "seconds": 1.0, "deleted": 3}) == "3 deleted · 0 texts embedded · 1.0 s"


def test_an_ingestion_says_when_the_graph_is_not_complete() -> None:
    report = {"files": [], "embedded": 0, "seconds": 1.0, "graph": {"stopped": "the database is down"}}
    assert render.ingested(report).splitlines()[-1] == (
        "the knowledge graph is not complete: the database is down; `tadori graph build` goes on with it"
    )


def test_a_name_with_a_line_break_stays_on_its_line() -> None:
    files = [{"source": "new\nline.md", "status": "added", "chunks": 1, "reason": None}]
    assert render.ingested({"files": files, "embedded": 1, "seconds": 1.0}).splitlines()[0] == "+ new line.md  added, 1 chunks"
    assert render.place("a\nb", [], "c\nd.md", None) == "a b (c d.md)"


def test_a_trail_shows_each_decision_with_its_reason_and_time() -> None:
    events = [
        {"step": "gate", "kind": "decision", "decision": "retrieve", "reason": "a fact is asked for", "ms": 0.14, "data": {}},
        {"step": "retrieve", "kind": "search", "decision": "5 passages of 9", "reason": "searched 'x\ny'", "ms": 31.0, "data": {}},
        {"step": "grade", "kind": "fallback", "decision": "the threshold alone", "reason": "HTTP 500", "ms": 2.0, "data": {}},
    ]
    assert render.trail(events) == (
        "gate      retrieve: a fact is asked for (0.1 ms)\n"
        "retrieve  5 passages of 9: searched 'x y' (31.0 ms)\n"
        "grade     the threshold alone [fallback]: HTTP 500 (2.0 ms)"
    )
    assert render.trail(events[:1], times=False) == "gate  retrieve: a fact is asked for"
    assert render.trail([]) == ""
