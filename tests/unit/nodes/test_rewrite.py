"""Another query, never one that was tried; the user's question stays."""

import pytest
from memory_search import MemorySearch, Text
from turns import kinds, runtime, turn

from nodes.rewrite import rewrite
from nodes.structured import Decider
from retrievers.errors import DatabaseUnavailable, ProviderUnavailable
from retrievers.providers.fakes import HashEmbedder, ScriptedChat

BOLTS = Text("The mount bolts need 12 Nm.", "xr.md", "XR-4200", ("Torque specifications",))
QUESTION = "torqe of the mount bolts"


async def rewritten(replies=None, tried=(QUESTION,), error=None, question=QUESTION, **state):
    chat = Decider(ScriptedChat(replies=replies)) if replies is not None else None
    search = MemorySearch([BOLTS], HashEmbedder(), error=error)
    return await rewrite(turn(question, tried=list(tried), **state), runtime(), search=search, chat=chat)


@pytest.mark.rule("T4", "crag")
async def test_a_rewrite_is_counted():
    """T4, crag: counted in the state."""
    update = await rewritten(rewrites=1)
    assert update["rewrites"] == 2


async def test_the_corpus_rewords_without_a_model():
    assert (await rewritten())["query"] == "torque mount bolts"


@pytest.mark.rule("T29")
async def test_a_second_rewrite_differs_from_the_first():
    """T29: what was tried is not tried again."""
    update = await rewritten(tried=(QUESTION, "torque mount bolts"))
    assert update["query"] == "torque mount bolts Torque specifications"


@pytest.mark.rule("T29", "crag")
async def test_a_repeat_ends_the_loop_and_is_counted():
    """T29, crag: a repeat counts as the end."""
    tried = (QUESTION, "torque mount bolts", "torque mount bolts Torque specifications")
    update = await rewritten(tried=tried, rewrites=1)
    assert (update["rewrite_ended"], update["rewrites"]) == (True, 2)
    assert "query" not in update
    assert kinds(update) == ["limit"]


@pytest.mark.rule("T30")
async def test_the_users_question_is_not_touched():
    """T30: queries are a field of their own."""
    assert {"question", "standalone"}.isdisjoint(await rewritten())


@pytest.mark.rule("T29")
async def test_the_model_is_shown_what_was_tried_and_what_the_documents_hold():
    """T29: tried queries, words with their frequency, headings."""
    chat = ScriptedChat(replies=['{"query": "tightening torque"}'])
    search = MemorySearch([BOLTS], HashEmbedder())
    update = await rewrite(turn(QUESTION, tried=["first", "second"]), runtime(), search=search, chat=Decider(chat))
    asked = chat.prompts[0][1].text
    assert update["query"] == "tightening torque"
    assert "- first\n- second" in asked
    assert "- mount: 1" in asked
    assert "- Torque specifications" in asked


@pytest.mark.rule("T29")
@pytest.mark.parametrize(
    "reply", ['{"query": "TORQE of the  mount bolts?"}', '{"query": "ｔorqe of the mount bolts"}', '{"query": ""}', '{"query": " "}']
)
async def test_a_model_that_repeats_itself_or_has_nothing_new_ends_the_loop(reply):
    """T29: case, width, white space and the question mark make no new query."""
    assert (await rewritten([reply]))["rewrite_ended"] is True


@pytest.mark.rule("F2")
@pytest.mark.parametrize("reply", ["", "I would look for torque.", "<think>hmm", '{"q": 1}'])
async def test_a_reply_that_cannot_be_read_leaves_the_rewrite_to_the_corpus(reply):
    """F2: the declared default."""
    update = await rewritten([reply])
    assert update["query"] == "torque mount bolts"
    assert kinds(update)[0] == "unparsable"
    assert [(entry["step"], entry["cause"]) for entry in update["degraded"]] == [("rewrite", "the model's reply cannot be read")]


async def test_a_model_that_is_down_leaves_the_rewrite_to_the_corpus():
    update = await rewritten([ProviderUnavailable("down")])
    assert update["query"] == "torque mount bolts"
    assert update["degraded"][0]["step"] == "rewrite"


async def test_an_endless_query_is_cut():
    update = await rewritten(['{"query": "' + "x " * 900 + '"}'])
    assert len(update["query"]) <= 500


async def test_a_storage_error_is_raised():
    with pytest.raises(DatabaseUnavailable):
        await rewritten(error=DatabaseUnavailable("down"))


LACKS = {"sufficient": False, "confidence": 0.9, "missing": "the torque of the lid"}


@pytest.mark.rule("core-context", "crag", "T29")
async def test_the_model_is_told_what_is_missing():
    """core-context, crag, T29: beside the question and what was tried."""
    chat = ScriptedChat(replies=['{"query": "lid torque"}'])
    search = MemorySearch([BOLTS], HashEmbedder())
    update = await rewrite(turn(QUESTION, tried=[QUESTION], sufficiency=LACKS), runtime(), search=search, chat=Decider(chat))
    assert "Missing so far:\n- the torque of the lid\n" in chat.prompts[0][1].text
    assert (update["query"], update["trail"][0]["reason"]) == ("lid torque", "missing so far: the torque of the lid")


async def test_the_model_is_told_where_nothing_was_found_at_all():
    chat = ScriptedChat(replies=['{"query": "lid torque"}'])
    await rewrite(turn(QUESTION), runtime(), search=MemorySearch([BOLTS], HashEmbedder()), chat=Decider(chat))
    assert "- everything: no passage helped" in chat.prompts[0][1].text


@pytest.mark.rule("crag")
async def test_without_a_model_what_is_missing_leads_the_query():
    """crag: the documents hold it, so it is looked for first."""
    lacks = {"sufficient": False, "confidence": 0.9, "missing": "bolts"}
    update = await rewritten(question="the mount bolts torque", tried=("the mount bolts torque",), sufficiency=lacks)
    assert update["query"] == "bolts mount torque"


@pytest.mark.rule("crag", "F1")
async def test_without_a_model_what_the_documents_hold_nowhere_ends_the_loop():
    """crag, F1: no search more for a code that is not there."""
    question = "torque of the mount bolts, need Nm, XR-4300"
    lacks = {"sufficient": False, "confidence": 0.9, "missing": "XR-4300"}
    update = await rewritten(question=question, tried=(question,), sufficiency=lacks)
    assert (update["rewrite_ended"], update["trail"][0]["reason"]) == (True, "the documents do not hold: XR-4300")


async def test_a_kind_of_answer_is_no_search_word():
    lacks = {"sufficient": False, "confidence": 0.9, "missing": "a number"}
    assert (await rewritten(sufficiency=lacks))["query"] == "torque mount bolts"
