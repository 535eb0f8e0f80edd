"""What `tadori usage` does: sums the ledger by step and model, and says how many turns needed no documents.

Called by graphs.commands when the command runs.
"""

import argparse

from graphs.commands import Result
from graphs.parsing import parse_moment
from graphs.render_why import aligned
from graphs.wiring import Services
from retrievers.ledger import StepUsage, Usages

_HEADER = ("step", "model", "calls", "failed", "tokens in", "tokens out", "cost USD", "mean s")


async def usage(services: Services, options: argparse.Namespace) -> Result:
    """`turns` by status, `retrieved` and `skipped` by the gate, `steps`, and the `total` of all model calls."""
    found = await services.turns.usages(parse_moment("--since", options.since))
    skipped, turns = found["turns"].get("direct", 0), sum(found["turns"].values())
    total = _total(found["steps"])
    data = {"turns": found["turns"], "retrieved": turns - skipped, "skipped": skipped, "steps": found["steps"], "total": total}
    return Result(data, _shown(found, total, turns, skipped))


def _total(steps: list[StepUsage]) -> StepUsage:
    costs = [step["cost_usd"] for step in steps]
    known = [cost for cost in costs if cost is not None]
    return {
        "step": "total",
        "model": "",
        "calls": sum(step["calls"] for step in steps),
        "failed": sum(step["failed"] for step in steps),
        "input_tokens": sum(step["input_tokens"] for step in steps),
        "output_tokens": sum(step["output_tokens"] for step in steps),
        "cost_usd": sum(known) if len(known) == len(costs) else None,
        "ms": sum(step["ms"] for step in steps),
    }


def _shown(found: Usages, total: StepUsage, turns: int, skipped: int) -> str:
    statuses = ", ".join(f"{count} {status}" for status, count in found["turns"].items())
    gate = f"; {skipped} of {turns} needed no documents" if turns else ""
    lines = [f"{turns} turns{f': {statuses}' if statuses else ''}{gate}"]
    if found["steps"]:
        lines.append(aligned([_HEADER, *(_row(step) for step in (*found["steps"], total))]))
    return "\n\n".join(lines)


def _row(step: StepUsage) -> tuple[str, ...]:
    cost = "unknown" if step["cost_usd"] is None else f"{step['cost_usd']:.4f}"
    counts = (step["calls"], step["failed"], step["input_tokens"], step["output_tokens"])
    return step["step"], step["model"], *(str(count) for count in counts), cost, f"{step['ms'] / 1000 / max(1, step['calls']):.1f}"
