"""Brings documents into a collection and takes them out: one version of each in every arm, at every moment that others can see.

The steps of one writing transaction; documents.py opens it and holds the public methods.
"""

import json
from collections import Counter
from collections.abc import Collection as Some
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, LiteralString

from psycopg.rows import class_row
from psycopg.sql import SQL, Composed, Identifier

from retrievers.documents import IndexedDocument
from retrievers.store.audiences import Readers, audience_numbers
from retrievers.store.pools import Connection
from retrievers.store.rows import (
    MAX_COUNT,
    Columns,
    VectorArray,
    VectorArrayDumper,
    chunk_columns,
    chunk_id,
    document_columns,
    posting_columns,
    to_json,
    window_columns,
)
from retrievers.store.spaces import vector_table, window_table
from retrievers.store.sql import statement
from retrievers.types import Collection, Json, Vector

_ALL_OK = json.dumps({stage: {"status": "ok", "reason": None} for stage in ("load", "chunk", "embed", "store")})


@dataclass(frozen=True)
class PutResult:
    """What became of one document; `chunks` is how many its text has."""

    source: str
    status: Literal["added", "updated", "unchanged"]
    chunks: int


@dataclass(frozen=True)
class StoredDocument:
    """A document as stored; `content` and `content_hash` are None while only a failure is known. `failed`: the last try of some stage."""

    source: str
    document: int
    content: int | None
    content_hash: str | None
    title: str
    language: str
    content_type: str
    created: datetime | None
    modified: datetime | None
    readers: list[str]
    metadata: dict[str, Json]
    failed: bool
    chunks: int


@dataclass(frozen=True)
class StoredText:
    """A stored text and how many chunks it has."""

    content_hash: str
    content: int
    chunks: int


