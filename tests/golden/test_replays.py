"""Recorded runs of the graph, replayed: another way or another quote is a change that somebody has to read and approve."""

import json
from difflib import unified_diff
from typing import Any

import pytest

from tests.memory_search import MemorySearch
from tests.replays import RECORDED, handbook, outcome, runs

NAMES = list(runs())


@pytest.fixture(scope="module")
def memory() -> MemorySearch:
    return handbook()


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORDED.read_text("utf-8"))
    return found


def lines(run: dict[str, Any]) -> list[str]:
    return json.dumps(run, ensure_ascii=False, indent=1).splitlines()


@pytest.mark.rule("R14")
@pytest.mark.parametrize("name", NAMES)
async def test_a_recorded_run_takes_the_same_way_to_the_same_quotes(name: str, memory: MemorySearch, recorded: dict[str, Any]) -> None:
    """R14: decisions, citations, degradations and calls as recorded."""
    now = await outcome(runs()[name], memory)
    diff = "\n".join(unified_diff(lines(recorded[name]), lines(now), "recorded", "now", lineterm="", n=1))
    assert not diff, f"run {name!r} changed; if it is meant to, record with `python -m tests.replays` and read the diff:\n{diff}"


@pytest.mark.rule("R14")
def test_the_recording_has_these_runs_and_no_others(recorded: dict[str, Any]) -> None:
    """R14: at least thirty, with a model and without one, of every status that a turn without errors can have."""
    assert list(recorded) == NAMES
    assert len(recorded) >= 30
    assert {run["status"] for run in recorded.values()} >= {"answered", "no_evidence", "direct", "budget_exhausted"}
