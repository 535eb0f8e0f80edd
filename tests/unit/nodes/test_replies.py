"""What is complete of a reply can be used before it ends, and after it was cut off."""

import json

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel
from turns import passage, runtime, turn

from nodes import replies
from nodes.generate import generate
from nodes.replies import entries_so_far, value_in
from nodes.structured import Decider
from retrievers.providers.fakes import HashEmbedder, ScriptedChat

CLAIM = {"text": "For 35 days.", "passage": 1, "quote": "Backups are kept for 35 days."}
WHOLE = json.dumps({"claims": [CLAIM, {"text": "Second {brace}.", "passage": 1, "quote": None}]})


@pytest.mark.parametrize(
    ("said", "complete"),
    [
        ("", 0),
        ('{"claims": [', 0),
        (WHOLE[: WHOLE.index("}")], 0),
        (WHOLE[: WHOLE.index("}") + 1], 1),
        (WHOLE[:-3], 1),
        (WHOLE[:-2], 2),
        (WHOLE, 2),
        (f"Here it is:\n```json\n{WHOLE}\n```", 2),
        (f"<think>claims: [{{</think>{WHOLE}", 2),
        (f'<think>"claims": [{WHOLE}', 0),
        (json.dumps([CLAIM])[:-1], 1),
        ('{"other": [{"a": 1}]}', 0),
    ],
)
def test_the_complete_entries_of_a_growing_reply(said, complete):
    assert len(entries_so_far(said, 12)) == complete


class Parts(BaseModel):
    """What is read in these tests."""

    parts: list[str]


@pytest.mark.parametrize("said", ["{" * 2_000_000, '{"parts": ' + "[" * 100_000, '{"parts": [{}, ' * 50_000, '{"a": 1} ' * 50_000])
@pytest.mark.rule("F2")
def test_reading_a_reply_costs_the_same_however_it_is_made(said, monkeypatch):
    """F2: at most fifty-one starts of at most 200,000 characters, also for brackets that never end."""
    tried = []
    monkeypatch.setattr(replies, "_loaded", lambda text, load=replies._loaded: tried.append(len(text)) or load(text))
    assert value_in(Parts, AIMessage(said), None, None) is None
    assert len(tried) <= 51
    assert max(tried) <= 200_000


@pytest.mark.parametrize("before", ["", "{" * 300, "{a} " * 24])
def test_json_is_found_behind_braces_in_the_prose(before):
    assert value_in(Parts, AIMessage(before + '{"parts": ["a"]}'), None, None) == Parts(parts=["a"])


def test_json_is_found_before_braces_in_the_prose():
    assert value_in(Parts, AIMessage('{"parts": ["a"]}' + " {b" * 300), None, None) == Parts(parts=["a"])


def test_brackets_without_end_are_no_entries():
    assert entries_so_far('{"claims": [{"text": ' + "[" * 100_000, 12) == []


def test_the_entries_of_a_growing_reply_are_bounded():
    assert len(entries_so_far('{"claims": [' + '{"text": "a"}, ' * 50, 12)) == 12


@pytest.mark.rule("F2", "T31")
async def test_a_draft_that_was_cut_off_keeps_its_complete_claims():
    """F2, T31: what is whole is not thrown away."""
    chat = ScriptedChat(replies=[WHOLE[:-20]])
    update = await generate(turn(kept=[passage()]), runtime(), chat=Decider(chat), embedder=HashEmbedder())
    assert update["claims"] == [CLAIM]


@pytest.mark.parametrize(
    ("question", "language", "example"),
    [
        ("How long are backups kept?", "English", "Descale"),
        ("バックアップの保存期間は？", "Japanese", "図書室"),
        ("备份保留多长时间？这是一个问题吗？", "Chinese", "除垢"),
        ("백업은 얼마나 오래 보관되나요?", "Korean", "주전자"),
    ],
)
@pytest.mark.rule("cjk")
async def test_the_answer_is_asked_for_in_the_questions_language(question, language, example):
    """cjk: by name, with examples in that language."""
    chat = ScriptedChat(replies=['{"claims": []}'])
    await generate(turn(question, kept=[passage()]), runtime(), chat=Decider(chat), embedder=HashEmbedder())
    system, asked = chat.prompts[0]
    assert f'Write "text" in {language}.' in asked.text
    assert example in system.text


@pytest.mark.rule("core-context")
async def test_the_passages_fit_into_three_quarters_of_a_known_window():
    """core-context: a model of 400 tokens gets 300 of them as passages, best first."""
    kept = [passage(f"p{number}", f"Backup rule {number} is kept.", token_count=140) for number in range(5)]
    chat = ScriptedChat(replies=['{"claims": []}'], profile={"max_input_tokens": 400})
    await generate(turn(kept=kept), runtime(), chat=Decider(chat), embedder=HashEmbedder())
    asked = chat.prompts[0][1].text
    assert ("Backup rule 1" in asked, "Backup rule 2" in asked) == (True, False)


@pytest.mark.rule("core-context")
async def test_one_passage_that_is_too_long_alone_is_cut():
    """core-context: a web page has any length."""
    long = passage("p1", "Backups are kept for 35 days. " * 4000, token_count=32_000)
    chat = ScriptedChat(replies=[json.dumps({"claims": [CLAIM]})])
    update = await generate(turn(kept=[long]), runtime(), chat=Decider(chat), embedder=HashEmbedder())
    assert len(chat.prompts[0][1].text) < 120_000 / 32_000 * 6000 * 1.2
    assert update["claims"] == [CLAIM]
