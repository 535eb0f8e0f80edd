"""Entities are read by number, with what is odd left out; what is no entry of a text is none."""

import json

import pytest

from nodes.extracting import ChatReader
from nodes.structured import Decider
from retrievers.entities import GraphText
from retrievers.providers.fakes import ScriptedChat
from retrievers.said import Most, SaidName, SaidRelation, SaidText

TEXTS = [GraphText(1, "Notes", ("Harbour",), "Ada Quill came.", "en"), GraphText(2, "Notes", (), "A mill.", "en")]


async def read(reply, texts=TEXTS, most=Most()):  # noqa: B008
    chat = ScriptedChat(replies=[reply])
    return await ChatReader(Decider(chat)).read(texts, most), chat


@pytest.mark.rule("kg")
async def test_entries_come_as_the_model_gave_them_with_what_they_cost():
    """kg: in its order, by number."""
    said, _ = await read(
        '{"texts": [{"id": 2, "entities": [], "relations": []}, {"id": 1, "entities": [{"name": "Ada", "kind": "person"}], '
        '"relations": [{"head": "Ada", "predicate": "came", "tail": "Brenn", "quote": "came"}]}]}'
    )
    assert said.texts == [
        SaidText(2, [], []),
        SaidText(1, [SaidName("Ada", "person")], [SaidRelation("Ada", "came", "Brenn", "came")]),
    ]
    assert (said.spent["calls"], said.spent["output_tokens"] > 0, said.cut) == (1, True, False)


@pytest.mark.rule("kg", "F2")
@pytest.mark.parametrize(
    ("given", "kind"), [("Person", "person"), (" code ", "code"), ("animal", "name"), (None, "name"), (7, "name"), ([], "name")]
)
async def test_a_kind_that_is_not_known_says_no_more_than_that_it_is_a_name(given, kind):
    """kg, F2: and costs no entity."""
    said, _ = await read(json.dumps({"texts": [{"id": 1, "entities": [{"name": "Ada", "kind": given}]}]}))
    assert said.texts[0].names == [SaidName("Ada", kind)]


@pytest.mark.rule("kg", "F2")
@pytest.mark.parametrize("said", ["yes", '{"texts": "none"}', '{"texts": [7]}', '{"texts": [{"id": 1}]}', '{"answer": "Ada"}', "[1, 2]"])
async def test_what_cannot_be_read_has_no_entries_and_is_quoted(said):
    """kg, F2: nothing is made up for it."""
    reply, _ = await read(said)
    assert (reply.texts, reply.said) == (None, said)


@pytest.mark.rule("T27", "F17", "kg")
async def test_texts_are_fenced_with_a_code_that_none_of_them_can_know():
    """T27, F17, kg: numbered from 1, title and headings inside."""
    prompts = [(await read('{"texts": []}'))[1].prompts[0][1].text for _ in range(2)]
    assert ' id="1">\nNotes > Harbour\n\nAda Quill came.\n</text-' in prompts[0]
    assert ' id="2">\nNotes\n\nA mill.\n</text-' in prompts[0]
    assert prompts[0] != prompts[1]


@pytest.mark.rule("kg", "cjk")
@pytest.mark.parametrize(("languages", "word"), [("en ja ja", "例。"), ("en en ja", "Example."), ("zh zh", "Example."), ("xx", "Example.")])
async def test_the_example_is_in_the_language_of_most_texts(languages, word):
    """kg, cjk: the English one where the language has none."""
    texts = [GraphText(1, "t", (), "w", language) for language in languages.split()]
    _, chat = await read('{"texts": []}', texts)
    assert word in chat.prompts[0][0].text


@pytest.mark.rule("kg")
async def test_the_prompt_is_counted_before_it_is_sent():
    """kg: rather too many tokens than too few."""
    reader = ChatReader(Decider(ScriptedChat(replies=[])))
    assert reader.tokens(TEXTS) > 300
    japanese = [GraphText(1, "題", (), "灯台" * 500, "ja")]
    assert reader.tokens(japanese) > 1000 + reader.tokens([GraphText(1, "題", (), "", "ja")]) - 5


@pytest.mark.rule("kg")
async def test_a_reply_that_is_as_long_as_was_allowed_and_cannot_be_read_was_cut():
    """kg: by the limit, and not by the model."""
    prompt = ChatReader(Decider(ScriptedChat(replies=[]))).tokens(TEXTS)
    said, _ = await read('{"texts": [{"id"', most=Most(tokens=prompt + 2))
    assert (said.texts, said.cut) == (None, True)
