"""What tests of nodes and graphs say over and over: a passage, a state in the middle of a turn, a run without a context."""

from langgraph.runtime import Runtime

from nodes.knobs import Knobs
from nodes.state import RagState
from retrievers.types import Passage

THRESHOLD = 0.6


def runtime(**knobs) -> Runtime[Knobs]:
    """A run; with knobs it has a context, without any it has none, as LangGraph does it."""
    return Runtime(context=Knobs(**knobs)) if knobs else Runtime()


def passage(id: str = "p1", text: str = "Backups are kept for 35 days.", absolute: float | None = 0.9, **fields) -> Passage:
    """A passage of a document; `absolute` is its score against THRESHOLD."""
    made: Passage = {
        "id": id,
        "document": "ops.md",
        "title": "Operations",
        "heading_path": ["Backups"],
        "page": None,
        "url": None,
        "origin": "person",
        "content_type": "text",
        "language": "en",
        "text": text,
        "start": 100,
        "end": 100 + len(text),
        "token_count": len(text) // 4 + 1,
        "metadata": {},
        "score": absolute or 0.0,
        "absolute": absolute,
        "scores": {"bm25": None, "cosine": None, "fused": absolute or 0.0},
        "ranks": {"lexical": None, "vector": None},
        "factors": {},
    }
    return {**made, **fields}  # type: ignore[typeddict-item]


def turn(question: str = "How long are backups kept?", **fields) -> RagState:
    """A state after the gate."""
    return RagState(**{"question": question, "standalone": question, "query": question, "no_answer": THRESHOLD, **fields})


def kinds(update) -> list[str]:
    """The kinds of an update's events, in order."""
    return [event["kind"] for event in update["trail"]]
