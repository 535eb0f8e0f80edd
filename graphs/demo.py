"""`make demo`: ingest the sample, ask three questions, say what to type next.

A plain caller of graphs.api, as a notebook is.
"""

import asyncio
import sys
import time
from pathlib import Path

from graphs import api, render
from graphs.commands import Bar, accept_any_text
from graphs.wiring import default_services
from retrievers.errors import TadoriError

COLLECTION = "sample"
SAMPLE = Path(__file__).parent.parent / "notebooks" / "sample"
QUESTIONS = (
    "What torque do the XR-4200 mount bolts need?",
    "観測ドームの鍵はどこに返しますか？",
    "Who won the 1998 football world cup?",
)

_NEXT = """Next:
  .venv/bin/tadori ingest PATH                your own Markdown, text, HTML, PDF, DOCX or .jsonl
  .venv/bin/tadori ask "your question"        an answer with checked citations
  .venv/bin/tadori search WORDS --explain     what was found, and why
  make dev                                    the graph API for LangGraph Studio"""


async def demo() -> None:
    """Print the three answers."""
    services = default_services()
    bar = Bar("texts")
    try:
        report = await api.ingest([SAMPLE], collection=COLLECTION, prune=True, progress=bar, services=services)
        bar.close()
        print(render.ingested(report, most=0))
        for question in QUESTIONS:
            started = time.perf_counter()
            answer = await api.ask(question, collection=COLLECTION, services=services)
            print(f'\n$ tadori ask "{question}" --collection {COLLECTION}')
            print(render.answer(answer, time.perf_counter() - started))
        print(f"\n{_NEXT}")
    finally:
        await services.close()


def main() -> int:
    """0, or 1 with one line on stderr."""
    accept_any_text()
    try:
        asyncio.run(demo())
    except TadoriError as exc:
        print(f"demo: {exc}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
