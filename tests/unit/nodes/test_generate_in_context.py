"""A model reads the kept passages with what stands around them; nothing else does."""

import json

import pytest
from turns import kinds, passage, runtime, turn

from nodes.cite import cite
from nodes.generate import generate
from nodes.structured import Decider
from retrievers.errors import DatabaseUnavailable, ProviderUnavailable
from retrievers.providers.fakes import HashEmbedder, ScriptedChat

SMALL = passage("p2", "Backups are kept for 35 days.", start=140, heading_path=["Backups", "Nightly"])
WIDE_TEXT = "All clocks run on UTC.\n\nBackups are kept for 35 days."
WIDE = {
    **SMALL,
    "text": WIDE_TEXT,
    "start": 116,
    "end": 116 + len(WIDE_TEXT),
    "heading_path": ["Backups", "Clocks"],
    "page": 1,
    "token_count": 12,
    "parts": [
        {"id": "p1", "heading_path": ["Backups", "Clocks"], "page": 1, "start": 116, "end": 138},
        {"id": "p2", "heading_path": ["Backups", "Nightly"], "page": 2, "start": 140, "end": 169},
    ],
}
DAYS = {"text": "35 days.", "passage": 1, "quote": "Backups are kept for 35 days."}
UTC = {"text": "The clocks run on UTC.", "passage": 1, "quote": "All clocks run on UTC."}


class Around:
    """A reader that widens to what it is given, or raises it, and keeps what it was asked."""

    def __init__(self, wide):
        self.wide = wide
        self.asked = []

    async def widen(self, passages, **given):
        self.asked.append({"passages": [passage["id"] for passage in passages], **given})
        if isinstance(self.wide, Exception):
            raise self.wide
        return self.wide


async def generated(reader, replies, *, knobs=None, **state):
    chat = ScriptedChat(replies=replies)
    update = await generate(
        turn(**{"kept": [SMALL], **state}), runtime(**(knobs or {})), chat=Decider(chat), embedder=HashEmbedder(), reader=reader
    )
    return update, chat


def reply(*claims):
    return json.dumps({"claims": claims})


@pytest.mark.rule("core-context")
async def test_the_prompt_holds_the_wide_text_and_claims_are_checked_against_it():
    """core-context: embedded small, read in its context; the citation names the chunk, the headings and the page of the quote itself."""
    reader = Around([WIDE])
    update, chat = await generated(reader, [reply(UTC)])
    assert WIDE_TEXT in chat.prompts[0][1].text
    assert (update["kept"], update["claims"]) == ([WIDE], [UTC])
    answer = await cite(turn(kept=update["kept"], claims=update["claims"]), runtime())
    (citation,) = answer["citations"]
    assert (citation["id"], citation["heading_path"], citation["page"]) == ("p1", ["Backups", "Clocks"], 1)
    assert (citation["quote"], citation["start"], citation["end"], citation["verified"]) == ("All clocks run on UTC.", 116, 138, True)


async def test_a_quote_of_the_found_chunk_itself_is_cited_with_its_own_place():
    (citation,) = (await cite(turn(kept=[WIDE], claims=[DAYS]), runtime()))["citations"]
    assert (citation["id"], citation["heading_path"], citation["page"], citation["start"]) == ("p2", ["Backups", "Nightly"], 2, 140)


@pytest.mark.rule("self-rag", "T1")
async def test_what_the_grade_dropped_is_named_to_the_reader():
    """self-rag, T1: in this round and in earlier ones."""
    reader = Around([WIDE])
    grades = [{"id": "p2", "relevant": True, "reason": ""}, {"id": "p9", "relevant": False, "reason": ""}]
    rejected = [{"id": "p8", "document": "ops.md", "score": 0.1, "why": ""}]
    await generated(reader, [reply(UTC)], grades=grades, rejected=rejected, knobs={"passage_tokens": 300, "collection": "ops"})
    assert reader.asked == [{"passages": ["p2"], "each": 300, "total": 6000, "without": {"p8", "p9"}, "collection": "ops"}]


@pytest.mark.rule("R13", "core-pipeline")
async def test_a_database_that_is_down_by_then_leaves_the_passages_as_they_were_found():
    """R13, core-pipeline: a fallback that shows."""
    update, chat = await generated(Around(DatabaseUnavailable("the database is down")), [reply(DAYS)])
    assert SMALL["text"] in chat.prompts[0][1].text
    assert update["degraded"] == [{"step": "generate", "cause": "the database is down", "fallback": "the passages as they were found"}]
    assert kinds(update)[0] == "fallback"


@pytest.mark.rule("F19")
async def test_without_a_model_only_what_was_found_and_judged_is_quoted():
    """F19: nobody graded what stands around; nothing is read for nobody."""
    reader = Around([WIDE])
    update = await generate(turn(kept=[SMALL]), runtime(), chat=None, embedder=HashEmbedder(), reader=reader)
    assert (update["kept"], update["claims"][0]["quote"], reader.asked) == ([SMALL], "Backups are kept for 35 days.", [])


@pytest.mark.rule("F19")
async def test_a_model_that_fails_leaves_the_quotes_to_what_was_found():
    """F19: the rules do not quote from the wide text either."""
    update, _ = await generated(Around([WIDE]), [ProviderUnavailable("status 500")], question="Which time do the clocks run on?")
    assert (update["kept"], [claim["quote"] for claim in update["claims"]]) == ([SMALL], ["Backups are kept for 35 days."])


async def test_a_model_that_has_failed_before_is_not_read_to():
    reader = Around([WIDE])
    failed = [{"step": "grade", "cause": "status 500", "fallback": "the threshold alone decides"}]
    await generated(reader, [], degraded=failed)
    assert reader.asked == []