class Swap:
    """The steps over one collection, in a transaction that holds its lock."""

    def __init__(self, conn: Connection, tenant: str, collection: Collection) -> None:
        self._conn = conn
        self._tenant = tenant
        self._collection = collection
        self._key = {"tid": collection.tid, "coll": collection.coll}
        conn.adapters.register_dumper(VectorArray, VectorArrayDumper)

    async def bring_in(self, documents: Sequence[IndexedDocument]) -> list[PutResult]:
        """Store the documents, whose sources are distinct; the chunks of a text that is stored already are not looked at."""
        stored = await self.stored([document.source for document in documents])
        texts = await self.texts([document.content_hash for document in documents])
        changed = [document for document in documents if not _same_row(document, stored.get(document.source))]
        if changed:
            await self._write(changed, stored, texts)
        return [_result(document, stored.get(document.source), texts) for document in documents]

    async def stored(self, sources: Sequence[str]) -> dict[str, StoredDocument]:
        """What is stored of these sources."""
        async with self._conn.cursor(row_factory=class_row(StoredDocument)) as cursor:
            await cursor.execute(statement("find_documents.sql"), self._key | {"sources": list(sources)})
            return {row.source: row for row in await cursor.fetchall()}

    async def texts(self, hashes: Sequence[str]) -> dict[str, StoredText]:
        """Which of these texts are stored, by hash."""
        async with self._conn.cursor(row_factory=class_row(StoredText)) as cursor:
            await cursor.execute(statement("find_contents.sql"), self._key | {"hashes": list(hashes)})
            return {row.content_hash: row for row in await cursor.fetchall()}

    async def settle(self, contents: Some[int]) -> int:
        """Bring these texts in line with the documents they have now: the union of their readers, or away. Returns the chunks removed."""
        orphans = await self._spread_readers(contents)
        return await self._remove(orphans) if orphans else 0

    async def _write(self, changed: Sequence[IndexedDocument], stored: Mapping[str, StoredDocument], texts: dict[str, StoredText]) -> None:
        """Store changed documents; `texts` gets the added ones. New chunks go in before old ones go: words of both keep their numbers."""
        audiences = await self._audiences({document.readers for document in changed})
        fresh = {document.content_hash: document for document in reversed(changed) if document.content_hash not in texts}
        numbers = await self._add_texts(list(fresh.values()), audiences)
        texts |= {text: StoredText(text, numbers[text], len(document.chunks)) for text, document in fresh.items()}
        await self._write_documents(changed, stored, texts, audiences)
        before = {stored[document.source].content for document in changed if document.source in stored}
        touched = {texts[document.content_hash].content for document in changed} | {content for content in before if content is not None}
        orphans = await self._spread_readers(touched)
        await self._add_chunks({numbers[text]: document for text, document in fresh.items()})
        if orphans:
            await self._remove(orphans)

    async def _add_texts(self, documents: Sequence[IndexedDocument], audiences: Mapping[Readers, int]) -> dict[str, int]:
        columns: Columns = {
            "hashes": [document.content_hash for document in documents],
            "bodies": [document.text for document in documents],
            "audiences": [audiences[document.readers] for document in documents],
        }
        return dict(await self._rows("add_contents.sql", columns))

    async def _write_documents(
        self,
        documents: Sequence[IndexedDocument],
        stored: Mapping[str, StoredDocument],
        texts: Mapping[str, StoredText],
        audiences: Mapping[Readers, int],
    ) -> None:
        for file, some in (
            ("add_documents.sql", [document for document in documents if document.source not in stored]),
            ("update_documents.sql", [document for document in documents if document.source in stored]),
        ):
            contents = [texts[document.content_hash].content for document in some]
            columns = document_columns(some, contents, [audiences[document.readers] for document in some])
            await self._run(file, columns | {"stages": _ALL_OK})

    async def _add_chunks(self, documents: Mapping[int, IndexedDocument]) -> None:
        """Index the chunks of new texts, given by number: chunks, words, postings, vectors."""
        chunks = [chunk for document in documents.values() for chunk in document.chunks]
        if not chunks:
            return
        counts = Counter(word for chunk in chunks for word in chunk.terms)
        terms: dict[str, int] = dict(await self._rows("add_terms.sql", {"words": list(counts), "counts": list(counts.values())}))
        added = dict(await self._rows("add_chunks.sql", chunk_columns(self._tenant, self._collection, documents, terms)))
        numbers = [
            added[chunk_id(self._tenant, self._collection.name, document.content_hash, chunk.draft.ordinal)]
            for document in documents.values()
            for chunk in document.chunks
        ]
        await self._run("add_postings.sql", posting_columns([chunk.terms for chunk in chunks], numbers, terms) | {"max_count": MAX_COUNT})
        await self._run("add_vectors.sql", {"chunks": numbers, "embeddings": await self._array([chunk.vector for chunk in chunks])})
        if windows := window_columns(numbers, [chunk.windows for chunk in chunks]):
            await self._run("add_windows.sql", windows.keys | {"embeddings": await self._array(windows.vectors)})

    async def _array(self, vectors: Sequence[Vector]) -> VectorArray:
        kind = self._collection.embedding.column_type
        row = await (await self._conn.execute("select %s::regtype::oid::integer", (kind,))).fetchone()
        assert row is not None
        return VectorArray.of(vectors, kind, row[0])

    async def _spread_readers(self, contents: Some[int]) -> list[int]:
        """Give each text and all that belongs to it the union of its documents' readers; return the texts without a document."""
        unions: dict[int, set[str]] = {}
        current: dict[int, int] = {}
        for content, audience, readers in await self._rows("content_readers.sql", {"contents": sorted(contents)}):
            current[content] = audience
            unions.setdefault(content, set()).update(readers or ())
        wanted = {content: tuple(sorted(readers)) for content, readers in unions.items() if readers}
        audiences = await self._audiences(set(wanted.values()))
        moves = {content: audiences[readers] for content, readers in wanted.items() if audiences[readers] != current[content]}
        if moves:
            await self._run("move_audiences.sql", {"contents": list(moves), "audiences": list(moves.values())})
        await self._forget_titles(contents)
        return sorted(content for content, readers in unions.items() if not readers)

    async def _forget_titles(self, contents: Some[int]) -> None:
        """Let the chunks of texts that have another title now be read for entities again: a title is a name, with readers of its own."""
        retitled = [chunk for (chunk,) in await self._rows("graph_retitled.sql", {"contents": sorted(contents)})]
        if retitled:
            await self._run("graph_forget.sql", {"chunks": retitled})

    async def _remove(self, contents: Sequence[int]) -> int:
        [(chunks,)] = await self._rows("remove_contents.sql", {"contents": list(contents)})
        await self._run("delete_contents.sql", {"contents": list(contents)})
        return int(chunks)

    async def _audiences(self, sets: Some[Readers]) -> dict[Readers, int]:
        return await audience_numbers(self._conn, sets, self._collection.tid)

    async def _run(self, file: LiteralString, columns: Columns) -> None:
        await self._conn.execute(self._statement(file), self._key | columns)

    async def _rows(self, file: LiteralString, columns: Columns) -> list[Any]:
        return await (await self._conn.execute(self._statement(file), self._key | columns)).fetchall()

    def _statement(self, file: LiteralString) -> Composed:
        kind = self._collection.embedding.column_type
        return SQL(statement(file)).format(
            vectors=vector_table(self._collection.space),
            windows=window_table(self._collection.space),
            type=Identifier(kind),
            title=SQL(statement("shared_title.sql")),
        )


def _material(document: IndexedDocument) -> tuple[object, ...]:
    """What makes a document another one; its dates do not."""
    metadata = json.loads(to_json(document.metadata))
    return (document.content_hash, document.readers, document.title, document.language, document.content_type, metadata)


def _stored_material(row: StoredDocument) -> tuple[object, ...]:
    return (row.content_hash, tuple(row.readers), row.title, row.language, row.content_type, row.metadata)


def _same_row(document: IndexedDocument, row: StoredDocument | None) -> bool:
    return (
        row is not None
        and not row.failed
        and _material(document) == _stored_material(row)
        and (document.created, document.modified) == (row.created, row.modified)
    )


def _result(document: IndexedDocument, row: StoredDocument | None, texts: Mapping[str, StoredText]) -> PutResult:
    chunks = texts[document.content_hash].chunks
    if row is None or row.content is None:
        return PutResult(document.source, "added", chunks)
    same = _material(document) == _stored_material(row)
    return PutResult(document.source, "unchanged" if same else "updated", chunks)
