"""The ingestion graph: accept what is asked for, then load, chunk, embed and store it.

What `langgraph.json` serves beside the question-answering graph. The steps of a document are those of retrievers.ingest: its text
and vectors are no state, so one node runs them in batches, and running it again is cheap.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Literal, NotRequired

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from retrievers.errors import InvalidArgument, TadoriError
from retrievers.ingest.report import FileReport, GraphReport, IngestReport
from retrievers.scope import Scope
from retrievers.types import DEFAULT_COLLECTION

if TYPE_CHECKING:
    from retrievers.ingest.pipeline import Ingestion

MOST_ITEMS = 1000
"""Paths and texts in one request; a folder counts as one."""


class Content(TypedDict):
    """A text to store under `source`; `text` and `content` are two names of one thing.

    The types are spelt out: with a recursive one the served input schema is null.
    """

    source: str
    text: NotRequired[str]
    content: NotRequired[str]
    title: NotRequired[str]
    metadata: NotRequired[dict[str, str | int | float | bool | list[str] | None]]


class IngestKnobs(BaseModel):
    """What a caller may set for one run. The tenant is not among it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    collection: str = Field(DEFAULT_COLLECTION, description="The collection to store into; it is made where it is new.")
    readers: list[str] = Field(["tenant"], description="Who may read the documents: public, tenant, group:NAME or user:NAME.")


@dataclass(kw_only=True)
class IngestInput:
    """Paths below the operator's ingest root, texts, or both."""

    paths: list[str] = field(default_factory=list)
    """Files and folders, relative to TADORI_INGEST_ROOT."""
    content: list[Content] = field(default_factory=list)
    """Texts with the source they are stored under."""


@dataclass(kw_only=True)
class IngestOutput:
    """What became of it. A document that failed does not make the run fail: its line in the report says so."""

    status: Literal["done", "failed"] = "failed"
    """`failed`: nothing was tried, or the store could not be used."""
    reason: str = ""
    """Why the status is what it is."""
    report: IngestReport | None = None
    """A line for each document."""


@dataclass(kw_only=True)
class IngestState(IngestInput, IngestOutput):
    """Everything a run knows."""

    accepted: bool = False
    """The input may be read."""


class IngestUpdate(TypedDict, total=False):
    """The keys a step may return."""

    status: Literal["done", "failed"]
    reason: str
    report: IngestReport | None
    accepted: bool


IngestGraph = CompiledStateGraph[IngestState, IngestKnobs, IngestInput, IngestOutput]


async def accept(state: IngestState, *, ingest_root: Path | None) -> IngestUpdate:
    """Check the input before anything is read: its form, and that every path lies below the ingest root."""
    try:
        _check_form(state)
        await asyncio.to_thread(resolved, state.paths, ingest_root)
    except InvalidArgument as exc:
        return {"accepted": False, "status": "failed", "reason": str(exc), "report": None}
    return {"accepted": True, "report": None}


async def store(
    state: IngestState, runtime: Runtime[IngestKnobs], *, ingestion: "Callable[[], Ingestion]", scope: Scope, ingest_root: Path | None
) -> IngestUpdate:
    """Bring everything in and report on each document."""
    knobs = runtime.context or IngestKnobs()
    try:
        reports = []
        if state.paths:
            paths = await asyncio.to_thread(resolved, state.paths, ingest_root)
            reports.append(await ingestion().ingest(scope, knobs.collection, paths, readers=knobs.readers, root=ingest_root))
        if state.content:
            reports.append(await ingestion().ingest_content(scope, knobs.collection, state.content, readers=knobs.readers))
    except TadoriError as exc:
        return {"status": "failed", "reason": str(exc)}
    report = IngestReport(
        files=[_below(file, ingest_root) for report in reports for file in report["files"]],
        embedded=sum(report["embedded"] for report in reports),
        seconds=sum(report["seconds"] for report in reports),
    )
    if graphs := [report["graph"] for report in reports if "graph" in report]:
        report["graph"] = _together(graphs)
    failed = sum(file["status"] == "failed" for file in report["files"])
    return {"status": "done", "reason": f"documents: {len(report['files'])}, failed: {failed}", "report": report}


