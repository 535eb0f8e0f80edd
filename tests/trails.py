"""Makes docs/trails.md: turns of the real graph with their trails, as a person reads them.

`python -m tests.trails` writes it; tests/unit/graphs/test_trails.py fails when it is out of date. Search, embedder, model and web are
stand-ins with fixed contents, so that the page is the same on every machine; times are left out.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from graphs import render
from graphs.rag import build_graph
from nodes.knobs import Knobs
from nodes.prompting import prompt_parts
from nodes.structured import Decider
from retrievers.providers.fakes import FixedWeb, HashEmbedder, ScriptEmpty
from retrievers.tools import graph_tool, search_tool, web_tool
from tests.memory_search import MemorySearch, Text
from tests.memory_walk import MemoryWalk

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "trails.md"
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
PROMPTS = ("gate", "route", "decompose", "hyde", "grade", "sufficiency", "rewrite", "generate", "repair", "direct", "clarify")

TEXTS = (
    Text("Nightly backups are kept for 35 days. They start at 02:30 and take two hours.", "ops.md", "Operations", ("Nightly backups",)),
    Text("Weekly archives are kept for one year. They are written on Sunday.", "ops.md", "Operations", ("Weekly archives",), 100),
    Text("The head bolts of the XR-4200 take 12 Nm. The base takes 8 Nm.", "xr-4200.md", "XR-4200", ("Torque",)),
    Text("Holiday requests go to the team lead. She answers within five working days.", "staff.md", "Staff", ("Holidays",)),
    Text("観測室の鍵は受付に返してください。開室は9時です。", "kisoku.md", "規則", ("鍵",)),
)
WALKED = (
    *TEXTS,
    Text("The tide gauge at Skerry Point was designed by Ada Fenn. It has run since 1987.", "gauge.md", "Tide gauge"),
    Text("Ada Fenn was born in the town of Oxmere and trained there as a clockmaker.", "fenn.md", "Ada Fenn"),
)
PAGES = (
    {
        "url": "https://example.org/cup-1998",
        "title": "The 1998 football world cup",
        "text": "France won the 1998 football world cup. The final was played in Saint-Denis.",
        "score": 0.9,
    },
)


class StepChat(BaseChatModel):
    """A chat model with replies for each prompt by its name, given in turn; the last one again and again."""

    replies: dict[str, list[str]]
    counts: dict[str, int] = Field(default_factory=dict)

    @property
    def _llm_type(self) -> str:
        return "steps"

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> ChatResult:
        name = asked_for(messages[0].text)
        given = self.replies.get(name)
        if not given:
            raise ScriptEmpty(f"there is no reply to the prompt {name!r}")
        count = self.counts.get(name, 0)
        self.counts[name] = count + 1
        reply = given[min(count, len(given) - 1)]
        usage = {"input_tokens": 400, "output_tokens": 40, "total_tokens": 440}
        return ChatResult(generations=[ChatGeneration(message=AIMessage(reply, usage_metadata=usage))])


def asked_for(constant: str) -> str:
    """The name of the prompt with this constant part, whatever the language of its examples."""
    first = constant.splitlines()[0]
    names = [name for name in PROMPTS if _first_line(name) == first]
    return names[0] if names else "unknown"


def _first_line(name: str) -> str:
    try:
        return prompt_parts(name)[0].splitlines()[0]
    except KeyError:
        return ""


@dataclass(frozen=True)
class Story:
    """A turn: `replies` by prompt, None without a model; `web`: one is configured; `walked`: a graph, and two texts more."""

    title: str
    told: str
    question: str
    replies: Mapping[str, Sequence[object]] | None = None
    web: bool = False
    walked: bool = False
    knobs: Mapping[str, object] = field(default_factory=dict)


def _grades(*verdicts: bool, sufficient: bool = True, confidence: float = 0.9, missing: str = "") -> dict[str, object]:
    listed = [{"id": number, "relevant": relevant} for number, relevant in enumerate(verdicts, 1)]
    return {"verdicts": listed, "sufficient": sufficient, "confidence": confidence, "missing": missing}


def _claims(*claims: tuple[str, int, str]) -> dict[str, object]:
    return {"claims": [{"text": text, "passage": number, "quote": quote} for text, number, quote in claims]}


STORIES = {
    "answered": Story(
        "A question that is answered",
        "No model: the threshold judges the passages, and the answer is the sentence that fits the question best.",
        "How long are nightly backups kept?",
    ),
    "answered with a model": Story(
        "The same with a model",
        "Two calls: one judges the passages and says whether they suffice, one writes the answer. No call before the search.",
        "How long are nightly backups kept?",
        {"grade": [_grades(True)], "generate": [_claims(("Nightly backups are kept for 35 days.", 1, "kept for 35 days"))]},
    ),
    "japanese": Story(
        "A question in Japanese",
        "The same steps; words are cut as the collection's own were, and the answer comes in the language of the question.",
        "観測室の鍵はどこに返しますか？",
    ),
    "decomposed": Story(
        "A question of two parts",
        "The whole question and each part are searched side by side, and what they find makes one ranking.",
        "How long are nightly backups kept, and what torque do the head bolts of the XR-4200 take?",
    ),
    "walked": Story(
        "A question of two steps",
        "The passage that answers shares few words with the question; the knowledge graph leads to it over the name that the first one "
        "gives. The answer quotes both steps, and the citation says how its passage was reached.",
        "In which town was the designer of the tide gauge at Skerry Point born?",
        walked=True,
    ),
    "rewritten": Story(
        "A question rescued by a rewrite",
        "The words of the question are not the documents', so the first search finds nothing that reaches the threshold. The model is told "
        "which words are missing and which headings are near, and asks in others; the question itself stays what it was.",
        "Who decides when I am away from work?",
        {
            "grade": [_grades(True)],
            "rewrite": [{"query": "holiday requests team lead"}],
            "generate": [_claims(("The team lead decides on holiday requests.", 1, "Holiday requests go to the team lead."))],
        },
    ),
    "web": Story(
        "A question rescued by the web",
        "The documents hold nothing of it. A page from the web is judged like any passage, and cited with its address.",
        "Who won the 1998 football world cup?",
        web=True,
    ),
    "abstained": Story(
        "A question that is not answered",
        "Nothing reaches the threshold, rewriting would ask for something else, and no web search is configured.",
        "Who won the 1998 football world cup?",
    ),
    "budget": Story(
        "A budget that runs out",
        "The caller allows one model call. It judged the passages, so the answer is quoted by the rules, and the status says so.",
        "How long are nightly backups kept?",
        {"grade": [_grades(True)], "generate": [_claims(("Nightly backups are kept for 35 days.", 1, "kept for 35 days"))]},
        knobs={"max_model_calls": 1},
    ),
}
"""In the page's order."""


