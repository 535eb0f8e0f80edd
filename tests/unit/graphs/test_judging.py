"""The whole graph where what was found is not enough: a near miss, a deeper look, a part that stays open, sources that disagree."""

import json

import pytest
from memory_search import MemorySearch, Text

from graphs.rag import build_graph
from nodes.structured import Decider
from retrievers.providers.fakes import FixedWeb, HashEmbedder, ScriptedChat
from retrievers.tools import search_tool, web_tool

TEXTS = [
    Text("The mount bolts of the XR-4200 need a torque of 12 Nm.", "xr.md", "XR-4200", ("Torque",)),
    Text("XR-4200の取り付けボルトの締め付けトルクは12Nmです。", "xr-ja.md", "XR-4200", ("トルク",)),
    Text("The mount bolts of the XR-4200 need oil of grade 5 and a new torque seal.", "oil.md", "XR-4200 oil", ("Oil",)),
    Text("Tea is served at four.", "tea.md", "Tea", ("Hours",)),
]
TORQUE = "What torque do the mount bolts of the XR-4200 need?"
QUOTE = TEXTS[0].text


def verdict(*relevant: bool, sufficient: bool, confidence: float, missing: str = "") -> str:
    entries = [{"id": number, "relevant": said} for number, said in enumerate(relevant, 1)]
    return json.dumps({"verdicts": entries, "missing": missing, "sufficient": sufficient, "confidence": confidence})


def claim(text: str = "12 Nm.") -> str:
    return json.dumps({"claims": [{"text": text, "passage": 1, "quote": QUOTE}]})


async def ask(question, *, replies=None, web=None, texts=TEXTS, **knobs):
    chat = Decider(ScriptedChat(replies=list(replies))) if replies is not None else None
    search = MemorySearch(texts, HashEmbedder())
    tool = web_tool(web) if web else None
    graph = build_graph(search=search, search_tool=search_tool(search), embedder=search.embedder, web_tool=tool, chat=chat)
    return await graph.ainvoke({"question": question}, context=knobs)


def steps(output) -> list[str]:
    return [event["step"] for event in output["trail"]]


@pytest.mark.rule("no-answer", "F19", "T6")
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What torque do the mount bolts of the XR-4300 need?", "Missing: XR-4300."),
        ("XR-4300の取り付けボルトの締め付けトルクは？", "不足している情報: XR-4300。"),
    ],
)
async def test_a_near_miss_is_not_answered_without_a_model_and_what_is_missing_is_named(question, said):
    """no-answer, F19, T6: on topic, and of another product."""
    output = await ask(question)
    assert (output["status"], output["citations"]) == ("no_evidence", [])
    assert said in output["answer"]
    assert steps(output).count("retrieve") == 1


@pytest.mark.rule("no-answer", "F19")
async def test_a_near_miss_is_answered_from_the_web_where_the_web_holds_it():
    """no-answer, F19: and judged like any passage."""
    page = {
        "url": "https://example.org/xr",
        "title": "XR-4300",
        "text": "The mount bolts of the XR-4300 need a torque of 19 Nm.",
        "score": 0.9,
    }
    output = await ask("What torque do the mount bolts of the XR-4300 need?", web=FixedWeb([page]))
    assert (output["status"], output["citations"][0]["origin"]) == ("answered", "web")
    assert "19 Nm" in output["answer"]


@pytest.mark.rule("core-context")
async def test_an_unsure_model_has_one_deeper_look_and_reads_only_what_is_new():
    """core-context: twice top_k, the same query, three calls in all."""
    replies = [
        verdict(True, sufficient=False, confidence=0.5, missing="the grade of the oil"),
        verdict(True, sufficient=True, confidence=0.9),
        claim(),
    ]
    output = await ask(TORQUE, replies=replies, top_k=1)
    assert output["status"] == "answered"
    searches = [event for event in output["trail"] if event["step"] == "retrieve"]
    assert [(event["decision"], event["data"]["query"]) for event in searches] == [("1 passages of 4", TORQUE), ("2 passages of 4", TORQUE)]
    assert output["usage"]["calls"] == 3


@pytest.mark.rule("core-context", "F1")
async def test_a_model_that_stays_unsure_is_answered_in_part():
    """core-context, F1: the deeper look finds nothing new to ask about, the rewriter has nothing new, and what is kept is answered."""
    unsure = verdict(True, False, False, sufficient=False, confidence=0.5, missing="the date of the torque")
    output = await ask(TORQUE, replies=[unsure, '{"query": ""}', claim()], top_k=3)
    assert (output["status"], output["answer"].splitlines()[0]) == ("partial", "12 Nm. [1]")
    assert "the date of the torque" in output["reason"]
    assert output["usage"]["calls"] == 3


@pytest.mark.rule("core-context", "no-answer", "crag")
async def test_a_model_that_is_sure_that_it_does_not_suffice_ends_in_an_abstention():
    """core-context, no-answer, crag: what is missing leads the rewrite, and no draft is asked for."""
    sure = verdict(True, False, False, sufficient=False, confidence=0.95, missing="the torque of the lid")
    output = await ask(TORQUE, replies=[sure, '{"query": ""}'], top_k=3)
    assert (output["status"], output["citations"], output["usage"]["calls"]) == ("no_evidence", [], 2)
    assert "Missing: the torque of the lid." in output["answer"]


@pytest.mark.rule("self-rag", "crag")
async def test_one_good_passage_of_three_is_enough():
    """self-rag, crag: the share of dropped passages does not override a passed check; the web is left alone."""
    web = FixedWeb([])
    output = await ask(TORQUE, replies=[verdict(True, False, False, sufficient=True, confidence=0.9), claim()], web=web, top_k=3)
    assert (output["status"], web.queries, output["usage"]["calls"]) == ("answered", [], 2)


@pytest.mark.rule("S9")
async def test_planted_passages_are_shown_beside_what_they_contradict():
    """S9: the trail says that the sources disagree, and about what."""
    planted = [Text("The mount bolts of the XR-4200 need a torque of 90 Nm.", f"planted{n}.md", "XR-4200", ("Torque",)) for n in range(5)]
    output = await ask(TORQUE, texts=[*TEXTS, *planted], top_k=8)
    (event,) = [event for event in output["trail"] if event["decision"] == "the sources disagree"]
    assert sorted(event["data"]["values"].values()) == [["12"], ["90"]]
