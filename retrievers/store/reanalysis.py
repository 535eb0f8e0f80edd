"""Exchanges all words of a collection for those of another analyser, in one transaction: a search finds the old ones or the new ones.

The store's side of `tadori reindex --words`; the words themselves are cut by retrievers/ingest/reanalysis.py.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence

from psycopg.rows import class_row

from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.pools import Connection
from retrievers.store.rebuild import MissingChunk
from retrievers.store.rows import MAX_COUNT, array_text, posting_columns
from retrievers.store.sql import statement
from retrievers.store.statistics import refresh
from retrievers.store.writing import writing
from retrievers.types import Collection

BATCH = 500
"""Chunks cut and written together: what is held in memory at once."""

Cut = Callable[[Sequence[MissingChunk]], Awaitable[Sequence[Sequence[str]]]]
"""The words of chunks in order, chunks as they were given."""


async def exchange_words(db: Database, scope: Scope, collection: Collection, analyser: str, cut: Cut) -> None:
    """Let the collection be searched by the words that `cut` gives. Writers wait until it is done; a kill leaves everything as it was.

    Raises UnknownCollection, and CollectionRebuilt where another process exchanged words or vectors meanwhile.
    """
    key = {"tid": collection.tid, "coll": collection.coll}
    async with writing(db, scope, collection) as conn:
        await conn.execute("set local statement_timeout = 0")  # a million postings take longer to remove than any search may
        await conn.execute(statement("forget_words.sql"), key)
        await conn.execute(statement("change_analyser.sql"), key | {"analyser": analyser})
        after = 0
        while chunks := await _next(conn, key, after):
            await _write(conn, key, [chunk.chunk for chunk in chunks], await cut(chunks))
            after = chunks[-1].chunk
    await refresh(db, collection)


async def _next(conn: Connection, key: Mapping[str, int], after: int) -> list[MissingChunk]:
    async with conn.cursor(row_factory=class_row(MissingChunk)) as cursor:
        await cursor.execute(statement("chunk_texts.sql"), {**key, "after": after, "rows": BATCH})
        return await cursor.fetchall()


async def _write(conn: Connection, key: Mapping[str, int], chunks: Sequence[int], words: Sequence[Sequence[str]]) -> None:
    counted = [Counter(own) for own in words]
    counts = Counter(word for own in counted for word in own)
    found = await conn.execute(statement("add_terms.sql"), {**key, "words": list(counts), "counts": list(counts.values())})
    terms: dict[str, int] = dict(await found.fetchall())
    columns = {
        "chunks": list(chunks),
        "lengths": [len(own) for own in words],
        "terms": [array_text(terms[word] for word in own) for own in counted],
        "words": [array_text(terms[word] for word in own) for own in words],
    }
    await conn.execute(statement("set_words.sql"), {**key, **columns})
    await conn.execute(statement("add_postings.sql"), {**key, **posting_columns(counted, chunks, terms), "max_count": MAX_COUNT})
