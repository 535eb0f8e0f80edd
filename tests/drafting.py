"""Makes documents of any number of chunks for the store, and reads back what the store made of them, by public ids alone."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrievers.documents import ChunkDraft, IndexedChunk, IndexedDocument
from retrievers.scope import Scope
from retrievers.store.collections import ensure_collection
from retrievers.store.database import Database
from retrievers.text.analysis import ANALYSER, analyse
from retrievers.types import Collection, EmbeddingSpec, Json, Vector

SPEC = EmbeddingSpec(model="draft-8", dims=8, max_tokens=512, absolute_weight=1.0, no_answer=0.6)


def draft(
    source: str,
    *paragraphs: str,
    title: str = "",
    readers: tuple[str, ...] = ("tenant",),
    metadata: Mapping[str, Json] | None = None,
    headings: tuple[str, ...] = (),
    windowed: bool = False,
) -> IndexedDocument:
    """A document with a chunk for each paragraph; its hash is of its text, as a file's is of its bytes. `windowed`: see `windows_of`."""
    text = "\n\n".join(paragraphs)
    chunks, start = [], 0
    for ordinal, paragraph in enumerate(paragraphs):
        words = analyse(paragraph)
        chunk = ChunkDraft(ordinal, paragraph, headings, start, start + len(paragraph), len(words))
        chunks.append(IndexedChunk(chunk, words, vector_of(paragraph), windows_of(paragraph) if windowed else None))
        start += len(paragraph) + 2
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return IndexedDocument(source, digest, title, text, "en", "text/plain", readers, metadata or {}, None, None, tuple(chunks))


def vector_of(text: str) -> Vector:
    """A unit vector that depends on the text alone."""
    digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
    numbers = np.frombuffer(digest[:16], ">i2").astype(np.float32) + 0.5
    unit: Vector = (numbers / np.linalg.norm(numbers)).astype(np.float32)
    return unit


def windows_of(text: str) -> NDArray[np.float32] | None:
    """A vector for each two words of the text; None for three words and fewer."""
    words = analyse(text)
    parts = [" ".join(words[start : start + 2]) for start in range(0, len(words), 2)]
    return np.stack([vector_of(part) for part in parts]) if len(words) > 3 else None


async def make_collection(database: Database, scope: Scope, name: str = "default") -> Collection:
    """The collection of that name as it is now."""
    return await ensure_collection(database, scope, name, SPEC, ANALYSER)


async def rows(database: Database, scope: Scope, query: str, *values: object) -> list[tuple[Any, ...]]:
    """What a statement returns to that scope."""
    async with database.transaction(scope) as conn:
        return await (await conn.execute(query.encode(), values)).fetchall()


async def contents(database: Database, scope: Scope, collection: Collection) -> dict[str, list[tuple[Any, ...]]]:
    """Everything that is stored of a collection, without numbers that depend on its history: equal for equal documents."""
    key = (collection.tid, collection.coll)
    queries = {
        "collection": "select chunk_count, token_count from tadori.collection where tid = %s and coll = %s",
        "documents": """
            select d.source, d.content_hash, d.title, d.language, d.content_type, a.readers, d.metadata, d.stages
            from tadori.document d join tadori.audience a using (tid, audience) where d.tid = %s and d.coll = %s order by d.source""",
        "texts": """
            select c.content_hash, c.body, a.readers from tadori.content c join tadori.audience a using (tid, audience)
            where c.tid = %s and c.coll = %s order by c.content_hash""",
        "chunks": """
            select c.id, x.content_hash, c.ordinal, c.body, c.heading_path, c.char_start, c.char_end, c.token_count, c.length, a.readers
            from tadori.chunk c join tadori.content x using (tid, coll, content)
            join tadori.audience a on a.tid = c.tid and a.audience = c.audience
            where c.tid = %s and c.coll = %s order by c.id""",
        "words": "select word, df from tadori.term where tid = %s and coll = %s order by word",
        "postings": """
            select c.id, t.word, p.tf, p.dl, a.readers
            from tadori.posting p
            join tadori.chunk c on c.tid = p.tid and c.chunk = p.chunk
            join tadori.term t on t.tid = p.tid and t.coll = p.coll and t.term = p.term
            join tadori.audience a on a.tid = p.tid and a.audience = p.audience
            where p.tid = %s and p.coll = %s order by c.id, t.word""",
        "vectors": f"""
            select c.id, v.embedding::text, a.readers
            from tadori.vector_{collection.space} v join tadori.chunk c using (tid, coll, chunk)
            join tadori.audience a on a.tid = v.tid and a.audience = v.audience
            where v.tid = %s and v.coll = %s order by c.id""",
        "windows": f"""
            select c.id, w.place, w.embedding::text, a.readers
            from tadori.vector_{collection.space}_windows w join tadori.chunk c using (tid, coll, chunk)
            join tadori.audience a on a.tid = w.tid and a.audience = w.audience
            where w.tid = %s and w.coll = %s order by c.id, w.place""",
        "word order": """
            select c.id, u.place, t.word from tadori.chunk c cross join lateral unnest(c.words) with ordinality as u (term, place)
            join tadori.term t on t.tid = c.tid and t.coll = c.coll and t.term = u.term
            where c.tid = %s and c.coll = %s order by c.id, u.place""",
    }
    return {name: await rows(database, scope, query, *key) for name, query in queries.items()}


async def traces(database: Database, scope: Scope, collection: Collection) -> dict[str, int]:
    """How many rows each table holds of the collection, whatever they belong to."""
    tables = ("document", "content", "chunk", "term", "posting", f"vector_{collection.space}")
    key = (collection.tid, collection.coll)
    return {
        table.rstrip("_0123456789"): (
            await rows(database, scope, f"select count(*) from tadori.{table} where tid = %s and coll = %s", *key)
        )[0][0]
        for table in tables
    }
