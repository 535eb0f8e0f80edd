"""The search node calls the tool of the agents with what the caller set, and passes errors on."""

from datetime import UTC, datetime

import pytest
from memory_search import MemorySearch, Text
from turns import runtime, turn

from nodes.retrieve import retrieve
from retrievers.errors import DatabaseUnavailable, UnknownCollection
from retrievers.providers.fakes import HashEmbedder
from retrievers.tools import search_tool
from retrievers.types import Filters


def memory(**fields) -> MemorySearch:
    return MemorySearch([Text(f"Backups of kind {number} are kept.", f"{number}.md") for number in range(8)], HashEmbedder(), **fields)


async def test_the_query_of_this_round_is_searched():
    search = memory()
    update = await retrieve(turn(query="backups kept", place=1), runtime(), tool=search_tool(search))
    assert search.queries == ["backups kept"]
    found = update["found"][0]
    assert (found["place"], found["query"]) == (1, "backups kept")
    assert (len(found["passages"]), found["chunk_count"], found["no_answer"]) == (5, 8, 0.6)


@pytest.mark.rule("core-context")
async def test_the_refetch_asks_for_twice_as_many():
    """core-context: the same query, 2 x top_k."""
    update = await retrieve(turn(refetch=True), runtime(top_k=3), tool=search_tool(memory()))
    assert len(update["found"][0]["passages"]) == 6


async def test_the_callers_knobs_reach_the_search():
    search, since = memory(), datetime(2026, 1, 1, tzinfo=UTC)
    update = await retrieve(turn(), runtime(top_k=2, metadata={"department": "it"}, since=since), tool=search_tool(search))
    assert len(update["found"][0]["passages"]) == 2
    assert search.filters == [Filters((("department", "it"),), since)]


@pytest.mark.rule("store-contract")
@pytest.mark.parametrize("error", [DatabaseUnavailable("the database is down"), UnknownCollection("elsewhere")])
async def test_an_error_is_raised_and_never_nothing_found(error):
    """store-contract: empty means that nothing matched."""
    with pytest.raises(type(error)):
        await retrieve(turn(), runtime(), tool=search_tool(memory(error=error)))


@pytest.mark.rule("F18")
async def test_what_the_search_could_not_do_is_a_degradation():
    """F18: a reranker that is down shows."""
    search = memory(degraded=[("reranker cohere: 401", "the order of the fusion")])
    update = await retrieve(turn(), runtime(), tool=search_tool(search))
    assert update["degraded"] == [{"step": "retrieve", "cause": "reranker cohere: 401", "fallback": "the order of the fusion"}]


@pytest.mark.rule("rr-llm", "ledger")
async def test_what_a_model_spent_on_reranking_counts_as_usage():
    """rr-llm, ledger: the calls of a chat reranker are calls of the run."""
    search = memory()
    search_once = search.search

    async def with_spent(query, **given):
        return {**await search_once(query, **given), "spent": {"calls": 1, "input_tokens": 900, "output_tokens": 40}}

    search.search = with_spent
    update = await retrieve(turn(), runtime(), tool=search_tool(search))
    assert update["usage"] == {"calls": 1, "input_tokens": 900, "output_tokens": 40, "cost_usd": None}


OCTOBER = {"since": "2026-10-01T00:00:00+00:00", "until": "2026-11-01T00:00:00+00:00", "said": "last month"}
WITHIN = Filters((), datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC))


@pytest.mark.rule("now", "pg-meta")
async def test_the_time_that_the_question_names_is_a_filter():
    """now, pg-meta: before the search; the trail says which."""
    search = memory(no_answer=0.1)
    update = await retrieve(turn("backups kept", period=OCTOBER), runtime(metadata={"department": "it"}), tool=search_tool(search))
    assert search.filters == [Filters((("department", "it"),), WITHIN.since, WITHIN.until)]
    assert update["trail"][0]["reason"] == "searched 'backups kept' in documents of 'last month'"
    assert update["trail"][0]["data"]["since"] == OCTOBER["since"]


@pytest.mark.rule("now")
async def test_within_that_time_its_words_are_not_looked_for():
    """now: no document says "last month" of itself; where the filter is left, so are the words."""
    search = memory(no_answer=5.0)
    update = await retrieve(turn("backups kept last month", period=OCTOBER), runtime(), tool=search_tool(search))
    assert search.queries == ["backups kept", "backups kept last month"]
    assert update["found"][0]["query"] == "backups kept last month"


@pytest.mark.rule("now")
@pytest.mark.parametrize("own", [{"since": datetime(2020, 1, 1, tzinfo=UTC)}, {"until": datetime(2020, 1, 1, tzinfo=UTC)}])
async def test_the_callers_own_dates_count_alone(own):
    """now: what was set is not narrowed by what was said."""
    search = memory()
    update = await retrieve(turn(period=OCTOBER), runtime(**own), tool=search_tool(search))
    assert search.filters == [Filters((), own.get("since"), own.get("until"))]
    assert "last month" not in update["trail"][0]["reason"]


@pytest.mark.rule("now")
async def test_where_that_time_holds_no_answer_documents_of_any_time_are_searched():
    """now: two searches, both in the trail, and the second counts."""
    search = memory(no_answer=5.0)
    update = await retrieve(turn("backups kept", period=OCTOBER), runtime(), tool=search_tool(search))
    assert search.filters == [WITHIN, Filters()]
    assert [event["reason"] for event in update["trail"]] == [
        "searched 'backups kept' in documents of 'last month'",
        "searched 'backups kept', of any time: nothing of 'last month' reaches the threshold",
    ]
    assert len(update["found"]) == 1


@pytest.mark.rule("now", "T32")
@pytest.mark.parametrize(("question", "expected"), [("What was decided last month?", 0.58), ("What did bishops decide last month?", 0.6)])
async def test_a_question_without_a_subject_may_fall_a_little_short_within_its_time(question, expected):
    """now, T32: a question with a subject may not."""
    search = memory(no_answer=0.6)
    search_once = search.search

    async def scored(query, **given):
        result = await search_once(query, **given)
        return {**result, "passages": [{**passage, "absolute": 0.59} for passage in result["passages"]]}

    search.search = scored
    update = await retrieve(turn(question, period=OCTOBER), runtime(), tool=search_tool(search))
    assert update["found"][0]["no_answer"] == pytest.approx(expected)
    assert len(update["trail"]) == (1 if expected < 0.6 else 2)


@pytest.mark.rule("hyde")
async def test_imagined_passages_are_searched_with():
    """hyde: handed to the tool as an object, beside the query."""
    search = memory()
    update = await retrieve(turn("Why?", hypothetical=["Backups are kept."]), runtime(), tool=search_tool(search))
    assert (search.queries, search.hypothetical) == (["Why?"], [("Backups are kept.",)])
    assert update["trail"][0]["data"]["imagined"] == 1
