"""The coroutines of notebooks and of the command line: ingest, search, explain, ask, as the operator of one tenant.

Above wiring, below the command line; the graph is imported when a question is asked. `services` defaults to those of the environment.
"""

import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import TypedDict

from graphs.wiring import Services, default_services
from retrievers.errors import InvalidArgument
from retrievers.types import DEFAULT_COLLECTION, Filters, Fusion, IndexKind, Mode, SearchResult, VectorChoice, VectorType

if TYPE_CHECKING:
    from langchain_core.messages import AnyMessage

    from nodes.records import Citation, Degraded, Rejected, Status, TrailEvent, Usage
    from retrievers.ingest.pipeline import IngestReport
    from retrievers.reasons import Explanation

Progress = Callable[[int, int], None]
"""Called with (done, total)."""

_DOCS_PREFIX = "docs-"
_DOCS_AGE = timedelta(days=1)
"""A temporary collection older than this belongs to a process that was killed: no question takes a day."""


class Answer(TypedDict):
    """The graph's output and where the time went: `timings_ms` has total and one entry for each step."""

    answer: str
    status: "Status"
    reason: str
    degraded: "list[Degraded]"
    citations: "list[Citation]"
    rejected: "list[Rejected]"
    trail: "list[TrailEvent]"
    usage: "Usage"
    messages: "list[AnyMessage]"
    timings_ms: dict[str, float]


async def ingest(
    paths: Sequence[str | Path],
    *,
    collection: str = DEFAULT_COLLECTION,
    readers: Sequence[str] = ("tenant",),
    prune: bool = False,
    index: IndexKind | None = None,
    vector_type: VectorType | None = None,
    progress: Progress | None = None,
    services: Services | None = None,
) -> "IngestReport":
    """Read files and folders into a collection; each file has its status and reason in the report.

    `index` and `vector_type` are how a new collection's vectors are found and stored, by default hnsw and halfvec. Raises
    InvalidArgument for a path that does not exist or a choice that is not the collection's, StorageError when the database cannot be used.
    """
    services = services or default_services()
    return await services.ingestion().ingest(
        services.operator,
        collection,
        [Path(path) for path in paths],
        readers=readers,
        prune=prune,
        progress=progress,
        choice=VectorChoice(index, vector_type),
    )


async def search(
    query: str,
    *,
    collection: str = DEFAULT_COLLECTION,
    k: int = 10,
    mode: Mode = "hybrid",
    fusion: Fusion | None = None,
    weights: tuple[float, float] | None = None,
    filters: Filters | None = None,
    services: Services | None = None,
) -> SearchResult:
    """Find at most `k` (1-200) passages, best first."""
    services = services or default_services()
    return await services.search(services.operator).search(
        query, collection=collection, k=k, mode=mode, fusion=fusion, weights=weights, filters=filters or Filters()
    )


async def explain(
    query: str,
    *,
    why: str | None = None,
    collection: str = DEFAULT_COLLECTION,
    k: int = 10,
    mode: Mode = "hybrid",
    fusion: Fusion | None = None,
    weights: tuple[float, float] | None = None,
    filters: Filters | None = None,
    services: Services | None = None,
) -> "Explanation":
    """The result of `search`, and for each candidate of both arms why it is a hit or not, and where a prompt would hold it.

    `why` names a passage by its id or a document by its source: the result then says why it is not among the hits.
    """
    from graphs.explaining import place_in_prompt

    services = services or default_services()
    explanation = await services.search(services.operator).explain(
        query, why=why, collection=collection, k=k, mode=mode, fusion=fusion, weights=weights, filters=filters or Filters()
    )
    await place_in_prompt(explanation, services.reader(services.operator), collection)
    return explanation


async def ask(
    question: str,
    *,
    collection: str = DEFAULT_COLLECTION,
    docs: str | Path | None = None,
    thread: str | None = None,
    filters: Filters | None = None,
    knobs: Mapping[str, object] | None = None,
    progress: Progress | None = None,
    services: Services | None = None,
) -> Answer:
    """Answer a question with checked citations, or say why the documents do not hold the answer.

    `docs` asks about these files alone, in a collection that is dropped afterwards; `thread` continues a conversation, also one that
    waits for the user to say which document is meant (status `needs_input`, with the knob `clarify`).
    Every failure inside the graph comes back as status `failed` with its reason.
    """
    services = services or default_services()
    if docs is None:
        return await _ask(services, question, collection, thread, filters, knobs)
    async with temporary_collection(services) as name:
        report = await ingest([docs], collection=name, progress=progress, services=services)
        if not any(file["status"] in ("added", "updated", "unchanged") for file in report["files"]):
            reasons = "; ".join(f"{file['path']}: {file['reason'] or file['status']}" for file in report["files"][:3])
            raise InvalidArgument(f"nothing could be read from {str(docs)!r} ({reasons or 'it is empty'})")
        return await _ask(services, question, name, thread, filters, knobs)


async def _ask(
    services: Services, question: str, collection: str, thread: str | None, filters: Filters | None, knobs: Mapping[str, object] | None
) -> Answer:
    from graphs.pausing import as_asked_back, reply_to_pause
    from nodes.knobs import Knobs

    filters = filters or Filters()
    context = Knobs.model_validate(
        {"collection": collection, "metadata": _by_key(filters), "since": filters.since, "until": filters.until, **(knobs or {})}
    )
    # Not a RagInput: a thread's checkpoint keeps the input as it was given, and plain values can be read by every version.
    turn: Any = {"question": question}
    started = time.perf_counter()
    if thread is None:
        output = await services.rag(services.operator).ainvoke(turn, context=context)
    else:
        config: Any = {"configurable": {"thread_id": services.thread_id(thread)}}
        async with services.threads() as saver:
            graph = services.rag(services.operator, saver)
            given = await reply_to_pause(graph, config, question) or turn
            output = as_asked_back(await graph.ainvoke(given, config, context=context))
    return _with_timings(output, (time.perf_counter() - started) * 1000)


def _by_key(filters: Filters) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for key, value in filters.metadata:
        values.setdefault(key, []).append(value)
    return values


def _with_timings(output: dict[str, Any], total_ms: float) -> Answer:
    steps: dict[str, float] = {}
    for event in output["trail"]:
        steps[event["step"]] = round(steps.get(event["step"], 0.0) + event["ms"], 1)
    fields = {name: output[name] for name in Answer.__annotations__ if name != "timings_ms"}
    return cast(Answer, {**fields, "timings_ms": {"total": round(total_ms, 1), **steps}})


@asynccontextmanager
async def temporary_collection(services: Services) -> AsyncIterator[str]:
    """The name of a collection of this process, dropped at exit together with older ones that a killed process left."""
    now = datetime.now(UTC)
    name = f"{_DOCS_PREFIX}{now:%Y%m%d%H%M}-{secrets.token_hex(4)}"
    try:
        yield name
    finally:
        stale = [other.name for other in await services.collections() if _is_stale(other.name, now)]
        for collection in (name, *stale):
            await services.drop(collection)


def _is_stale(name: str, now: datetime) -> bool:
    if not name.startswith(_DOCS_PREFIX):
        return False
    try:
        made = datetime.strptime(name.removeprefix(_DOCS_PREFIX)[:12], "%Y%m%d%H%M").replace(tzinfo=UTC)
    except ValueError:
        return False
    return now - made > _DOCS_AGE
