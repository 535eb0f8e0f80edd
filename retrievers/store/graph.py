"""The knowledge graph of a collection: what its chunks say of entities goes in, is read, and is corrected by a person.

Used by retrievers/ingest/graph.py and the composition root; the rows are made in graph_rows.py, read in graph_reading.py.
"""

from collections.abc import Mapping, Sequence
from typing import Any, LiteralString, cast

from psycopg.rows import dict_row
from psycopg.sql import SQL, Composed

from retrievers.entities import Extraction, GraphText
from retrievers.neighbourhoods import Choice, GraphSizes, Neighbourhood
from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.graph_choices import decide
from retrievers.store.graph_reading import find_keys, read_neighbourhood
from retrievers.store.graph_rows import Read, alias_columns, extraction_columns, mention_columns, relation_columns
from retrievers.store.pools import Connection
from retrievers.store.sql import statement
from retrievers.store.statistics import refresh_graph
from retrievers.store.writing import reading, writing
from retrievers.types import Collection


class GraphStore:
    """The graphs of all tenants in `db`.

    Writing needs the tenant's operator. Every method raises UnknownCollection for a collection that is gone or another tenant's.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    async def pending(
        self, scope: Scope, collection: Collection, extractor: str | None, limit: int, *, after: int = 0, retry_failed: bool = False
    ) -> list[GraphText]:
        """The next chunks that `extractor` has not read, by number; empty where none has a higher one than `after`.

        None: those that no extractor has read. `retry_failed`: also those that could not be read. The title is one that all the chunk's
        readers may read, or ''.
        """
        values = {"extractor": extractor, "after": after, "rows": limit, "retry_failed": retry_failed}
        async with reading(self._db, scope, collection) as conn:
            rows = await _rows(conn, collection, "graph_pending.sql", values)
        return [GraphText(row["chunk"], row["title"], tuple(row["heading_path"]), row["text"], row["language"]) for row in rows]

    async def count_pending(self, scope: Scope, collection: Collection, extractor: str | None, *, retry_failed: bool = False) -> int:
        """How many chunks `pending` would give one after the other."""
        async with reading(self._db, scope, collection) as conn:
            values = {"extractor": extractor, "retry_failed": retry_failed}
            return int((await _rows(conn, collection, "graph_count_pending.sql", values))[0]["chunks"])

    async def put(
        self, scope: Scope, collection: Collection, extractor: str, texts: Sequence[GraphText], extractions: Sequence[Extraction]
    ) -> int:
        """Keep what `extractor` read, all or nothing, in place of what was read before; returns of how many chunks.

        A chunk that is gone meanwhile, or has another title, is passed over. Names are cleaned and cut; what points to no name of its
        chunk is left out.
        """
        async with writing(self._db, scope, collection) as conn:
            there = {"chunks": [text.chunk for text in texts], "titles": [text.title for text in texts]}
            living = {row["chunk"] for row in await _rows(conn, collection, "graph_unchanged.sql", there)}
            read = [(text, found) for text, found in zip(texts, extractions, strict=True) if text.chunk in living]
            if read:
                await _write(conn, collection, extractor, read)
        return len(read)

    async def find(self, scope: Scope, collection: Collection, text: str) -> list[str]:
        """The keys of the entity that `text` names, its own first, as far as the reader may know of it; empty where there is none."""
        async with reading(self._db, scope, collection) as conn:
            return await find_keys(conn, collection, text)

    async def neighbourhood(self, scope: Scope, collection: Collection, text: str, limit: int = 30) -> Neighbourhood:
        """The entity that `text` names and at most `limit` that are nearest to it, by what the reader may read.

        Raises InvalidArgument where there is no such entity: hidden ones are as unknown as those that never were.
        """
        async with reading(self._db, scope, collection) as conn:
            return await read_neighbourhood(conn, collection, text, limit)

    async def merge(self, scope: Scope, collection: Collection, one: str, other: str) -> Choice:
        """Decide that two names are one entity, or take back that they are not. Their mentions stay as they are.

        Raises InvalidArgument for a name that no entity has.
        """
        async with writing(self._db, scope, collection) as conn:
            return await decide(conn, collection, (one, other), same=True)

    async def split(self, scope: Scope, collection: Collection, one: str, other: str) -> Choice:
        """As `merge`, the other way round: take back that two names are one entity, or decide that they are not, whatever a text says."""
        async with writing(self._db, scope, collection) as conn:
            return await decide(conn, collection, (one, other), same=False)

    async def sizes(self, scope: Scope, collection: Collection) -> GraphSizes:
        """Counts what the reader may read; takes about a second for a million mentions."""
        async with reading(self._db, scope, collection) as conn:
            [row] = await _rows(conn, collection, "graph_sizes.sql", {})
        return cast(GraphSizes, row)

    async def refresh(self) -> None:
        """Tell the planner of what was put; after many chunks."""
        await refresh_graph(self._db)


async def _write(conn: Connection, collection: Collection, extractor: str, read: Read) -> None:
    extractions = extraction_columns(read)
    await _run(conn, collection, "graph_forget.sql", {"chunks": extractions["chunks"]})
    await _run(conn, collection, "graph_add_extractions.sql", extractions | {"extractor": extractor})
    await _run(conn, collection, "graph_add_mentions.sql", mention_columns(read))
    await _run(conn, collection, "graph_add_relations.sql", relation_columns(read))
    await _run(conn, collection, "graph_add_aliases.sql", alias_columns(read))


async def _run(conn: Connection, collection: Collection, file: LiteralString, values: Mapping[str, object]) -> None:
    await conn.execute(SQL(statement(file)), {**_key(collection), **values})


async def _rows(conn: Connection, collection: Collection, file: LiteralString, values: Mapping[str, object]) -> list[dict[str, Any]]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_statement(file), {**_key(collection), **values})
        return await cursor.fetchall()


def _statement(file: LiteralString) -> Composed:
    return SQL(statement(file)).format(title=SQL(statement("shared_title.sql")))


def _key(collection: Collection) -> dict[str, int]:
    return {"tid": collection.tid, "coll": collection.coll}
