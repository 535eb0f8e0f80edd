"""Without a model the best sentences are quoted as they stand."""

import pytest
from turns import passage

from nodes.quoting import EMBEDDED, quote
from retrievers.errors import ProviderError
from retrievers.providers.fakes import HashEmbedder


async def quoted(question, *passages, embedder=None):
    claims, _ = await quote(question, passages, embedder or HashEmbedder())
    return claims


async def texts(question, *passages):
    return [claim["text"] for claim in await quoted(question, *passages)]


@pytest.mark.rule("core-basic")
async def test_the_sentence_that_answers_is_quoted_verbatim_with_its_passage():
    """core-basic: words of the document, nothing else."""
    claims = await quoted(
        "How long are nightly backups kept?",
        passage("p1", "The safe is grey. Nobody opens it at night."),
        passage("p2", "Backups start at 02:30.  Nightly backups\nare kept for 35 days. They are checked."),
    )
    assert claims == [{"text": "Nightly backups are kept for 35 days.", "passage": 2, "quote": "Nightly backups\nare kept for 35 days."}]


async def test_japanese_is_answered_in_japanese():
    found = passage(text="茶房は9時に開きます。観測ドームの鍵は受付に返してください。雨の日は閉めます。", heading_path=["鍵"])
    assert await texts("観測ドームの鍵はどこに返しますか？", found) == ["観測ドームの鍵は受付に返してください。"]


async def test_a_second_sentence_comes_for_the_other_half_of_the_question_only():
    found = passage(text="Backups are kept for 35 days. A restore takes 40 minutes. Backups are grey.", heading_path=[])
    both = ["Backups are kept for 35 days.", "A restore takes 40 minutes."]
    assert await texts("How long are backups kept, and how long does a restore take?", found) == both
    assert await texts("How long are backups kept?", found) == both[:1]


async def test_both_halves_of_a_japanese_question_are_answered():
    found = passage(text="返品期間は30日です。送料はお客様の負担です。茶房は9時に開きます。", heading_path=[])
    assert await texts("返品期間と送料は？", found) == ["返品期間は30日です。", "送料はお客様の負担です。"]


async def test_a_code_block_is_not_torn_and_brings_its_lead_in():
    block = "Stop the shop before you restore:\n\n```sh\nsystemctl stop shop\n\nrestore-shop --verify\n```"
    assert await texts("How do I restore the shop?", passage(text=f"It is big.\n\n{block}\n\nThen rest.")) == [block]


async def test_a_list_of_steps_is_not_torn():
    steps = "1. Park the mount.\n2. Open the cover.\n\n   Mind the cable.\n3. Apply the grease."
    found = passage(text=f"# Greasing\n\n{steps}\n\nRest.", heading_path=["Greasing"])
    assert await texts("How do I apply grease to the mount?", found) == [steps]


async def test_a_table_row_comes_with_the_names_of_its_columns():
    found = passage(text="| Code | Meaning |\n|---|---|\n| E-17 | encoder lost |\n| E-23 | **motor** too warm |")
    claims = await quoted("What does E-23 mean?", found)
    assert claims[0]["text"] == "Code: E-23 · Meaning: motor too warm"
    assert claims[0]["quote"] == "| E-23 | **motor** too warm |"


async def test_a_question_in_the_text_is_no_answer_but_leads_to_it():
    found = passage(
        text="Q: Can I return opened tea?\nA: No, it stays with you.\n\nQ: Is there parking?\nA: Yes, behind the house.", heading_path=[]
    )
    assert await texts("Can I return opened tea?", found) == ["A: No, it stays with you."]


async def test_a_heading_that_asks_is_answered_by_the_sentence_under_it():
    found = passage(text="Yes. Each night has room for 24 guests. Tea is served.", heading_path=["Do I need a reservation?"])
    assert await texts("Do I need a reservation?", found) == ["Yes. Each night has room for 24 guests."]


async def test_a_sentence_that_depends_on_its_heading_is_found():
    first = passage("p1", "Unused things go back within 14 days.", heading_path=["Teaware returns"])
    second = passage("p2", "Unused things are thrown away.", heading_path=["Waste"])
    assert await texts("teaware returns", first, second) == ["Unused things go back within 14 days."]


