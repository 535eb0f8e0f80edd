"""Turns documents and chunks into the columns that the batched statements take, and refuses what PostgreSQL cannot hold.

Used by swap.py; no statement is run here.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format

from retrievers.documents import IndexedChunk, IndexedDocument
from retrievers.errors import IngestError
from retrievers.types import Collection, Json, Vector

MAX_COUNT = 32_767
"""Repeats of a word in a chunk and lengths are kept as smallint; BM25 has long stopped counting there."""

_ID_DIGITS = 24  # 96 bits: two of a billion chunks share an id once in 10^10 such collections
_JSON_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")

Columns = dict[str, object]


def chunk_id(tenant: str, collection: str, content_hash: str, ordinal: int) -> str:
    """The public id of a chunk: the same after any clean ingestion, and never the same in two tenants."""
    return sha256(f"{tenant}\0{collection}\0{content_hash}\0{ordinal}".encode()).hexdigest()[:_ID_DIGITS]


def is_storable(text: str) -> bool:
    """Whether PostgreSQL can hold the text: no NUL, no lone surrogate."""
    return _flaw(text) is None


def check_document(document: IndexedDocument, dims: int) -> None:
    """Raise IngestError, stage store, when the document cannot be stored as it is: it should have been cleaned before."""
    fields = {"source": document.source, "title": document.title, "text": document.text, "content_hash": document.content_hash}
    fields |= {"language": document.language, "content_type": document.content_type}
    for name, text in fields.items():
        _check_text(document.source, name, text)
    _check_metadata(document.source, document.metadata)
    for chunk in document.chunks:
        _check_chunk(document, chunk, dims)
    if sorted(chunk.draft.ordinal for chunk in document.chunks) != list(range(len(document.chunks))):
        raise IngestError("store", f"document {document.source!r} has chunks that are not numbered from 0 on: cut it again")


def to_json(metadata: Mapping[str, Json]) -> str:
    """The metadata as one canonical text, so that equal metadata are equal texts."""
    return json.dumps(metadata, ensure_ascii=False, allow_nan=False, sort_keys=True)


def document_columns(documents: Sequence[IndexedDocument], contents: Sequence[int], audiences: Sequence[int]) -> Columns:
    """The columns of add_documents.sql and update_documents.sql."""
    return {
        "sources": [document.source for document in documents],
        "contents": list(contents),
        "hashes": [document.content_hash for document in documents],
        "titles": [document.title for document in documents],
        "languages": [document.language for document in documents],
        "content_types": [document.content_type for document in documents],
        "created": [document.created for document in documents],
        "modified": [document.modified for document in documents],
        "audiences": list(audiences),
        "metadata": [to_json(document.metadata) for document in documents],
    }


def chunk_columns(tenant: str, collection: Collection, documents: Mapping[int, IndexedDocument], terms: Mapping[str, int]) -> Columns:
    """The columns of add_chunks.sql; `documents` by the number of their content, `terms` by word."""
    chunks = [(content, document, chunk) for content, document in documents.items() for chunk in document.chunks]
    drafts = [chunk.draft for _, _, chunk in chunks]
    return {
        "contents": [content for content, _, _ in chunks],
        "ids": [chunk_id(tenant, collection.name, document.content_hash, chunk.draft.ordinal) for _, document, chunk in chunks],
        "ordinals": [draft.ordinal for draft in drafts],
        "parents": [draft.parent for draft in drafts],
        "bodies": [draft.text for draft in drafts],
        "contexts": [draft.context for draft in drafts],
        "heading_paths": [json.dumps(draft.heading_path, ensure_ascii=False) for draft in drafts],
        "pages": [draft.page for draft in drafts],
        "starts": [draft.start for draft in drafts],
        "ends": [draft.end for draft in drafts],
        "token_counts": [draft.token_count for draft in drafts],
        "lengths": [sum(chunk.terms.values()) for _, _, chunk in chunks],
        "terms": [array_text(terms[word] for word in chunk.terms) for _, _, chunk in chunks],
        "words": [array_text(terms[word] for word in chunk.words) for _, _, chunk in chunks],
        "content_types": [draft.content_type for draft in drafts],
        "languages": [draft.language for draft in drafts],
        "origins": [draft.origin for draft in drafts],
        "metadata": [to_json(draft.metadata) for draft in drafts],
    }


def posting_columns(words: Sequence[Mapping[str, int]], numbers: Sequence[int], terms: Mapping[str, int]) -> Columns:
    """The columns of add_postings.sql for the words of chunks with their counts; `numbers` are the chunks' own, in the same order."""
    rows = [(terms[word], number, min(count, MAX_COUNT)) for own, number in zip(words, numbers, strict=True) for word, count in own.items()]
    return {"terms": [row[0] for row in rows], "chunks": [row[1] for row in rows], "counts": [row[2] for row in rows]}


