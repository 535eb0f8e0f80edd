"""The write side of the store: documents go in, change and leave, each call in one transaction.

Used by ingestion and the composition root; the steps within a transaction are in swap.py.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from retrievers.documents import IndexedDocument
from retrievers.errors import IngestError
from retrievers.scope import Scope, check_readers
from retrievers.store.audiences import audience_numbers
from retrievers.store.database import Database
from retrievers.store.indexing import build_index, index_is_due
from retrievers.store.rows import check_document, is_storable
from retrievers.store.sql import statement
from retrievers.store.statistics import are_stale, refresh
from retrievers.store.swap import PutResult, StoredDocument, Swap
from retrievers.store.writing import reading, writing
from retrievers.types import Collection, Stage

_LONGEST_REASON = 2000  # characters of a failure's reason: a driver may quote a whole document


@dataclass(frozen=True)
class DocumentState:
    """What is stored of a source: nothing but a failure while `has_content` is False.

    `failed`: the last try failed; where there is content, it is an older version.
    """

    content_hash: str | None
    readers: tuple[str, ...]
    has_content: bool
    failed: bool
    chunks: int


@dataclass(frozen=True)
class DeleteReport:
    """Documents deleted, and the chunks that went with them: none where another source has the same text."""

    deleted: int
    chunks: int


class DocumentStore:
    """The documents of all tenants in `db`.

    Writing needs the tenant's operator. Every method raises UnknownCollection for a collection that is gone or another tenant's.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    async def put(self, scope: Scope, collection: Collection, documents: Sequence[IndexedDocument]) -> list[PutResult]:
        """Store whole documents, all or none, and say for each in order what became of it.

        A document is unchanged when text, readers, title, language, content type and metadata are; new dates alone are noted silently.
        Bytes that another source has already are stored once: its chunks serve both. Raises IngestError for a document that
        cannot be stored, InvalidArgument for its readers.
        """
        ready = [replace(document, readers=check_readers(document.readers)) for document in documents]
        for document in ready:
            check_document(document, collection.embedding.dims)
        async with writing(self._db, scope, collection) as conn:
            swap = Swap(conn, scope.tenant, collection)
            results = [result for batch in _distinct(ready) for result in await swap.bring_in(batch)]
            stale, due = await are_stale(conn, collection), await index_is_due(conn, collection)
        if stale:
            await refresh(self._db, collection)
        if due:
            await build_index(self._db, scope, collection)
        return results

    async def adopt(self, scope: Scope, collection: Collection, documents: Sequence[IndexedDocument]) -> list[PutResult | None]:
        """Store documents without chunks whose text is stored already; None for one whose text is not: cut it, embed it and put it."""
        ready = [replace(document, readers=check_readers(document.readers), chunks=()) for document in documents]
        for document in ready:
            check_document(document, collection.embedding.dims)
        async with writing(self._db, scope, collection) as conn:
            swap = Swap(conn, scope.tenant, collection)
            stored = await swap.texts([document.content_hash for document in ready])
            known = [document for document in ready if document.content_hash in stored]
            results = iter([result for batch in _distinct(known) for result in await swap.bring_in(batch)])
        return [next(results) if document.content_hash in stored else None for document in ready]

    async def set_readers(self, scope: Scope, collection: Collection, sources: Sequence[str], readers: Sequence[str]) -> int:
        """Give documents other readers without embedding them again, and return how many had others. Unknown sources are passed over."""
        known = check_readers(readers)
        async with writing(self._db, scope, collection) as conn:
            audience = (await audience_numbers(conn, [known], collection.tid))[known]
            values = {"tid": collection.tid, "coll": collection.coll, "audience": audience, "sources": _storable(sources)}
            rows = await (await conn.execute(statement("set_readers.sql"), values)).fetchall()
            await Swap(conn, scope.tenant, collection).settle({content for (content,) in rows if content is not None})
        return len(rows)

    async def delete(self, scope: Scope, collection: Collection, sources: Sequence[str]) -> DeleteReport:
        """Delete documents from every arm; unknown sources are passed over."""
        async with writing(self._db, scope, collection) as conn:
            values = {"tid": collection.tid, "coll": collection.coll, "sources": _storable(sources)}
            rows = await (await conn.execute(statement("delete_documents.sql"), values)).fetchall()
            chunks = await Swap(conn, scope.tenant, collection).settle({content for (content,) in rows if content is not None})
        return DeleteReport(len(rows), chunks)

    async def record_failure(
        self, scope: Scope, collection: Collection, source: str, stage: Stage, reason: str, readers: Sequence[str] = ("tenant",)
    ) -> None:
        """Note that a stage failed; the version stored before stays. `readers` are those of a source that is new."""
        if not is_storable(source):
            raise IngestError("store", f"the source {source!r} has a character that the database cannot hold: rename it")
        async with writing(self._db, scope, collection) as conn:
            known = check_readers(readers)
            values = {
                "tid": collection.tid,
                "coll": collection.coll,
                "source": source,
                "audience": (await audience_numbers(conn, [known], collection.tid))[known],
                "stage": stage,
                "reason": reason[:_LONGEST_REASON].replace("\0", "\ufffd").encode("utf-8", "replace").decode(),
            }
            await conn.execute(statement("record_failure.sql"), values)

    async def states(self, scope: Scope, collection: Collection, sources: Sequence[str]) -> dict[str, DocumentState]:
        """What is stored of these sources, as far as the reader may see; a source that is not stored is not in it."""
        async with reading(self._db, scope, collection) as conn:
            stored = await Swap(conn, scope.tenant, collection).stored(_storable(sources))
        return {source: _state(row) for source, row in stored.items()}

    async def sources(self, scope: Scope, collection: Collection) -> list[str]:
        """Every source that the reader may see, sorted, those included of which only a failure is known."""
        async with reading(self._db, scope, collection) as conn:
            rows = await conn.execute(statement("list_sources.sql"), {"tid": collection.tid, "coll": collection.coll})
            return [source for (source,) in await rows.fetchall()]


def _state(row: StoredDocument) -> DocumentState:
    return DocumentState(row.content_hash, tuple(row.readers), row.content is not None, row.failed, row.chunks)


def _storable(sources: Sequence[str]) -> list[str]:
    """Without the sources that cannot be in the database anyway."""
    return sorted({source for source in sources if is_storable(source)})


def _distinct(documents: Sequence[IndexedDocument]) -> Iterator[list[IndexedDocument]]:
    """Cut into batches without a source twice, in order: of two versions in one call the later one stays."""
    batch: dict[str, IndexedDocument] = {}
    for document in documents:
        if document.source in batch:
            yield list(batch.values())
            batch = {}
        batch[document.source] = document
    if batch:
        yield list(batch.values())