async def test_markup_is_left_out_of_the_text_and_kept_in_the_quote():
    claims = await quoted("Where is the manual?", passage(text="The **manual** is [here](https://example.org/m)."))
    assert claims == [{"text": "The manual is here.", "passage": 1, "quote": "The **manual** is [here](https://example.org/m)."}]


async def test_a_heading_alone_is_no_answer():
    assert await texts("Backups", passage(text="# Backups\n\n---\n")) == []


async def test_a_heading_that_stands_in_the_text_as_a_line_is_no_answer():
    found = passage(text="Building Indexes Concurrently\n\nUse the option CONCURRENTLY.", heading_path=["Building Indexes Concurrently"])
    assert await texts("building indexes concurrently", found) == ["Use the option CONCURRENTLY."]


async def test_a_caption_that_says_no_more_than_the_question_is_no_answer():
    found = passage(text="Transaction Isolation Levels\n\nRead committed is the default.")
    assert await texts("What is the default transaction isolation level?", found) == ["Read committed is the default."]


async def test_a_sentence_that_repeats_the_question_answers_it():
    assert await texts("Can the dome be opened in rain?", passage(text="The dome can be opened in rain.")) == [
        "The dome can be opened in rain."
    ]


async def test_a_follow_up_asks_for_its_own_topic():
    table = passage(text="玉露は50度の湯で2分間抽出します。ほうじ茶は95度の湯で30秒抽出します。", language="ja")
    claims, _ = await quote("玉露の湯の温度は何度ですか？ では、ほうじ茶は？", [table], HashEmbedder(), follow_up="では、ほうじ茶は？")
    assert claims[0]["text"] == "ほうじ茶は95度の湯で30秒抽出します。"


async def test_few_sentences_are_embedded_whatever_the_passages_hold():
    embedder = HashEmbedder()
    long = passage(text=" ".join(f"Backup number {number} is kept." for number in range(60)))
    await quoted("Which backup is kept?", long, long, embedder=embedder)
    assert len(embedder.passages) == EMBEDDED


async def test_without_the_embedder_words_alone_choose():
    class Broken(HashEmbedder):
        async def embed_query(self, text):
            raise ProviderError("the embedder is down")

    claims, failure = await quote("backups kept", [passage(text="It rains. Backups are kept.")], Broken())
    assert (claims[0]["text"], failure) == ("Backups are kept.", "the embedder is down")


@pytest.mark.rule("core-basic")
async def test_the_first_sentence_comes_from_the_passage_that_was_ranked_first():
    """core-basic: unless another passage has a much better one; a part of a question is not what the passages were ranked for."""
    answering = passage("a", "The archive opens at nine. It closes late.", absolute=1.0)
    nearby = passage("b", "When the archive opens is told at the gate.", absolute=0.8)
    question = "When does the archive open?"
    (first, *_), _ = await quote(question, [answering, nearby], HashEmbedder())
    assert first["passage"] == 1
    (first, *_), _ = await quote(question, [answering, nearby], HashEmbedder(), part=True)
    assert first["passage"] == 2


async def test_what_a_chosen_sentence_stands_under_is_said_already():
    """The product's name stands in the title: a sentence that repeats it adds nothing."""
    under = {"title": "Aqua A100 pump manual", "heading_path": ["Warranty"]}
    found = passage("w", "The warranty covers two years from the date of purchase.", absolute=1.0, **under)
    other = passage("s", "The Aqua A100 delivers 20 litres per minute.", absolute=0.9, **{**under, "heading_path": ["Specifications"]})
    claims, _ = await quote("What is the warranty of the Aqua A100?", [found, other], HashEmbedder())
    assert [claim["passage"] for claim in claims] == [1]


async def test_among_sentences_of_the_same_words_the_kind_of_answer_asked_for_is_quoted():
    text = "The dome opens with the lever. The dome opens at nine in the morning."
    assert "The dome opens at nine in the morning." in await texts("When does the dome open?", passage(text=text, heading_path=[]))


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("How heavy is the drill?", "The drill is grey. The drill weighs 2.4 kg.", "The drill weighs 2.4 kg."),
        ("ドリルの重さは？", "ドリルは重い作業にも向いています。ドリルは2.4kgです。", "ドリルは2.4kgです。"),
    ],
)
async def test_a_number_with_a_fitting_unit_answers_a_question_for_a_measure(question, text, answer):
    assert answer in await texts(question, passage(text=text, heading_path=[]))