async def outcome(story: Story) -> dict[str, Any]:
    """What the graph gives for the story."""
    memory = MemoryWalk(WALKED, HashEmbedder()) if story.walked else MemorySearch(TEXTS, HashEmbedder())
    replies = {name: [_said(reply) for reply in given] for name, given in (story.replies or {}).items()}
    graph = build_graph(
        search=memory,
        search_tool=search_tool(memory),
        embedder=memory.embedder,
        graph_tool=graph_tool(memory) if story.walked else None,
        web_tool=web_tool(FixedWeb(PAGES)) if story.web else None,
        chat=Decider(StepChat(replies=replies)) if story.replies is not None else None,
    )
    output: dict[str, Any] = await graph.ainvoke({"question": story.question}, context=Knobs(now=NOW, **story.knobs))
    return output


def _said(reply: object) -> str:
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


def page() -> str:
    """The whole page as Markdown."""
    return asyncio.run(_page())


async def _page() -> str:
    lines = [
        "# Trails",
        "",
        "What the graph decided, turn by turn, as `tadori ask --trail` shows it. Made by `python -m tests.trails` from runs of the real",
        "graph over five passages, with a scripted model where one is named; not edited by hand. Times are left out here.",
        "",
    ]
    for story in STORIES.values():
        output = await outcome(story)
        lines += [f"## {story.title}", "", story.told, "", "```", f"$ tadori ask --trail {json.dumps(story.question, ensure_ascii=False)}"]
        lines += [render.answer(output, 0.0).replace(" · 0.0 s", ""), "", render.trail(output["trail"], times=False), "```", ""]
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()).rstrip() + "\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
