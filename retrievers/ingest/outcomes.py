"""Where each document of a run ends: its line in the report, and a failure also in the store.

Shared by the steps of a run.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from retrievers.documents import ChunkDraft, IndexedDocument
from retrievers.ingest.document import LoadedDocument
from retrievers.ingest.entries import Entry
from retrievers.ingest.report import FileReport, Status, Tracker
from retrievers.scope import Scope
from retrievers.store.documents import DocumentStore
from retrievers.store.swap import PutResult
from retrievers.types import Collection, Stage


@dataclass
class Item:
    """An entry on its way: its line in the report, what is known of the document by now, and for each draft the texts to embed."""

    entry: Entry
    report: FileReport
    loaded: LoadedDocument | None = None
    indexed: IndexedDocument | None = None
    drafts: Sequence[ChunkDraft] = ()
    windows: Sequence[Sequence[str]] = ()

    def says(self, status: Status, reason: str | None, chunks: int = 0) -> None:
        """Fill the line in the report."""
        self.report["status"], self.report["reason"], self.report["chunks"] = status, reason, chunks


class Outcomes:
    """Writes the ends of one run over one collection."""

    def __init__(self, store: DocumentStore, scope: Scope, collection: Collection, readers: tuple[str, ...], tracker: Tracker) -> None:
        self.store, self.scope, self.collection, self.readers, self.tracker = store, scope, collection, readers, tracker

    def left(self, item: Item, status: Status, reason: str | None, chunks: int = 0) -> None:
        """The document is left as it is in the store, or out of it."""
        item.says(status, reason, chunks)
        self.tracker.finished()

    def stored(self, item: Item, result: PutResult, *, cut: bool) -> None:
        """The document is in the store; `cut` where its chunks were counted by the tracker already."""
        notes = item.loaded.notes if item.loaded else ()
        item.says(result.status, "; ".join(notes) or None, result.chunks)
        if not cut:
            self.tracker.finished()

    async def failed(self, item: Item, stage: Stage, reason: str) -> None:
        """The document could not be brought in; a version stored before stays. Kept in the store under the entry's owner, if it has one."""
        item.says("failed", reason)
        self.tracker.finished()
        if item.entry.owner:
            await self.store.record_failure(self.scope, self.collection, item.entry.owner, stage, reason, self.readers)
