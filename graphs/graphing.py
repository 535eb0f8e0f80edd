"""What `tadori graph` does: builds a collection's knowledge graph, shows and draws what is near an entity, merges and splits entities.

Called by graphs.commands when the command runs; what is found is rendered by graphs/render_graph.py and drawn by graphs/plotting.py.
"""

import argparse
from pathlib import Path
from typing import Any

from graphs import render_graph
from graphs.commands import Bar, Result
from graphs.wiring import Services
from retrievers.errors import InvalidArgument
from retrievers.neighbourhoods import Neighbourhood
from retrievers.said import ExtractionReport, Most

MOST_SHOWN = 60
"""Neighbours in one picture or on one screen; more cannot be told apart."""


async def graph(services: Services, options: argparse.Namespace) -> Result:
    """One of build, show, merge and split."""
    match options.action:
        case "build":
            return await _build(services, options)
        case "show":
            return await _show(services, options)
        case _:
            return await _decide(services, options)


async def _build(services: Services, options: argparse.Namespace) -> Result:
    # The model that ingestion asks goes on reading here, else the rules would replace what it read.
    with_model = options.model or services.settings.graph == "chat"
    most = _most(options, with_model=with_model)
    collection = await services.collection(options.collection)
    builder = services.graph_builder(with_model=with_model, most=most)
    bar = Bar("chunks")
    try:
        report = await builder.build(services.operator, collection, bar, retry_failed=options.retry_failed)
    finally:
        bar.close()
    sizes = await services.graph.sizes(services.operator, collection)
    asked = getattr(builder.extractor, "report", None)
    model = {**vars(asked), "dropped": dict(asked.dropped)} if isinstance(asked, ExtractionReport) else None
    return Result({**report, "graph": dict(sizes), "model": model}, render_graph.built(report, sizes, model))


def _most(options: argparse.Namespace, *, with_model: bool) -> Most:
    """What a model may cost. Raises InvalidArgument for a limit below 1, or one without a model."""
    for option, given in (("--max-calls", options.max_calls), ("--max-tokens", options.max_tokens)):
        if given is not None and not with_model:
            raise InvalidArgument(f"{option} limits what a model costs, and none is asked: add --model, or leave it out")
        if given is not None and given < 1:
            raise InvalidArgument(f"{option} {given} leaves nothing to do: give 1 or more")
    return Most(options.max_calls, options.max_tokens)


async def _show(services: Services, options: argparse.Namespace) -> Result:
    if not 1 <= options.limit <= MOST_SHOWN:
        raise InvalidArgument(f"--limit {options.limit} is not from 1 to {MOST_SHOWN}")
    if options.plot is not None:
        # Imports of the extra; a missing one is said before the database is asked.
        from graphs.plotting import check_plot

        check_plot(options.plot)
    collection = await services.collection(options.collection)
    found = await services.graph.neighbourhood(services.operator, collection, options.entity, options.limit)
    data: dict[str, Any] = {**found, "plot": None}
    text = render_graph.neighbourhood(found)
    if options.plot is not None:
        data["plot"] = _drawn(found, options.plot)
        text = f"{text}\n\n{render_graph.drawn(data['plot'])}"
    return Result(data, text)


def _drawn(found: Neighbourhood, path: Path) -> dict[str, str]:
    """Where the picture is, and the characters that no font here has."""
    from graphs.plotting import draw

    return {"path": str(path), "without_glyph": draw(found, path).missing}


async def _decide(services: Services, options: argparse.Namespace) -> Result:
    decide = services.graph.merge if options.action == "merge" else services.graph.split
    collection = await services.collection(options.collection)
    choice = await decide(services.operator, collection, options.one, options.other)
    return Result(dict(choice), render_graph.decided(choice, (options.one, options.other)))
