"""The stand-ins are deterministic and loud."""

import numpy as np
import pytest
from langchain_core.messages import HumanMessage

from retrievers.providers.fakes import FixedReranker, FixedWeb, HashEmbedder, ScriptedChat, ScriptEmpty


async def test_hash_embedder_gives_the_same_numbers_in_every_process():
    vector = await HashEmbedder().embed_query("green tea")
    assert vector[:3].tolist() == pytest.approx([-0.000711, -0.156874, 0.084180], abs=1e-6)


async def test_hash_embedder_gives_unit_rows_near_where_words_are_shared():
    embedder = HashEmbedder()
    rows = await embedder.embed_passages(["the torque is 12 Nm", "トルクは12Nmです", "a cat"])
    query = await embedder.embed_query("what torque")
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1], abs=1e-6)
    assert int(np.argmax(rows @ query)) == 0


async def test_hash_embedder_gives_no_rows_for_no_texts():
    assert (await HashEmbedder().embed_passages([])).shape == (0, 64)


async def test_scripted_chat_raises_when_its_script_is_empty():
    chat = ScriptedChat(replies=["one"])
    assert (await chat.ainvoke([HumanMessage("first")])).text == "one"
    with pytest.raises(ScriptEmpty, match="second"):
        await chat.ainvoke([HumanMessage("second")])


async def test_scripted_chat_records_prompts_and_counts_tokens():
    chat = ScriptedChat(replies=["two words"])
    reply = await chat.ainvoke([HumanMessage("one two three")])
    assert [message.text for message in chat.prompts[0]] == ["one two three"]
    assert reply.usage_metadata == {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}


async def test_fixed_web_cuts_at_the_limit():
    page = {"url": "https://example.org", "title": "t", "text": "x", "score": None}
    assert await FixedWeb([page, page]).search("q", limit=1) == [page]


async def test_fixed_reranker_scores_by_text_best_first():
    assert (await FixedReranker({"b": 0.9}).rerank("q", ["a", "b"])).scores == [{"index": 1, "score": 0.9}, {"index": 0, "score": 0.0}]
