"""The page of trails is what the graph does, and each of its stories is what its title says."""

import pytest

from tests.trails import PAGE, STORIES, outcome, page


def test_the_page_of_trails_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "docs/trails.md is out of date: run python -m tests.trails, and read what changed"


def test_the_page_has_no_times_and_no_place_of_a_machine() -> None:
    text = PAGE.read_text("utf-8")
    assert not [word for word in (" ms", " s ·", "/tmp", "/work", "/root", "localhost") if word in text]


async def told(name: str) -> tuple[dict, list[tuple[str, str]]]:
    """The story's outcome, and its events as (step, kind)."""
    output = await outcome(STORIES[name])
    return output, [(event["step"], event["kind"]) for event in output["trail"]]


def searches(output: dict) -> int:
    return sum(event["step"] == "retrieve" for event in output["trail"])


@pytest.mark.rule("core-basic")
@pytest.mark.parametrize(("name", "calls"), [("answered", 0), ("answered with a model", 2)])
async def test_a_plain_question_takes_one_search_and_at_most_two_calls(name: str, calls: int) -> None:
    """core-basic: answered from the passage that holds it."""
    output, _ = await told(name)
    assert (output["status"], output["usage"]["calls"], searches(output)) == ("answered", calls, 1)
    assert [citation["document"] for citation in output["citations"]] == ["ops.md"]


async def test_a_japanese_question_goes_the_same_way() -> None:
    output, _ = await told("japanese")
    assert (output["status"], output["answer"], searches(output)) == ("answered", "観測室の鍵は受付に返してください。 [1]", 1)


@pytest.mark.rule("q-decompose")
async def test_the_parts_of_a_question_are_searched_side_by_side() -> None:
    """q-decompose: three searches, one ranking, both parts answered."""
    output, events = await told("decomposed")
    assert (output["status"], searches(output), ("fuse", "decision") in events) == ("answered", 3, True)
    assert {citation["document"] for citation in output["citations"]} == {"ops.md", "xr-4200.md"}


@pytest.mark.rule("crag")
async def test_a_rewrite_finds_what_the_question_did_not() -> None:
    """crag: nothing kept, other words, an answer."""
    output, events = await told("rewritten")
    assert (output["status"], searches(output)) == ("answered", 2)
    assert [kept["decision"] for kept in output["trail"] if kept["step"] == "grade"] == ["0 of 5 kept", "1 of 5 kept"]
    assert ("rewrite", "model") in events


@pytest.mark.rule("crag")
async def test_the_web_answers_what_the_documents_do_not_hold() -> None:
    """crag: the page is graded, and cited with its address."""
    output, events = await told("web")
    assert (output["status"], ("web_search", "search") in events) == ("answered", True)
    assert [citation["url"] for citation in output["citations"]] == ["https://example.org/cup-1998"]


@pytest.mark.rule("no-answer")
async def test_what_nothing_answers_is_not_answered() -> None:
    """no-answer: the closest passage is named."""
    output, _ = await told("abstained")
    assert (output["status"], output["citations"]) == ("no_evidence", [])
    assert "Closest: " in output["answer"]


@pytest.mark.rule("limit")
async def test_a_budget_gives_the_best_answer_so_far() -> None:
    """limit: the call that was allowed judged, the rules answered, and the status says why."""
    output, events = await told("budget")
    assert (output["status"], output["usage"]["calls"], ("generate", "limit") in events) == ("budget_exhausted", 1, True)
    assert output["citations"]
