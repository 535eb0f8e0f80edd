"""A caller's budget ends a turn with the best answer from what was gathered, whichever step it runs out in."""

import asyncio
import json
import time

import pytest
from memory_search import MemorySearch, Text

from graphs.rag import build_graph
from nodes.structured import Decider
from retrievers.providers.fakes import FixedWeb, HashEmbedder, ScriptedChat
from retrievers.tools import search_tool, web_tool

TEXTS = [
    Text("Nightly backups are kept for 35 days. They start at 02:30.", "ops.md", "Operations", ("Backups",)),
    Text("The XR-4200 head bolts take 12 Nm. The base takes 8 Nm.", "xr.md", "XR-4200", ("Torque specifications",)),
]
DAYS = "How long are nightly backups kept?"
QUOTE = "Nightly backups are kept for 35 days."
CUP = "Who won the 1998 football world cup?"
PAGE = {"url": "https://example.org/cup", "title": "World cup", "text": "France won the 1998 football world cup.", "score": 0.9}
YES = '{"verdicts": [{"id": 1, "relevant": true}], "sufficient": true, "confidence": 0.9, "missing": ""}'
LACKS = '{"verdicts": [{"id": 1, "relevant": true}], "sufficient": false, "confidence": 0.9, "missing": "the price"}'
ANSWER = json.dumps({"claims": [{"text": "For 35 days.", "passage": 1, "quote": QUOTE}]})
MADE_UP = json.dumps({"claims": [{"text": "For 99 days.", "passage": 1, "quote": "Backups are kept for 99 days."}]})

TOLERANCE_S = 1.0
"""On top of the deadline: a loaded machine."""


class Hangs:
    """A search, a web, an embedder or a model that does not answer within a test, from its nth call on."""

    def __init__(self, inner, method, after=0):
        self._inner, self._method, self._after = inner, method, after

    def __getattr__(self, name):
        found = getattr(self._inner, name)
        if name != self._method:
            return found

        async def hanging(*args, **kwargs):
            self._after -= 1
            return await found(*args, **kwargs) if self._after >= 0 else await asyncio.sleep(30)

        return hanging


class HangingChat(ScriptedChat):
    """Hangs once its script is used up."""

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        if not self.replies:
            await asyncio.sleep(30)
        return await super()._agenerate(messages, stop, run_manager, **kwargs)


async def ask(question, *, chat=None, web=None, search=None, embedder=None, **context):
    memory = MemorySearch(TEXTS, HashEmbedder())
    graph = build_graph(
        search=search(memory) if search else memory,
        search_tool=search_tool(search(memory) if search else memory),
        embedder=embedder(memory.embedder) if embedder else memory.embedder,
        web_tool=web_tool(web) if web else None,
        chat=Decider(chat) if chat else None,
    )
    started = time.perf_counter()
    output = await graph.ainvoke({"question": question}, context=context)
    return output, time.perf_counter() - started


def limits(output):
    return [(event["step"], event["decision"]) for event in output["trail"] if event["kind"] == "limit"]


@pytest.mark.rule("limit")
@pytest.mark.parametrize(
    ("calls", "script", "status", "said", "stopped"),
    [
        (0, [], "budget_exhausted", f"{QUOTE} [1]", ["grade", "generate"]),
        (1, [YES], "budget_exhausted", f"{QUOTE} [1]", ["generate"]),
        (2, [YES, ANSWER], "answered", "For 35 days. [1]", []),
    ],
    ids=["grade", "generate", "enough"],
)
async def test_a_limit_of_calls_holds_in_the_step_that_it_ends(calls, script, status, said, stopped):
    """limit: the step's rules decide in place of the model."""
    output, _ = await ask(DAYS, chat=ScriptedChat(replies=script), max_model_calls=calls)
    assert (output["status"], output["answer"], output["usage"]["calls"]) == (status, said, calls)
    assert [step for step, _ in limits(output)] == stopped


@pytest.mark.rule("limit")
async def test_a_repair_that_the_limit_forbids_is_skipped_and_the_supported_draft_stays():
    """limit: an optional stage; what is left of the draft has its own status."""
    both = json.dumps({"claims": [json.loads(ANSWER)["claims"][0], json.loads(MADE_UP)["claims"][0]]})
    output, _ = await ask(DAYS, chat=ScriptedChat(replies=[YES, both]), max_model_calls=2)
    assert (output["status"], output["answer"]) == ("partial", "For 35 days. [1]")
    assert limits(output) == [("generate", "the first draft stays")]


@pytest.mark.rule("limit", "S14")
@pytest.mark.parametrize("tokens", [0, 50, 200, 400, 800, 1600, 3200])
async def test_a_limit_of_tokens_is_never_passed(tokens):
    """limit, S14: a prompt is estimated before it is sent."""
    output, _ = await ask(DAYS, chat=ScriptedChat(replies=[YES, ANSWER]), max_tokens=tokens)
    assert output["usage"]["input_tokens"] + output["usage"]["output_tokens"] <= tokens
    assert output["status"] in ("answered", "budget_exhausted")
    assert output["citations"][0]["quote"] == QUOTE


