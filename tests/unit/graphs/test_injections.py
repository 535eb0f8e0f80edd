"""What documents and web pages say has no effect on what a turn does: without a model none at all, with one that obeys none on tools."""

from dataclasses import replace
from typing import Any

import pytest
from injections import INJECTIONS, Injection
from memory_search import MemorySearch, Text
from servers.steps import StepServer

from graphs.rag import build_graph
from nodes.structured import Decider
from retrievers.providers.chat import resolve_chat
from retrievers.providers.fakes import FixedWeb, HashEmbedder
from retrievers.tools import search_tool, web_tool

CLEAN = {
    "en": Text("Nightly backups are kept for 35 days.\n\nThey start at 02:30 in the morning.", "ops.md", "Operations", ("Backups",)),
    "ja": Text("観測室の鍵は受付に返してください。\n\n鍵は二本あります。", "rules.md", "規則", ("鍵",)),
}
ASKED = {"en": "How long are nightly backups kept?", "ja": "観測室の鍵はどこに返しますか？"}
UNKNOWN = {"en": "Who won the 1998 football world cup?", "ja": "1998年のサッカーワールドカップで優勝した国はどこですか？"}
PLACES = ("start", "middle", "end", "names", "passage of its own")


def planted(injection: Injection, place: str) -> list[Text]:
    """The documents with the injection in that place."""
    clean = CLEAN[injection.language]
    first, second = clean.text.split("\n\n")
    body = {
        "start": f"{injection.text}\n\n{clean.text}",
        "middle": f"{first}\n\n{injection.text}\n\n{second}",
        "end": f"{clean.text}\n\n{injection.text}",
    }.get(place, clean.text)
    text = replace(clean, text=body)
    if place == "names":
        text = replace(text, document=f"{injection.text}.md", title=injection.text, headings=(injection.text,))
    others = [other for language, other in CLEAN.items() if language != injection.language]
    return [text, *others, *([Text(injection.text, "note.md", "Note")] if place == "passage of its own" else [])]


class Turns:
    """Asks over these documents and remembers what was searched for, where, and on the web."""

    def __init__(self, texts: list[Text], chat: StepServer | None = None, web: FixedWeb | None = None) -> None:
        self.search = MemorySearch(texts, HashEmbedder(), no_answer=0.35)  # a planted line alone shall not decide by its length
        self.web = web or FixedWeb()
        tool = search_tool(self.search)
        self.model = Decider(resolve_chat("openai:test", base_url=chat.base_url, timeout_s=5.0)) if chat else None
        self.graph = build_graph(
            search=self.search, search_tool=tool, web_tool=web_tool(self.web), embedder=self.search.embedder, chat=self.model
        )

    async def ask(self, question: str) -> dict[str, Any]:
        return await self.graph.ainvoke({"question": question})


@pytest.mark.rule("S7", "F17", "T27", "T33")
@pytest.mark.parametrize("injection", INJECTIONS, ids=lambda injection: injection.name)
async def test_without_a_model_planted_text_changes_nothing_that_a_turn_does(injection: Injection):
    """S7, F17, T27, T33: in the text, in names, on its own: same status, quotes, searches and fetches as without it."""
    asked, unknown = ASKED[injection.language], UNKNOWN[injection.language]
    clean = Turns([*CLEAN.values()])
    expected = [await clean.ask(asked), await clean.ask(unknown)]
    for place in PLACES:
        turns = Turns(planted(injection, place))
        outputs = [await turns.ask(asked), await turns.ask(unknown)]
        for output, normal in zip(outputs, expected, strict=True):
            assert output["status"] == normal["status"], (place, output["answer"])
            assert [citation["quote"] for citation in output["citations"]] == [citation["quote"] for citation in normal["citations"]], place
            assert injection.marker not in output["answer"] or place == "names", place
        assert turns.web.queries == clean.web.queries == [unknown], place
        assert all(given.metadata == () for given in turns.search.filters)


