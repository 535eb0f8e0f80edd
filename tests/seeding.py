"""Puts small documents into a collection through the store's own write side, one chunk each, for tests of the searches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256

import numpy as np

from retrievers.documents import ChunkDraft, IndexedChunk, IndexedDocument
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store.collections import ensure_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.text.analysis import ANALYSER, analyse
from retrievers.types import Collection, ContentType, Embedder, Json, Origin, Vector


@dataclass(frozen=True)
class Text:
    """A document of one chunk; `vector` None means the embedder's. `windows`: the vectors of its parts, None for one part."""

    source: str
    text: str
    title: str = ""
    heading_path: tuple[str, ...] = ()
    metadata: Mapping[str, Json] = field(default_factory=dict)
    modified: datetime | None = None
    readers: tuple[str, ...] = ("tenant",)
    vector: Vector | None = None
    windows: Sequence[Vector] | None = None
    language: str = "und"
    content_type: ContentType = "text"
    origin: Origin = "person"


async def seed(
    database: Database, scope: Scope, documents: Sequence[Text], *, collection: str = "default", embedder: Embedder | None = None
) -> Collection:
    """Store the documents and return the collection as it is afterwards."""
    embedder = embedder or HashEmbedder()
    made = await ensure_collection(database, scope, collection, embedder.spec, ANALYSER)
    vectors = await embedder.embed_passages([document.text for document in documents])
    ready = [indexed(document, vector) for document, vector in zip(documents, vectors, strict=True)]
    await DocumentStore(database).put(scope, made, ready)
    return await ensure_collection(database, scope, collection, embedder.spec, ANALYSER)


def indexed(document: Text, vector: Vector) -> IndexedDocument:
    """The document as the store takes it."""
    words = analyse("\n".join(part for part in (document.title, *document.heading_path, document.text) if part))
    kind = {"content_type": document.content_type, "language": document.language, "origin": document.origin}
    draft = ChunkDraft(0, document.text, document.heading_path, 0, len(document.text), len(words), **kind)
    windows = None if document.windows is None else np.stack(document.windows)
    return IndexedDocument(
        source=document.source,
        content_hash=sha256(document.text.encode()).hexdigest(),
        title=document.title,
        text=document.text,
        language="und",
        content_type="text/plain",
        readers=document.readers,
        metadata=document.metadata,
        modified=document.modified,
        created=None,
        chunks=(IndexedChunk(draft, words, vector if document.vector is None else document.vector, windows),),
    )
