"""How results look to a person at a terminal.

Pure text for graphs.commands; what comes from documents is stripped of control and direction characters.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from retrievers.passages import told_path
from retrievers.types import Passage

if TYPE_CHECKING:
    from nodes.records import Citation, Rejected, TrailEvent

# Control characters (ESC among them) could drive the terminal, direction and tag characters could hide text.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")

_MARKS = {"added": "+", "updated": "~", "unchanged": "=", "skipped": "-", "failed": "!"}


def safe(text: str) -> str:
    """`text` without characters that a terminal obeys or that hide text."""
    return _UNSAFE.sub("", text)


def one_line(text: str, width: int) -> str:
    """`text` on one line, at most `width` characters."""
    folded = " ".join(safe(text).split())
    return folded if len(folded) <= width else folded[: width - 1] + "…"


def name(text: str) -> str:
    """A source, title or heading on one line: a file's name may hold a line break."""
    return " ".join(safe(text).splitlines())


def place(title: str, heading_path: Sequence[str], document: str, page: int | None) -> str:
    """`Title > Heading (source, p. 3)`."""
    headings = [heading for heading in heading_path if heading != title]
    where = f"{document}, p. {page}" if page else document
    return name(f"{' > '.join([title or document, *headings])} ({where})")


def answer(result: Mapping[str, Any], seconds: float) -> str:
    """An answer, its sources, and one closing line."""
    # The state's answer is escaped for every front end; a terminal shows the character.
    lines = [safe(result["answer"]).replace("&lt;", "<"), ""]
    lines += [_citation(citation) for citation in result["citations"]]
    if result["citations"]:
        lines.append("")
    lines += [f"degraded: {entry['step']}: {entry['cause']}; {entry['fallback']}" for entry in result["degraded"]]
    if result["status"] in ("failed", "partial", "budget_exhausted"):
        lines.append(safe(result["reason"]))
    lines.append(_closing(result, seconds))
    return "\n".join(lines)


def _citation(citation: "Citation") -> str:
    where = citation["url"] or citation["document"]
    mark = "✓" if citation["verified"] else "✗ not verified"
    source = place(citation["title"], citation["heading_path"], where, citation["page"])
    path = told_path(citation.get("path", ()))
    return f"[{citation['n']}] {source}: “{one_line(citation['quote'], 200)}” {mark}" + (f" · {one_line(path, 160)}" if path else "")


def _closing(result: Mapping[str, Any], seconds: float) -> str:
    steps = len({event["step"] for event in result["trail"]})
    calls = result["usage"]["calls"]
    model = f"{calls} model call{'' if calls == 1 else 's'}" if calls else "no model"
    return f"{result['status']} · {steps} step{'' if steps == 1 else 's'} · {seconds:.1f} s · {model}"


_PLAIN_KINDS = ("decision", "search", "check")
"""Kinds of events that need no word of their own: the others say that a model decided, or that something fell back or ran out."""


def trail(events: "Sequence[TrailEvent]", *, times: bool = True) -> str:
    """Every decision of a turn in order, one a line: step, what was decided, by what, why, and after how long."""
    width = max((len(event["step"]) for event in events), default=0)
    return "\n".join(_event(event, width, times) for event in events)


def _event(event: "TrailEvent", width: int, times: bool) -> str:
    kind = "" if event["kind"] in _PLAIN_KINDS else f" [{event['kind']}]"
    took = f" ({event['ms']:.1f} ms)" if times else ""
    return f"{event['step']:<{width}}  {one_line(event['decision'], 100)}{kind}: {one_line(event['reason'], 240)}{took}"


def rejected(passages: "Sequence[Rejected]") -> str:
    """The passages that were left out, one a line."""
    return "\n".join(f"  {entry['document']}: {entry['why']}" for entry in passages)


def hits(passages: Sequence[Passage], *, explain: bool) -> str:
    """Passages, best first, each with its place and the beginning of its text."""
    if not passages:
        return "no passages"
    return "\n\n".join(_hit(rank, passage, explain) for rank, passage in enumerate(passages, 1))


def _hit(rank: int, passage: Passage, explain: bool) -> str:
    where = place(passage["title"], passage["heading_path"], passage["document"], passage["page"])
    lines = [f"{rank}. {where}  {passage['score']:.3f}"]
    if explain:
        scores = passage["scores"]
        parts = [f"{name} {value:.3f}" for name, value in scores.items() if isinstance(value, float)]
        reranked = passage.get("reranked")
        if reranked is not None:
            parts.append(f"{reranked['scale']} {reranked['score']:.3f}")
            parts += [f"{name} {value:.2f}" for name, value in reranked["parts"].items()]
        lines.append(f"   {passage['id']}  " + "  ".join(parts))
    lines.append(f"   {one_line(passage['text'], 240)}")
    return "\n".join(lines)


def fallbacks(degraded: Sequence[tuple[str, str]]) -> list[str]:
    """What a search could not do as meant, and what it did instead, one line each."""
    return [f"degraded: {one_line(cause, 300)}; {fallback}" for cause, fallback in degraded]


def ingested(report: Mapping[str, Any], *, most: int = 40) -> str:
    """One line a file (at most `most`, failures first), then the sums."""
    order = {"failed": 0, "skipped": 1}
    files = sorted(report["files"], key=lambda file: order.get(file["status"], 2))
    lines = [_file(file) for file in files[:most]]
    if len(files) > most > 0:
        lines.append(f"… and {len(files) - most} more")
    counts = {status: sum(file["status"] == status for file in files) for status in _MARKS}
    counts["deleted"] = report.get("deleted", 0)
    sums = ", ".join(f"{count} {status}" for status, count in counts.items() if count) or "no files"
    lines.append(f"{sums} · {report['embedded']} texts embedded · {report['seconds']:.1f} s")
    if stopped := report.get("graph", {}).get("stopped"):
        lines.append(f"the knowledge graph is not complete: {one_line(stopped, 240)}; `tadori graph build` goes on with it")
    return "\n".join(lines)


def reindexed(report: Mapping[str, Any], *, chosen: str | None) -> str:
    """What a collection was changed to, and what the user has to do about it; `chosen` is a model that only this command had."""
    sums = f"{report['chunks']} chunks of {report['model']} · {report['embedded']} embedded · {report['seconds']:.1f} s"
    lines = [f"{report['collection']}: {sums}"]
    if report.get("cut"):
        lines.append(f"{report['cut']} are longer than the model's window, which saw their beginning: a new collection cuts them to fit")
    if chosen:
        lines.append(f"set TADORI_EMBEDDING_MODEL={chosen} now: searches with another model are refused")
    return "\n".join(lines)


def _file(file: Mapping[str, Any]) -> str:
    reason = f"  ({name(file['reason'])})" if file["reason"] else ""
    return f"{_MARKS[file['status']]} {name(file['source'])}  {file['status']}, {file['chunks']} chunks{reason}"


def table(values: Mapping[str, Any], indent: str = "") -> str:
    """Names and values, nested ones indented."""
    lines = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            lines += [f"{indent}{name}", table(value, indent + "  ")]
        else:
            lines.append(f"{indent}{name}  {f'{value:.4f}' if isinstance(value, float) else value}")
    return "\n".join(lines)
