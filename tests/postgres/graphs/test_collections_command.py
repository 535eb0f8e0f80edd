"""`tadori collections` as typed: listed, shown, changed by hand, and searched with at once."""

import pytest
from commanding import Run, as_json

PAGES = {"old.md": "2020-01-01", "new.md": "2026-01-01"}


@pytest.mark.rule("per-corpus", "pg-meta")
def test_a_half_life_set_by_hand_moves_newer_documents_up(run: Run, tmp_path) -> None:
    """per-corpus, pg-meta: recency has a declared half-life, off until somebody sets it; an empty value takes it back."""
    for name, day in PAGES.items():
        (tmp_path / name).write_text(f"---\ndate: {day}\n---\n# Pumps\n\nThe pump of {name[:3]} is checked every week.\n", "utf-8")
    as_json(run("ingest", "old.md", "new.md", "--json"))
    listed = as_json(run("collections", "--json"))["collections"]
    assert [(entry["name"], entry["chunks"]) for entry in listed] == [("default", 2)]
    assert as_json(run("collections", "default", "--json"))["setting"]["half_life_days"] is None

    shown = as_json(run("collections", "default", "--set", "half_life_days=365", "--set", "no_answer=0.85", "--json"))["setting"]
    assert (shown["half_life_days"], shown["no_answer"]) == (365.0, 0.85)
    hits = as_json(run("search", "How often is the pump checked?", "--json"))["hits"]
    assert hits[0]["document"] == "new.md"
    assert hits[0]["factors"]["recency"] > hits[1]["factors"]["recency"]

    back = as_json(run("collections", "default", "--set", "half_life_days=", "--set", "no_answer=", "--json"))["setting"]
    assert (back["half_life_days"], back["no_answer"]) == (None, 0.888)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nowhere",), 1, "collection 'nowhere'"),
        (("default", "--set", "derived=0"), 2, "derived is 0.0: it must be above 0 and at most 1"),
        (("--set", "near=1"), 2, "--set needs the name of a collection"),
    ],
)
def test_a_mistake_is_one_line_and_changes_nothing(run: Run, tmp_path, arguments, code, said) -> None:
    (tmp_path / "a.md").write_text("# A\n\nThe pump is checked.\n", "utf-8")
    as_json(run("ingest", "a.md", "--json"))
    found, out, err = run("collections", *arguments)
    assert (found, out, err.count("\n")) == (code, "", 1)
    assert said in err
