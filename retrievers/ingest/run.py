"""One run of an ingestion over one collection: what is unchanged is left alone, what is stored under another name is adopted.

The first half of a run, fed by the pipeline with batches of entries; retrievers.ingest.writing does the rest.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from retrievers.documents import IndexedDocument
from retrievers.errors import IngestError, InvalidArgument
from retrievers.ingest.entries import Entry
from retrievers.ingest.outcomes import Item, Outcomes
from retrievers.ingest.report import FileReport
from retrievers.ingest.writing import Writer
from retrievers.store.swap import PutResult
from retrievers.text.language import language_of

_LONGEST_TITLE = 500
"""Characters; more is a paragraph that some tool took for a title."""


class Run:
    """Takes batches of entries in turn. `files` is the report so far, `sources` all that were seen."""

    def __init__(self, outcomes: Outcomes, writer: Writer) -> None:
        self._outcomes = outcomes
        self._writer = writer
        self._hashes: dict[str, str] = {}
        self._containers: dict[str, bool] = {}
        self.files: list[FileReport] = []
        self.sources: set[str] = set()
        self._hiding: list[FileReport] = []

    async def take(self, entries: Sequence[Entry]) -> None:
        """Bring in a batch; every entry has its line in the report afterwards."""
        items = [item for entry in entries if (item := await self._enlisted(entry))]
        changed = await self._without_stored(items)
        await self._bring_in([item for item in changed if await self._load(item)])

    async def finish(self) -> None:
        """Forget what is kept of a `.jsonl` as a file when none of its lines was bad this time."""
        outcomes = self._outcomes
        clean = [source for source, bad in self._containers.items() if not bad]
        states = await outcomes.store.states(outcomes.scope, outcomes.collection, clean) if clean else {}
        mended = [source for source, state in states.items() if not state.has_content and source not in self._hashes]
        if mended:
            await outcomes.store.delete(outcomes.scope, outcomes.collection, mended)

    async def prune(self) -> int:
        """Delete the documents that this run did not see; none where a failure may hide some, and it says so. Returns how many.

        Raises InvalidArgument where it saw none at all: a folder that is not mounted looks empty, and everything would go.
        """
        outcomes = self._outcomes
        if not self.sources:
            raise InvalidArgument(
                "the paths hold no documents, so pruning would delete the whole collection: check them, or delete by source"
            )
        for report in self._hiding:
            report["reason"] = f"{report['reason']}; nothing was pruned, as it may hold documents that are stored"
        if self._hiding:
            return 0
        gone = set(await outcomes.store.sources(outcomes.scope, outcomes.collection)) - self.sources
        return (await outcomes.store.delete(outcomes.scope, outcomes.collection, sorted(gone))).deleted if gone else 0

    async def _enlisted(self, entry: Entry) -> Item | None:
        """The entry's item if there is a document to bring in; its line is in the report either way."""
        known = self._hashes.get(entry.source)
        if not entry.refused and known == entry.content_hash:
            # The same file was given twice, by itself and by its folder.
            self._outcomes.tracker.finished()
            return None
        item = Item(entry, FileReport(path=entry.path, source=entry.source, status="unchanged", chunks=0, reason=None))
        self.files.append(item.report)
        self._see(item)
        if entry.refused == "skipped":
            self._outcomes.left(item, "skipped", entry.reason)
        elif entry.refused:
            await self._outcomes.failed(item, "load", entry.reason or "")
        elif known is not None:
            self._outcomes.left(item, "failed", f"{entry.source!r} is the source of another document of this run: rename one")
        else:
            self._hashes[entry.source] = entry.content_hash
            return item
        return None

    def _see(self, item: Item) -> None:
        entry = item.entry
        self.sources.add(entry.source)
        if entry.owner:
            self.sources.add(entry.owner)
        if entry.hides:
            self._hiding.append(item.report)
        if entry.container:
            self._containers[entry.container] = self._containers.get(entry.container, False) or entry.hides

    async def _without_stored(self, items: Sequence[Item]) -> list[Item]:
        """The items that must be read; the others are stored as they are, and get the run's readers where theirs differ."""
        outcomes = self._outcomes
        states = await outcomes.store.states(outcomes.scope, outcomes.collection, [item.entry.source for item in items])
        changed, moved = [], []
        for item in items:
            state = states.get(item.entry.source)
            if state is None or not state.has_content or state.failed or state.content_hash != item.entry.content_hash:
                changed.append(item)
                continue
            same_readers = state.readers == outcomes.readers
            outcomes.left(item, "unchanged" if same_readers else "updated", None if same_readers else "other readers", state.chunks)
            if not same_readers:
                moved.append(item.entry.source)
        if moved:
            await outcomes.store.set_readers(outcomes.scope, outcomes.collection, moved, outcomes.readers)
        return changed

    async def _load(self, item: Item) -> bool:
        """Parse the entry; False where that failed, and is reported."""
        entry = item.entry
        if entry.load is None:
            raise AssertionError("an entry that is not refused can be loaded")
        try:
            loaded = await asyncio.to_thread(entry.load)
        except IngestError as exc:
            await self._outcomes.failed(item, "load", str(exc))
            return False
        item.loaded = replace(loaded, title=loaded.title[:_LONGEST_TITLE])
        item.indexed = IndexedDocument(
            source=entry.source,
            content_hash=entry.content_hash,
            title=item.loaded.title,
            text=loaded.text,
            language=language_of(loaded.text),
            content_type=loaded.content_type,
            readers=self._outcomes.readers,
            metadata=loaded.metadata,
            modified=loaded.modified,
            created=loaded.created,
            chunks=(),
        )
        return True

    async def _bring_in(self, items: Sequence[Item]) -> None:
        """Adopt what is stored under another source, write the rest; of equal texts the first is written, and the others adopt it."""
        waiting = list(items)
        while waiting:
            new = await self._adopt(waiting)
            firsts = {item.entry.content_hash: item for item in reversed(new)}
            await self._writer.write([item for item in new if firsts[item.entry.content_hash] is item])
            waiting = [item for item in new if firsts[item.entry.content_hash] is not item]

    async def _adopt(self, items: Sequence[Item]) -> list[Item]:
        """The items whose text is not stored; the others are done."""
        outcomes = self._outcomes
        documents = [item.indexed for item in items if item.indexed is not None]
        try:
            results: Sequence[PutResult | None] = await outcomes.store.adopt(outcomes.scope, outcomes.collection, documents)
        except IngestError as exc:
            if len(items) > 1:
                return [new for item in items for new in await self._adopt([item])]
            await outcomes.failed(items[0], "store", str(exc))
            return []
        for item, result in zip(items, results, strict=True):
            if result is not None:
                outcomes.stored(item, result, cut=False)
        return [item for item, result in zip(items, results, strict=True) if result is None]
