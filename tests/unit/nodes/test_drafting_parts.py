"""A question of several parts is answered part by part, and what stays open is said."""

import json

import pytest
from turns import passage, runtime, turn

from nodes.cite import cite
from nodes.generate import generate
from nodes.quoting_parts import unmentioned
from nodes.structured import Decider
from retrievers.providers.fakes import HashEmbedder, ScriptedChat

KEPT = [
    passage("p1", "Backups are kept for 35 days.", heading_path=["Backups"]),
    passage("p2", "The kettle holds 1.7 litres.", title="Kitchen", heading_path=["Kettle"]),
]
PARTS = ["How long are backups kept?", "What does the kettle hold?", "Who repairs the printer?"]
WHOLE = "How long are backups kept, what does the kettle hold, and who repairs the printer?"
DAYS = {"text": "Backups are kept for 35 days.", "passage": 1, "quote": "Backups are kept for 35 days."}
LITRES = {"text": "The kettle holds 1.7 litres.", "passage": 2, "quote": "The kettle holds 1.7 litres."}


async def answered(reply=None, question=WHOLE, parts=PARTS, kept=KEPT):
    chat = ScriptedChat(replies=[json.dumps(reply)]) if reply is not None else None
    state = turn(question, kept=kept, sub_questions=parts)
    update = await generate(state, runtime(), chat=Decider(chat) if chat else None, embedder=HashEmbedder())
    done = turn(question, kept=update["kept"], sub_questions=parts, claims=update["claims"], unanswered=update["unanswered"])
    return await cite(done, runtime()), chat


@pytest.mark.rule("q-decompose")
async def test_the_model_is_shown_the_parts_and_says_which_it_cannot_answer():
    """q-decompose: partial, and the open part is named in the answer."""
    output, chat = await answered({"claims": [DAYS, LITRES], "unanswered": [3]})
    assert output["status"] == "partial"
    assert output["answer"] == (
        "Backups are kept for 35 days. [1] The kettle holds 1.7 litres. [2]\n\nThe documents do not answer: “Who repairs the printer?”"
    )
    assert output["reason"] == "not answered: Who repairs the printer?"
    assert "1. How long are backups kept?\n2. What does the kettle hold?\n3. Who repairs the printer?" in chat.prompts[0][1].text


@pytest.mark.parametrize("said", [[], [7], ["3."], 3, "part 3", None])
async def test_odd_numbers_of_open_parts_are_read_or_left_out(said):
    output, _ = await answered({"claims": [DAYS, LITRES], "unanswered": said})
    assert output["status"] == ("answered" if said in ([], [7], None) else "partial")


@pytest.mark.rule("q-decompose")
async def test_without_a_model_each_part_has_its_own_sentence_and_the_rest_is_said():
    """q-decompose: no passage holds the open part's own words."""
    output, _ = await answered()
    assert output["status"] == "partial"
    assert [citation["quote"] for citation in output["citations"]] == [DAYS["quote"], LITRES["quote"]]
    assert output["answer"].endswith("The documents do not answer: “Who repairs the printer?”")


@pytest.mark.rule("q-decompose")
async def test_an_open_part_is_named_in_japanese():
    """q-decompose: in the question's language."""
    kept = [passage("p1", "バックアップは35日間保存されます。", title="運用", heading_path=["バックアップ"])]
    parts = ["バックアップの保存期間は？", "プリンターの修理担当者は？"]
    output, _ = await answered(question="バックアップの保存期間とプリンターの修理担当者は？", parts=parts, kept=kept)
    assert output["status"] == "partial"
    assert output["answer"].endswith("次の点については、文書に答えがありません: 「プリンターの修理担当者は？」")


def test_words_that_all_parts_share_say_nothing_of_one():
    parts = ["What does the XR-1 cost?", "What does the XR-2 cost?"]
    assert unmentioned(parts, [passage("p1", "The XR-1 costs 9 euros.")]) == ["What does the XR-2 cost?"]