@pytest.mark.rule("limit", "R13")
@pytest.mark.parametrize("script", [[], [YES]], ids=["grade", "generate"])
async def test_a_model_that_hangs_leaves_time_to_quote(script):
    """limit, R13: its call ends with a reserve for the quick end."""
    output, seconds = await ask(DAYS, chat=HangingChat(replies=script), deadline_s=2.0)
    assert seconds < 2.0 + TOLERANCE_S
    assert (output["status"], output["answer"]) == ("budget_exhausted", f"{QUOTE} [1]")
    assert "the time that the caller allows is over" in output["reason"]
    assert output["degraded"] == []


@pytest.mark.rule("limit", "R13")
async def test_a_search_that_hangs_is_given_up():
    """limit, R13: with nothing gathered, in time, and never "nothing found" alone."""
    output, seconds = await ask(DAYS, search=lambda memory: Hangs(memory, "search"), deadline_s=0.6)
    assert seconds < 0.6 + TOLERANCE_S
    assert (output["status"], output["citations"]) == ("budget_exhausted", [])
    assert ("retrieve", "given up") in limits(output)


@pytest.mark.rule("limit", "R13")
async def test_a_deeper_search_that_hangs_leaves_what_was_gathered_before():
    """limit, R13: the second search is given up, the first one's passage is quoted."""
    script = [LACKS.replace("0.9", "0.5"), *[ANSWER] * 3]
    output, seconds = await ask(
        DAYS, chat=HangingChat(replies=script), search=lambda memory: Hangs(memory, "search", after=1), deadline_s=2.5, top_k=1
    )
    assert seconds < 2.5 + TOLERANCE_S
    assert (output["status"], output["citations"][0]["quote"]) == ("budget_exhausted", QUOTE)


@pytest.mark.rule("limit", "R13", "F25")
async def test_a_web_that_hangs_is_given_up():
    """limit, R13, F25: an abstention in time."""
    output, seconds = await ask(CUP, web=Hangs(FixedWeb([PAGE]), "search"), deadline_s=1.0)
    assert seconds < 1.0 + TOLERANCE_S
    assert output["status"] == "budget_exhausted"
    assert ("web_search", "given up") in limits(output)


@pytest.mark.rule("limit", "R13")
async def test_an_embedder_that_hangs_at_the_end_leaves_quotes_by_words():
    """limit, R13: in what is left of the time."""
    output, seconds = await ask(DAYS, embedder=lambda embedder: Hangs(embedder, "embed_passages"), deadline_s=1.0)
    assert seconds < 1.0 + TOLERANCE_S
    assert (output["status"], output["citations"][0]["quote"]) == ("budget_exhausted", QUOTE)


async def test_a_deadline_that_is_not_reached_changes_nothing():
    output, _ = await ask(DAYS, deadline_s=60.0)
    assert (output["status"], output["answer"], limits(output)) == ("answered", f"{QUOTE} [1]", [])


@pytest.mark.rule("limit")
async def test_small_talk_without_a_call_left_is_a_fixed_sentence():
    """limit: direct stays direct."""
    output, _ = await ask("Hello!", chat=ScriptedChat(replies=[]), max_model_calls=0)
    assert (output["status"], limits(output)) == ("direct", [("generate", "a fixed sentence")])


@pytest.mark.rule("core-context")
async def test_a_sure_lack_is_an_abstention_that_names_what_is_missing():
    """core-context: insufficient and confident: abstain."""
    output, _ = await ask(DAYS, chat=ScriptedChat(replies=[LACKS, '{"query": ""}']))
    assert output["status"] == "no_evidence"
    assert "Missing: the price." in output["answer"]
    assert output["citations"] == []


@pytest.mark.rule("core-context")
async def test_an_unsure_lack_is_answered_in_part():
    """core-context: unsure: what was found is answered, and marked."""
    output, _ = await ask(DAYS, chat=ScriptedChat(replies=[LACKS.replace("0.9", "0.5"), '{"query": ""}', ANSWER]))
    assert (output["status"], output["answer"]) == ("partial", "For 35 days. [1]")
    assert "the price" in output["reason"]


@pytest.mark.rule("S14")
async def test_a_question_of_a_megabyte_is_refused_before_anything_is_asked():
    """S14: no call, no search, at once."""
    chat = ScriptedChat(replies=[])
    output, seconds = await ask("x" * 1_000_000, chat=chat)
    assert output["status"] == "failed"
    assert "more than 8000" in output["reason"]
    assert (chat.prompts, output["usage"]["calls"]) == ([], 0)
    assert seconds < 2
