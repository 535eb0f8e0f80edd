"""A whole turn with a model over the store: found small, read in its context, quoted from the stored text."""

import json

import pytest
from ingesting import ingestion, write

from graphs.rag import build_graph
from nodes.knobs import Knobs
from nodes.structured import Decider
from retrievers.explaining import ExplainedSearch
from retrievers.providers.fakes import HashEmbedder, ScriptedChat
from retrievers.reading import StoreReader
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.tools import search_tool

MANUAL = """# Pump manual

## Seals

### Kind

The seal of the pump is made of rubber.

### Interval

Replace it every eleven months.

## Motor

Oil the motor of the crane.
"""

BESIDE = {"text": "Every eleven months.", "passage": 1, "quote": "Replace it every eleven months."}
FOUND = {"text": "Of rubber.", "passage": 1, "quote": "The seal of the pump is made of rubber."}
QUESTION = "seal of the pump made of rubber"


@pytest.fixture
def asked(database, scope, tmp_path):
    """Run one turn over the manual with the scripted model: (the model, the output)."""

    embedder = HashEmbedder()

    async def ask(claim, **knobs):
        await ingestion(database, embedder).ingest(scope, "default", [write(tmp_path, {"manual.md": MANUAL})])
        search = ExplainedSearch(database, embedder, EmbeddingCache(database), scope)
        replies = [{"verdicts": [{"id": 1, "relevant": True}]}, {"claims": [claim]}]
        chat = ScriptedChat(replies=[json.dumps(reply) for reply in replies])
        reader = StoreReader(database, embedder, scope)
        graph = build_graph(search=search, search_tool=search_tool(search), embedder=embedder, reader=reader, chat=Decider(chat))
        output = await graph.ainvoke({"question": QUESTION}, context=Knobs(top_k=1, **knobs))
        return chat, output

    return ask


@pytest.mark.rule("core-context", "F16")
async def test_the_answer_may_stand_beside_what_was_found(asked, database, scope):
    """core-context, F16: the quote is in the neighbour; its citation has the neighbour's id and headings and its place in the document."""
    chat, output = await asked(BESIDE)
    grading, drafting = (prompt[1].text for prompt in chat.prompts[-2:])
    assert ("eleven months" in grading, "eleven months" in drafting, "crane" in drafting) == (False, True, False)
    (citation,) = output["citations"]
    assert (output["status"], citation["heading_path"], citation["verified"]) == ("answered", ["Seals", "Interval"], True)
    assert MANUAL[citation["start"] : citation["end"]] == citation["quote"] == "Replace it every eleven months."
    reading = await StoreReader(database, HashEmbedder(), scope).read([citation["id"]])
    assert reading["passages"][0]["text"] == "Replace it every eleven months."


async def test_with_no_tokens_to_spare_the_model_reads_what_was_found(asked):
    chat, _ = await asked(FOUND, passage_tokens=0)
    assert "eleven months" not in chat.prompts[1][1].text
