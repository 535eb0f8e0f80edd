"""What a person sees of an explanation."""

from turns import passage

from graphs import render_why
from retrievers.reasons import not_found

CANDIDATE = {
    **{name: value for name, value in passage("c1").items() if name in ("id", "document", "title", "heading_path", "page", "absolute")},
    "snippet": "Backups are kept.",
    "rank": 1,
    "fused_rank": 2,
    "ranks": {"lexical": None, "vector": 3},
    "scores": {"bm25": 0.0, "cosine": 0.81234, "fused": 0.9},
    "score": 0.9,
    "factors": {"title": 1.5},
    "reranked": None,
    "kept": True,
    "verdict": "kept",
    "why": "hit 1",
    "prompt": 2,
}


def explanation(number):
    return {"candidates": [CANDIDATE] * number}


def test_a_candidate_is_a_line_of_a_table():
    lines = render_why.candidates(explanation(1)).splitlines()
    assert lines[0] == "1 candidates; prompt: the number of the passage that a model would read it in"
    assert lines[1].split() == ["rank", "words", "bm25", "meaning", "cosine", "fused", "absolute", "prompt", "why", "passage"]
    assert lines[2] == ("1     -      0.000  3        0.812   0.900 ×1.5 title  0.900     2       hit 1  c1 ops.md: Backups are kept.")


def test_a_screen_is_shown_and_the_rest_is_counted():
    lines = render_why.candidates(explanation(33)).splitlines()
    assert (len(lines), lines[-1]) == (33, "… and 3 more: --json lists all")


def test_without_candidates_it_says_so():
    assert render_why.candidates(explanation(0)) == "no candidates"


def test_a_named_passage_is_told_with_its_figures_and_the_querys_words():
    reason = {
        "name": "ops.md",
        "id": "c1",
        "document": "ops.md",
        "verdict": "filtered",
        "why": "its document does not meet the filter year=2026",
        "scores": {"bm25": 1.5, "cosine": None},
        "last": {"bm25": None, "cosine": None},
        "absolute": None,
        "no_answer": 0.6,
        "candidate": None,
        "conditions": [{"condition": "year=2026", "met": False}],
        "words": [{"word": "backup", "df": 2, "weight": 1.25, "count": 3}, {"word": "kept", "df": 0, "weight": 0.0, "count": 0}],
    }
    assert render_why.why(reason).splitlines() == [
        "c1 ops.md: its document does not meet the filter year=2026",
        "  bm25 1.500, that of the last candidate -",
        "  NOT MET: year=2026",
        "  word    weight  passages with it  times here",
        "  backup  1.250   2                 3",
        "  kept    0.000   0                 lacks it",
    ]


def test_an_unknown_one_is_one_sentence_that_drives_no_terminal():
    shown = render_why.why(not_found("\x1b[31mx"))
    assert shown == r"there is no passage '\x1b[31mx' here, or it may not be read: use an id that a search has shown"
