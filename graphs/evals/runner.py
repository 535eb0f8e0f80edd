"""Runs a table of questions over a corpus through the product's own search and reports how well it did.

Called by the command line; ingestion and search come with the services.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from graphs.evals.answers import AnswerReport, Asked, summarise_answers
from graphs.evals.asking import ask_one
from graphs.evals.cases import Cases, collection_name, corpus_file, read_cases
from graphs.evals.metrics import collapse
from graphs.evals.report import EvalReport, Hit, Outcome, summarise
from retrievers.errors import IngestError, InvalidArgument
from retrievers.types import Fusion, Mode, PassageSearch

if TYPE_CHECKING:
    from graphs.wiring import Services

DEPTH = 200
"""Chunks asked for: the most there are, so that 100 documents remain of them when long documents fall into several chunks.
rrf and weighted fusion look at 600 candidates of each arm then, and not at 30 as in a search for ten."""

Progress = Callable[[int, int], None]
"""Called with (done, total)."""

T = TypeVar("T")


class AskedReport(EvalReport, AnswerReport):
    """Of the searches and of the answers."""


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
    ask: bool = False,
    progress: Progress | None = None,
) -> EvalReport | AskedReport:
    """Ask the questions of `folder / queries` of the corpus in `folder`, or of `corpus`, as the tenant's operator.

    What the collection `eval-<folder>` lacks is ingested first; a document that fails ends the run, since its absence would show
    as a worse search. Questions run one after the other, so that times mean something. With `ask` each is answered too, which fails
    one by one: the report names them. Raises InvalidArgument, IngestError.
    """
    if ask and (mode != "hybrid" or weights is not None):
        raise InvalidArgument("an answer is looked for with both arms and the collection's own weights: leave out --mode and weights")
    cases = read_cases(Path(folder), queries, limit)
    source = corpus_file(Path(folder), None if corpus is None else Path(corpus))
    collection = collection_name(source)
    await ingest_corpus(services, collection, source, progress)
    run = _Run(services.search(services.operator), collection, mode, fusion, weights)
    answer = partial(ask_one, services, collection=collection, fusion=fusion) if ask else None
    return await _ask_all(run, answer, cases, progress)


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
        hits = [Hit(passage["id"], passage["document"], passage["absolute"]) for passage in passages]
        return Outcome(ranking, max(signals, default=float("-inf")), found["timings_ms"], hits, found["no_answer"])


async def _ask_all(
    run: _Run, answer: Callable[[str], Awaitable[Asked]] | None, cases: Cases, progress: Progress | None
) -> EvalReport | AskedReport:
    """All searches first, so that their times are not those of a machine that computes an answer."""
    questions = [case.text for case in cases.answerable] + [case.text for case in cases.unanswerable]
    total = len(questions) * (2 if answer else 1)
    found = await _each(run.ask, questions, 0, total, progress)
    first = len(cases.answerable)
    answerable, unanswerable = zip(cases.answerable, found[:first], strict=True), zip(cases.unanswerable, found[first:], strict=True)
    report = summarise([*answerable], [*unanswerable])
    if answer is None:
        return report
    asked = await _each(answer, questions, len(questions), total, progress)
    runs = zip(cases.answerable, found[:first], asked[:first], strict=True)
    return AskedReport(**report, **summarise_answers([*runs], [*zip(cases.unanswerable, asked[first:], strict=True)]))


async def _each(ask: Callable[[str], Awaitable[T]], questions: Sequence[str], done: int, total: int, progress: Progress | None) -> list[T]:
    given: list[T] = []
    for question in questions:
        given.append(await ask(question))
        if progress:
            progress(done + len(given), total)
    return given