class Windows(NamedTuple):
    """The `chunks` and `places` of windows, and their vectors in the same order."""

    keys: Columns
    vectors: list[Vector]


def window_columns(numbers: Sequence[int], windows: Sequence[NDArray[np.float32] | None]) -> Windows | None:
    """The windows of the chunks with these numbers; None where no chunk has any."""
    rows = [(number, place, row) for number, own in zip(numbers, windows, strict=True) if own is not None for place, row in enumerate(own)]
    if not rows:
        return None
    return Windows({"chunks": [row[0] for row in rows], "places": [row[1] for row in rows]}, [row[2] for row in rows])


class VectorArray(bytes):
    """An array of vectors in PostgreSQL's binary form: as text, writing and parsing the numbers costs more than storing them."""

    @classmethod
    def of(cls, vectors: Sequence[Vector], column_type: str, type_oid: int) -> "VectorArray":
        """The vectors, of one length and not none, as an array of `column_type`, whose number on this server is `type_oid`."""
        dims = len(vectors[0])
        number = ">f2" if column_type == "halfvec" else ">f4"
        cells = np.zeros(len(vectors), np.dtype([("bytes", ">i4"), ("dims", ">i2"), ("unused", ">i2"), ("numbers", number, (dims,))]))
        cells["bytes"], cells["dims"], cells["numbers"] = cells.itemsize - 4, dims, np.stack(vectors)
        # one dimension, no nulls, the element's type; then the dimension's length and lower bound
        return cls(np.array([1, 0, type_oid, len(vectors), 1], ">i4").tobytes() + cells.tobytes())


class VectorArrayDumper(Dumper):
    """Hands a VectorArray over as it is; the cast in the statement names its type."""

    format = Format.BINARY

    def dump(self, obj: VectorArray) -> VectorArray:
        return obj


def _check_chunk(document: IndexedDocument, chunk: IndexedChunk, dims: int) -> None:
    draft = chunk.draft
    _check_text(document.source, f"chunk {draft.ordinal}", "".join((draft.text, draft.context or "", draft.language, *draft.heading_path)))
    _check_text(document.source, f"word list of chunk {draft.ordinal}", "".join(chunk.terms))
    _check_metadata(document.source, draft.metadata)
    if draft.text != document.text[draft.start : draft.end]:
        raise IngestError("store", f"chunk {draft.ordinal} of {document.source!r} is not the text at its offsets: cut the document again")
    if chunk.vector.shape != (dims,) or not np.isfinite(chunk.vector).all():
        raise IngestError(
            "store",
            f"chunk {draft.ordinal} of {document.source!r} has no vector of {dims} numbers ({chunk.vector.shape!r}): embed it again",
        )
    windows = chunk.windows
    if windows is not None and (windows.ndim != 2 or windows.shape[1] != dims or not np.isfinite(windows).all()):
        raise IngestError(
            "store",
            f"a window of chunk {draft.ordinal} of {document.source!r} has no vector of {dims} numbers ({windows.shape!r}): embed it again",
        )


def _check_text(source: str, name: str, text: str) -> None:
    if flaw := _flaw(text):
        raise IngestError("store", f"document {source!r} has {flaw} in its {name}, which the database cannot hold: clean it first")


def _check_metadata(source: str, metadata: Mapping[str, Json]) -> None:
    try:
        text = to_json(metadata)
    except (TypeError, ValueError) as exc:
        raise IngestError("store", f"document {source!r} has metadata that are not JSON ({exc}): leave that value out") from exc
    _check_text(source, "metadata", "\0" if _JSON_NUL.search(text) else text)


def _flaw(text: str) -> str | None:
    if "\0" in text:
        return "a NUL character"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "half a surrogate pair"
    return None


def array_text(numbers: Iterable[int]) -> str:
    """An array of integers as PostgreSQL writes it."""
    return "{" + ",".join(map(str, numbers)) + "}"
