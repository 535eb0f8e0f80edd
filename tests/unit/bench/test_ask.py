"""What the benchmark of answers compares: the usual shape's calls, and a model that makes no mistake for both shapes."""

import pytest
from memory_search import MemorySearch, Text

from graphs.rag import build_graph
from nodes.structured import Decider
from retrievers.providers.chat import resolve_chat
from retrievers.providers.fakes import HashEmbedder, ScriptedChat
from retrievers.tools import search_tool
from tests.bench import _standard_shape as standard
from tests.bench._oracle import Oracle
from tests.bench.ask import in_turn, mean

QUESTION = "How long are nightly backups kept?"
GOLD = "Nightly backups are kept for 35 days. They start at 02:30."
TEXTS = [Text(GOLD, "ops.md"), Text("Nightly trains are kept in the shed.", "trains.md"), Text("Tea is brewed at 80 degrees.", "tea.md")]


def scripted(*replies):
    return Decider(ScriptedChat(replies=list(replies)))


async def three(_query):
    return (await MemorySearch(TEXTS, HashEmbedder()).search(QUESTION, k=3))["passages"]


async def test_the_usual_shape_asks_once_for_each_passage_and_three_times_more():
    turn = await standard.answer(QUESTION, three, scripted("Yes.", "no", "no", "35 days.", "yes", "yes"))
    assert (turn.answer, turn.usage["calls"]) == ("35 days.", 6)


async def test_a_draft_that_is_not_grounded_is_written_again():
    turn = await standard.answer(QUESTION, three, scripted("yes", "no", "no", "a year", "no", "35 days.", "yes", "yes"))
    assert (turn.answer, turn.usage["calls"]) == ("35 days.", 8)


async def test_a_useless_answer_is_looked_for_again_with_another_question():
    script = ("yes", "no", "no", "It depends.", "yes", "no", "backups?", "yes", "no", "no", "35 days.", "yes", "yes")
    turn = await standard.answer(QUESTION, three, scripted(*script))
    assert (turn.answer, turn.usage["calls"]) == ("35 days.", 13)


async def test_without_a_relevant_passage_the_usual_shape_goes_round_until_its_limit():
    turn = await standard.answer(QUESTION, three, scripted(*["no", "no", "no", "backups?"] * 20))
    assert turn.answer is None
    assert turn.usage["calls"] == 36


@pytest.mark.rule("golden")
async def test_one_model_answers_both_shapes_and_ours_asks_it_less():
    """golden: the same question and passages over HTTP, the same right answer; calls and tokens are counted on both sides."""
    embedder = HashEmbedder()
    memory = MemorySearch(TEXTS, embedder)
    with Oracle({QUESTION: [GOLD]}, embedder.count_tokens) as server:
        chat = Decider(resolve_chat("openai:oracle", base_url=server.base_url))
        usual = await standard.answer(QUESTION, three, chat)
        asked = len(server.asked)
        graph = build_graph(search=memory, search_tool=search_tool(memory), embedder=embedder, chat=chat)
        ours = await graph.ainvoke({"question": QUESTION})
        assert (usual.answer, usual.usage["calls"], asked) == ("Nightly backups are kept for 35 days.", 6, 6)
        assert (ours["status"], ours["answer"]) == ("answered", "Nightly backups are kept for 35 days. [1]")
        assert ours["usage"]["calls"] == len(server.asked) - asked < asked
        assert ours["usage"]["input_tokens"] > ours["usage"]["output_tokens"] > 0


def test_whatever_ends_a_run_early_all_have_had_their_share():
    assert in_turn([["a1", "a2", "a3"], ["b1"], ["c1", "c2"]]) == ["a1", "b1", "c1", "a2", "c2", "a3"]
    assert (mean([1, 2]), mean([])) == (1.5, None)
