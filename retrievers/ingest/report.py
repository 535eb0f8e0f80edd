"""What an ingestion says of its work: a line for each document, and how far it is while it runs.

Filled by retrievers.ingest.run; the command line prints it as it is.
"""

from collections.abc import Callable
from typing import Literal, NotRequired

from typing_extensions import TypedDict

Status = Literal["added", "updated", "unchanged", "skipped", "failed"]
Progress = Callable[[int, int], None]
"""Called with (done, total) in chunks; the total grows while files are read, a document not read yet counting as one."""


class FileReport(TypedDict):
    """What became of one document. `path` is the file it came from; `reason` says why it was not stored, or what was mended."""

    path: str
    source: str
    status: Status
    chunks: int
    reason: str | None


class GraphReport(TypedDict):
    """What one run of building the knowledge graph did: `chunks` read, `failed` of them not wholly, and the names and relations in them.

    `stopped` is there where it ended before the last chunk, and says why; the next run goes on there.
    """

    extractor: str
    chunks: int
    failed: int
    names: int
    relations: int
    seconds: float
    stopped: NotRequired[str]


class IngestReport(TypedDict):
    """`embedded` counts the texts that the model embedded, the cache's not; `deleted` is there when pruning was asked for.

    `graph` is there where one is built; what stopped it left every document stored.
    """

    files: list[FileReport]
    embedded: int
    seconds: float
    deleted: NotRequired[int]
    graph: NotRequired[GraphReport]


class Tracker:
    """Turns finished documents and chunks into calls of a progress function."""

    def __init__(self, progress: Progress | None, documents: int) -> None:
        self._progress = progress
        self._documents = documents
        self._chunks = 0
        self._done = 0

    def finished(self) -> None:
        """A document needed no embedding."""
        self._documents = max(self._documents - 1, 0)
        self._done += 1
        self._call()

    def cut(self, chunks: int) -> None:
        """A document was cut into so many chunks, which will be embedded."""
        self._documents = max(self._documents - 1, 0)
        self._chunks += chunks
        self._call()

    def advance(self, chunks: int) -> None:
        """So many more of them are embedded."""
        self._chunks = max(self._chunks - chunks, 0)
        self._done += chunks
        self._call()

    def reading(self, done: int, total: int) -> None:
        """So many of `total` chunks are read for the graph, after all else."""
        if self._progress:
            self._progress(self._done + done, self._done + total)

    def _call(self) -> None:
        if self._progress:
            self._progress(self._done, self._done + self._chunks + self._documents)
