"""What `tadori reindex` does: another embedding model's vectors, or with `--words` the words cut anew.

Called by graphs.commands when the command runs.
"""

import argparse

from graphs import render
from graphs.commands import Bar, Result
from graphs.wiring import Services
from retrievers.errors import InvalidArgument
from retrievers.ingest.reanalysis import reanalyse


async def reindex(services: Services, options: argparse.Namespace) -> Result:
    """One of the two, with its progress on stderr."""
    if options.words and options.embedding_model:
        raise InvalidArgument("--words cuts the texts into words again and --embedding-model changes the vectors: give one of the two")
    bar = Bar("chunks")
    try:
        return await (_words(services, options, bar) if options.words else _vectors(services, options, bar))
    finally:
        bar.close()


async def _vectors(services: Services, options: argparse.Namespace, bar: Bar) -> Result:
    report = await services.reindexing().reindex(services.operator, options.collection, bar)
    return Result(dict(report), render.reindexed(report, chosen=options.embedding_model))


async def _words(services: Services, options: argparse.Namespace, bar: Bar) -> Result:
    wanted = services.settings.analyser
    report = await reanalyse(services.database, services.operator, options.collection, services.embedder, wanted, bar)
    counted = f"{report['chunks']} chunks · {report['words']} words"
    return Result(dict(report), f"{report['collection']}: {counted} by {report['analyser']} · {report['seconds']:.1f} s")