def after_accept(state: IngestState) -> Literal["store", "__end__"]:
    """Nothing is read that was not accepted."""
    return "store" if state.accepted else "__end__"


def build_ingest_graph(*, ingestion: "Callable[[], Ingestion]", scope: Scope, ingest_root: Path | None) -> IngestGraph:
    """The graph that writes as `scope`, the tenant's operator; `ingestion` is called when there is something to store."""
    graph = StateGraph(IngestState, context_schema=IngestKnobs, input_schema=IngestInput, output_schema=IngestOutput)
    graph.add_node("accept", partial(accept, ingest_root=ingest_root))
    graph.add_node("store", partial(store, ingestion=ingestion, scope=scope, ingest_root=ingest_root))
    graph.add_edge(START, "accept")
    graph.add_conditional_edges("accept", after_accept)
    graph.add_edge("store", END)
    return graph.compile(name="ingest")


def make_graph() -> IngestGraph:
    """The graph of this process's settings, for the server: no I/O here, everything connects at first use."""
    from graphs.wiring import default_services

    services = default_services()
    return build_ingest_graph(ingestion=services.ingestion, scope=services.operator, ingest_root=services.settings.ingest_root)


def resolved(paths: Sequence[str], ingest_root: Path | None) -> list[Path]:
    """The paths below the root. Raises InvalidArgument for one that leads out of it, is absolute or does not exist."""
    if not paths:
        return []
    if ingest_root is None:
        raise InvalidArgument("paths are not read here: the operator has not set TADORI_INGEST_ROOT; send the texts as content")
    root = ingest_root.resolve()
    found = []
    for path in paths:
        inside = not PurePath(path).is_absolute() and ".." not in PurePath(path).parts and "\0" not in path
        if not inside or not (root / path).resolve().is_relative_to(root):
            raise InvalidArgument(
                f"the path {path!r} does not lie below TADORI_INGEST_ROOT: give one relative to it, without '..' and links out"
            )
        if not (root / path).exists():
            raise InvalidArgument(f"there is no {path!r} below TADORI_INGEST_ROOT: check the path")
        found.append(root / path)
    return found


def _below(file: FileReport, ingest_root: Path | None) -> FileReport:
    """The line with its path relative to the root: where the root lies is the operator's business."""
    path = PurePath(file["path"])
    if ingest_root is None or not path.is_relative_to(ingest_root):
        return file
    return {**file, "path": path.relative_to(ingest_root).as_posix()}


def _together(graphs: Sequence[GraphReport]) -> GraphReport:
    """What the runs over one collection did; why it is not whole says the last of them."""
    sums = GraphReport(
        extractor=graphs[-1]["extractor"],
        chunks=sum(graph["chunks"] for graph in graphs),
        failed=sum(graph["failed"] for graph in graphs),
        names=sum(graph["names"] for graph in graphs),
        relations=sum(graph["relations"] for graph in graphs),
        seconds=sum(graph["seconds"] for graph in graphs),
    )
    if "stopped" in graphs[-1]:
        sums["stopped"] = graphs[-1]["stopped"]
    return sums


def _check_form(state: IngestState) -> None:
    """Raises InvalidArgument: the server validates no input."""
    if not isinstance(state.paths, list) or not all(isinstance(path, str) for path in state.paths):
        raise InvalidArgument("paths is not a list of strings")
    if not isinstance(state.content, list) or not all(isinstance(item, dict) for item in state.content):
        raise InvalidArgument('content is not a list of objects such as {"source": "notes/a", "text": "..."}')
    if not state.paths and not state.content:
        raise InvalidArgument("there is nothing to ingest: give paths or content")
    if len(state.paths) + len(state.content) > MOST_ITEMS:
        raise InvalidArgument(f"more than {MOST_ITEMS} paths and texts in one run: send them in several")
