"""How an explanation of a search looks to a person at a terminal.

Pure text for graphs.commands, beside graphs/render.py.
"""

from collections.abc import Sequence

from graphs.render import name, one_line
from retrievers.reasons import Candidate, Explanation, Why

MOST = 30
"""Candidates that are shown: a screen; --json has all."""

_HEADER = ("rank", "words", "bm25", "meaning", "cosine", "fused", "absolute", "prompt", "why", "passage")

_COLUMNS = ("bm25", "cosine", "fused")
"""The scores that have a column; what else a fusion takes into account stands beside the fused one."""


def candidates(explanation: Explanation) -> str:
    """A table of the candidates, best first: place and score in each arm, what came of them, the place in a prompt."""
    found = explanation["candidates"]
    if not found:
        return "no candidates"
    table = aligned([_HEADER, *(_row(candidate) for candidate in found[:MOST])])
    more = f"\n… and {len(found) - MOST} more: --json lists all" if len(found) > MOST else ""
    return f"{len(found)} candidates; prompt: the number of the passage that a model would read it in\n{table}{more}"


def _row(candidate: Candidate) -> tuple[str, ...]:
    scores, ranks = candidate["scores"], candidate["ranks"]
    others = "".join(f" {label} {score:.3f}" for label, score in scores.items() if label not in _COLUMNS and isinstance(score, float))
    factors = "".join(f" ×{factor:g} {label}" for label, factor in candidate["factors"].items())
    return (
        str(candidate["rank"]),
        _integer(ranks["lexical"]),
        _number(scores["bm25"]),
        _integer(ranks["vector"]),
        _number(scores["cosine"]),
        _number(scores["fused"]) + others + factors,
        _number(candidate["absolute"]),
        _integer(candidate["prompt"]),
        candidate["why"],
        f"{candidate['id']} {name(candidate['document'])}: {one_line(candidate['snippet'], 50)}",
    )


def why(reason: Why) -> str:
    """Why one passage is no hit, or that it is one, with its figures and the words of the query."""
    if reason["id"] is None:
        return one_line(reason["why"], 400)
    lines = [f"{reason['id']} {name(reason['document'] or '')}: {one_line(reason['why'], 400)}"]
    scores, last = reason["scores"], reason["last"]
    lines += [*_beside("bm25", scores["bm25"], last["bm25"]), *_beside("cosine", scores["cosine"], last["cosine"])]
    if reason["absolute"] is not None:
        lines.append(f"  absolute {reason['absolute']:.3f}, no-answer threshold {reason['no_answer']:.3f}")
    lines += [f"  {'met' if entry['met'] else 'NOT MET'}: {name(entry['condition'])}" for entry in reason["conditions"]]
    if reason["words"]:
        header = ("word", "weight", "passages with it", "times here")
        rows = [(word["word"], f"{word['weight']:.3f}", str(word["df"]), str(word["count"] or "lacks it")) for word in reason["words"]]
        lines.append(aligned([header, *rows], indent="  "))
    return "\n".join(lines)


def _beside(score: str, own: float | None, last: float | None) -> list[str]:
    return [] if own is None else [f"  {score} {own:.3f}, that of the last candidate {_number(last)}"]


def aligned(rows: Sequence[Sequence[str]], indent: str = "") -> str:
    """The rows in columns, the last one as long as it is."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    padded = [[cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)] for row in rows]
    return "\n".join(indent + "  ".join([*cells, row[-1]]) for cells, row in zip(padded, rows, strict=True))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _integer(value: int | None) -> str:
    return "-" if value is None else str(value)
