"""What `tadori eval` does: questions with known answers, searched for and with --ask answered, and how well that went.

Called by graphs.commands when the command runs; graphs.evals measures.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from graphs import render
from graphs.commands import Bar, Result
from graphs.evals.runner import evaluate
from graphs.parsing import parse_fusion
from graphs.wiring import Services

_SHOWN = 20
"""Questions of a kind that a person is shown; --json has all."""


async def run_eval(services: Services, options: argparse.Namespace) -> Result:
    """The report, with a bar on stderr meanwhile. Raises InvalidArgument, IngestError."""
    fusion, weights = parse_fusion(options.fusion)
    bar = Bar("eval")
    try:
        report = await evaluate(
            services,
            options.folder,
            queries=options.queries,
            mode=options.mode,
            fusion=fusion,
            weights=weights,
            limit=options.limit,
            corpus=options.corpus,
            ask=options.ask,
            progress=bar,
        )
    finally:
        bar.close()
    return Result({**report}, shown(report))


def shown(report: Mapping[str, Any]) -> str:
    """The figures, then the questions that were missed and the runs that failed, one a line."""
    lists = ("missed", "failed")
    figures = render.table({name: value for name, value in report.items() if name not in lists})
    missed = [f"{entry['cause']}: {render.one_line(entry['question'], 100)}  ({entry['id']})" for entry in report.get("missed", ())]
    failed = [f"{entry['id']}: {render.one_line(entry['reason'], 200)}" for entry in report.get("failed", ())]
    return "\n\n".join([figures, *_listed("not answered from their documents", missed), *_listed("failed runs", failed)])


def _listed(title: str, lines: Sequence[str]) -> list[str]:
    more = [f"… and {len(lines) - _SHOWN} more; --json has them all"] if len(lines) > _SHOWN else []
    return ["\n".join([f"{len(lines)} {title}:", *lines[:_SHOWN], *more])] if lines else []
