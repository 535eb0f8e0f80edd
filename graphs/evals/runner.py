"""Runs a table of questions over a corpus through the product's own search and reports how well it did.

Called by the command line; ingestion and search come with the services.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from graphs.evals.cases import Cases, collection_name, corpus_file, read_cases
from graphs.evals.metrics import collapse
from graphs.evals.report import EvalReport, Outcome, summarise
from retrievers.errors import IngestError
from retrievers.types import Fusion, Mode, PassageSearch

if TYPE_CHECKING:
    from graphs.wiring import Services

DEPTH = 200
"""Chunks asked for: the most there are, so that 100 documents remain of them when long documents fall into several chunks.
rrf and weighted fusion look at 600 candidates of each arm then, and not at 30 as in a search for ten."""

Progress = Callable[[int, int], None]
"""Called with (done, total)."""


async def evaluate(
    services: "Services",
    folder: str | Path,
    *,
    queries: str,
    mode: Mode = "hybrid",
    fusion: Fusion | None = None,
    weights: tuple[float, float] | None = None,
    limit: int | None = None,
    corpus: str | Path | None = None,
    progress: Progress | None = None,
) -> EvalReport:
    """Ask the questions of `folder / queries` of the corpus in `folder`, or of `corpus`, as the tenant's operator.

    What the collection `eval-<folder>` lacks is ingested first; a document that fails ends the run, since its absence would show
    as a worse search. Questions run one after the other, so that times mean something. Raises InvalidArgument, IngestError.
    """
    cases = read_cases(Path(folder), queries, limit)
    source = corpus_file(Path(folder), None if corpus is None else Path(corpus))
    collection = collection_name(source)
    await ingest_corpus(services, collection, source, progress)
    run = _Run(services.search(services.operator), collection, mode, fusion, weights)
    return await _ask_all(run, cases, progress)


async def ingest_corpus(services: "Services", collection: str, corpus: Path, progress: Progress | None) -> None:
    """Give the collection what it lacks of the corpus. Raises IngestError for the first document that fails."""
    report = await services.ingestion().ingest(services.operator, collection, [corpus], readers=("tenant",), prune=True, progress=progress)
    failed = [file for file in report["files"] if file["status"] == "failed"]
    if failed:
        raise IngestError(
            "store", f"{len(failed)} documents of {str(corpus)!r} failed, the first is {failed[0]['source']!r}: {failed[0]['reason']}"
        )


class _Run:
    """One way of searching one collection."""

    def __init__(
        self, search: PassageSearch, collection: str, mode: Mode, fusion: Fusion | None, weights: tuple[float, float] | None
    ) -> None:
        self._search = search
        self._collection = collection
        self._mode = mode
        self._fusion = fusion
        self._weights = weights

    async def ask(self, question: str) -> Outcome:
        found = await self._search.search(
            question, collection=self._collection, k=DEPTH, mode=self._mode, fusion=self._fusion, weights=self._weights
        )
        passages = found["passages"]
        # A single arm has no absolute score; its own score tells questions apart as well as it can.
        signals = [passage["score"] if passage["absolute"] is None else passage["absolute"] for passage in passages]
        ranking = collapse([passage["document"] for passage in passages])
        return Outcome(ranking, max(signals, default=float("-inf")), found["timings_ms"])


async def _ask_all(run: _Run, cases: Cases, progress: Progress | None) -> EvalReport:
    questions = [case.text for case in cases.answerable] + [case.text for case in cases.unanswerable]
    outcomes: list[Outcome] = []
    for question in questions:
        outcomes.append(await run.ask(question))
        if progress:
            progress(len(outcomes), len(questions))
    answered = len(cases.answerable)
    return summarise(
        list(zip(cases.answerable, outcomes[:answered], strict=True)), list(zip(cases.unanswerable, outcomes[answered:], strict=True))
    )
