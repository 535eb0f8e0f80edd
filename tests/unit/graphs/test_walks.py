"""Whole turns that walk the knowledge graph: without a model, with one that follows the hops, and where the graph is off."""

import json

import pytest
from memory_search import MemorySearch, Text
from memory_walk import MemoryWalk
from trails import StepChat

from graphs.rag import build_graph
from nodes.knobs import Knobs
from nodes.structured import Decider
from retrievers.providers.fakes import HashEmbedder
from retrievers.tools import graph_tool, search_tool

QUESTION = "In which town was the designer of the tide gauge at Skerry Point born?"
TEXTS = (
    Text("The tide gauge at Skerry Point was designed by Ada Fenn. It has run since 1987.", "gauge.md", "Tide gauge"),
    Text("Ada Fenn was born in the town of Oxmere and trained there as a clockmaker.", "fenn.md", "Ada Fenn"),
    Text("Backups are kept for 35 days.", "ops.md", "Operations"),
    Text("The harbour office opens at nine.", "harbour.md", "Harbour office"),
)


def graph_of(search, replies=None, walk=True):
    chat = Decider(StepChat(replies={name: [json.dumps(reply) for reply in given] for name, given in replies.items()})) if replies else None
    return build_graph(
        search=search,
        search_tool=search_tool(search),
        graph_tool=graph_tool(search) if walk else None,
        embedder=search.embedder,
        chat=chat,
    )


def steps(output) -> list[str]:
    return [event["step"] for event in output["trail"]]


@pytest.mark.rule("kg", "adaptive")
async def test_an_answer_of_two_steps_cites_both_and_says_how_it_came_to_the_second():
    """kg, adaptive: without a model; the path stands beside the citation."""
    output = await graph_of(MemoryWalk(TEXTS, HashEmbedder())).ainvoke({"question": QUESTION}, context=Knobs(web=False))
    assert output["status"] == "answered"
    assert [citation["document"] for citation in output["citations"]] == ["gauge.md", "fenn.md"]
    assert output["citations"][1]["path"][0]["entity"] == "Ada Fenn"
    assert "path" not in output["citations"][0]
    assert "retrieve" not in steps(output)


@pytest.mark.rule("kg")
async def test_with_a_model_the_next_step_is_asked_of_the_graph_too():
    """kg: the model says what is missing, and the query for it walks the graph again."""

    def graded(*relevant: bool, sufficient: bool, missing: str = ""):
        verdicts = [{"id": number, "relevant": verdict} for number, verdict in enumerate(relevant, 1)]
        return {"verdicts": verdicts, "sufficient": sufficient, "confidence": 0.9, "missing": missing}

    claim = {"text": "She was born in Oxmere.", "passage": 2, "quote": "Ada Fenn was born in the town of Oxmere"}
    search = MemoryWalk(TEXTS, HashEmbedder(), no_answer=0.2)
    replies = {
        "grade": [
            graded(True, False, False, sufficient=False, missing="where Ada Fenn was born"),
            graded(True, False, sufficient=True),
        ],
        "rewrite": [{"query": "Ada Fenn born town"}],
        "generate": [{"claims": [claim]}],
    }
    output = await graph_of(search, replies).ainvoke({"question": QUESTION}, context=Knobs(web=False))
    assert steps(output).count("knowledge_graph") == 2
    assert search.queries[-1] == "Ada Fenn born town"


@pytest.mark.rule("kg")
async def test_with_the_knob_off_the_documents_alone_are_searched():
    """kg: a caller can do without."""
    output = await graph_of(MemoryWalk(TEXTS, HashEmbedder())).ainvoke({"question": QUESTION}, context=Knobs(web=False, graph=False))
    assert "knowledge_graph" not in steps(output)
    assert "retrieve" in steps(output)


@pytest.mark.rule("kg")
async def test_without_a_graph_nothing_is_sent_to_it():
    """kg: TADORI_GRAPH=none."""
    output = await graph_of(MemorySearch(TEXTS, HashEmbedder()), walk=False).ainvoke({"question": QUESTION}, context=Knobs(web=False))
    assert "knowledge_graph" not in steps(output)