class Obedient(StepServer):
    """A model that does whatever the planted text wants, as far as a model can: in every step, once the text is shown to it."""

    def __init__(self, injection: Injection, normal: dict[str, Any]) -> None:
        super().__init__(normal)
        self.injection = injection
        self.obeyed = 0

    def next_item(self, asked):
        said = "\n".join(str(message["content"]) for message in asked.body["messages"])
        if self.injection.text.split("\n")[-1] not in said:
            return super().next_item(asked)
        self.obeyed += 1
        return {**super().next_item(asked), **self._orders()} if isinstance(super().next_item(asked), dict) else self.injection.marker

    def _orders(self) -> dict[str, Any]:
        order = self.injection.text.split("\n")[-1]
        claims = [{"text": f"{order} {self.injection.marker}", "passage": number, "quote": order} for number in (1, 2, 3)]
        return {
            "verdicts": [{"id": number, "relevant": "yes"} for number in (1, 2, 3)],
            "sufficient": True,
            "claims": claims,
            "query": f"{self.injection.marker} tenant:other",
            "retrieve": False,
            "route": "web",
            "status": "direct",
            "tool_calls": [{"name": "delete_documents", "args": {}}],
        }


def normally(language: str) -> dict[str, Any]:
    quote = CLEAN[language].text.split("\n\n")[0]
    verdicts = [{"id": 1, "relevant": "yes"}, {"id": 2, "relevant": "no"}, {"id": 3, "relevant": "no"}]
    return {
        "grade": {"verdicts": verdicts, "sufficient": True, "confidence": 0.9, "missing": ""},
        "generate": {"claims": [{"text": quote, "passage": 1, "quote": quote}]},
        "repair": {"claims": [{"text": quote, "passage": 1, "quote": quote}]},
        "rewrite": {"query": ""},
        "decompose": {"questions": []},
        "hyde": "",
    }


@pytest.mark.rule("S7", "F17", "T33")
@pytest.mark.parametrize("injection", INJECTIONS, ids=lambda injection: injection.name)
async def test_a_model_that_obeys_gets_no_order_shown_as_supported_and_reaches_no_tool(injection: Injection):
    """S7, F17, T33: no other search, no fetch, no other collection; a quoted order supports nothing; quotes stand in their text."""
    asked = ASKED[injection.language]
    for place in ("start", "middle", "end", "passage of its own"):
        texts = planted(injection, place)
        with Obedient(injection, normally(injection.language)) as chat:
            turns = Turns(texts, chat)
            output = await turns.ask(asked)
        assert output["status"] in ("answered", "partial", "no_evidence"), place
        assert injection.marker not in output["answer"], place
        assert turns.search.queries[0] == asked
        assert len(turns.search.queries) <= 3
        assert all(given.metadata == () for given in turns.search.filters)
        assert turns.web.queries in ([], [asked])
        for citation in output["citations"]:
            text = next(text for text in texts if text.document == citation["document"])
            assert citation["verified"]
            assert citation["quote"] == text.text[citation["start"] : citation["end"]]
            assert injection.marker not in citation["quote"]


@pytest.mark.rule("S7", "T6", "T27")
@pytest.mark.parametrize("injection", INJECTIONS, ids=lambda injection: injection.name)
@pytest.mark.parametrize("obeying", [False, True], ids=["no model", "a model that obeys"])
async def test_planted_text_on_a_web_page_is_no_answer_either(injection: Injection, obeying: bool):
    """S7, T6, T27: one search of the web, by the user's question; what the page orders is neither done nor cited."""
    question = UNKNOWN[injection.language]
    page = {"url": "https://example.org/cup", "title": question, "text": injection.text, "score": 0.99}
    with Obedient(injection, normally(injection.language)) as chat:
        turns = Turns([*CLEAN.values()], chat if obeying else None, FixedWeb([page]))
        output = await turns.ask(question)
    assert turns.web.queries == [question]
    assert output["status"] == "no_evidence"
    assert output["citations"] == []
    assert injection.marker not in output["answer"]
