"""A time that the question names filters the stored documents by their date, end to end."""

from datetime import UTC, datetime

import pytest
from seeding import Text, seed

from graphs.rag import build_graph
from retrievers.hybrid import HybridSearch
from retrievers.providers.fakes import HashEmbedder
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.tools import search_tool

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
RULES = [
    Text("may.md", "The key of the observatory is handed in at the north gate.", title="Rules", modified=datetime(2026, 5, 4, tzinfo=UTC)),
    Text(
        "october.md", "The key of the observatory is handed in at the reception.", title="Rules", modified=datetime(2026, 10, 8, tzinfo=UTC)
    ),
    Text("undated.md", "The key of the observatory is handed in at the garage.", title="Rules"),
]


@pytest.fixture
async def ask(database, scope):
    await seed(database, scope, RULES)
    search = HybridSearch(database, HashEmbedder(), EmbeddingCache(database), scope)
    graph = build_graph(search=search, search_tool=search_tool(search), embedder=HashEmbedder())

    async def asked(question, **knobs):
        return await graph.ainvoke({"question": question}, context={"now": NOW, **knobs})

    return asked


def searches(output):
    """Of each search where it looked, and what it found."""
    events = [event for event in output["trail"] if event["step"] == "retrieve"]
    return [(event["reason"].rpartition("?'")[2], event["decision"]) for event in events]


@pytest.mark.rule("now", "pg-meta")
async def test_last_month_is_the_month_before_now(ask):
    """now, pg-meta: what is older, and what has no date, is not looked at."""
    output = await ask("Where was the key of the observatory handed in last month?")
    assert searches(output) == [(" in documents of 'last month'", "1 passages of 3")]
    assert (output["status"], output["citations"][0]["document"]) == ("answered", "october.md")


@pytest.mark.rule("now", "pg-meta")
async def test_a_time_without_an_answer_leads_to_all_documents(ask):
    """now, pg-meta: July has none; both searches are in the trail."""
    assert searches(await ask("Where was the key of the observatory handed in in July?")) == [
        (" in documents of 'in July'", "0 passages of 3"),
        (", of any time: nothing of 'in July' reaches the threshold", "3 passages of 3"),
    ]


@pytest.mark.rule("now")
async def test_a_year_that_is_the_subject_filters_nothing(ask):
    """now: every document may tell of it."""
    assert searches(await ask("Where was the key of the observatory handed in in 1998?"))[0] == ("", "3 passages of 3")
