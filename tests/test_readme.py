"""The README says what is true: its picture is the graph, its commands exist."""

import re
from pathlib import Path

from graphs.cli import build_parser
from tests.picture import README, with_picture

ROOT = Path(__file__).parent.parent


def test_the_picture_is_the_graph_that_runs() -> None:
    text = README.read_text("utf-8")
    assert with_picture(text) == text


def test_every_make_target_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert {"demo", "check", "test", "dev", "bench", "clean"} <= targets
    assert set(re.findall(r"\bmake ([a-z]+)\b", README.read_text("utf-8"))) - {"sure"} <= targets


def test_every_command_of_the_table_parses() -> None:
    rows = re.findall(r"^\| `([a-z]+)([^`]*)` \|", README.read_text("utf-8"), re.MULTILINE)
    samples = {
        "ingest": ["x"],
        "delete": ["x"],
        "search": ["x"],
        "ask": ["x"],
        "eval": ["x", "--queries", "dev.tsv"],
        "reindex": ["--embedding-model", "openai:m"],
        "doctor": [],
        "serve": [],
    }
    assert [name for name, _ in rows if name in samples] == list(samples)
    for name, arguments in samples.items():
        assert build_parser().parse_args([name, *arguments]).command == name


def test_the_changelog_starts_with_what_is_unreleased() -> None:
    assert "## Unreleased" in (ROOT / "CHANGELOG.md").read_text("utf-8")
