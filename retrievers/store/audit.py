"""Compares what a collection stores twice for speed with what it was made from, and names every difference.

Used by the doctor and by the tests of everything that writes.
"""

from psycopg.sql import SQL

from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.rows import MAX_COUNT
from retrievers.store.spaces import bits_table, vector_table, window_table
from retrievers.store.sql import statement
from retrievers.store.writing import reading, require_operator
from retrievers.types import Collection


async def audit(db: Database, scope: Scope, collection: Collection) -> list[str]:
    """The differences, sorted; empty when counts, lengths, postings, vectors, windows, codes, entities, audiences and texts agree.

    Reads the whole collection. Needs the tenant's operator: to anyone else hidden chunks would look like missing ones.
    """
    require_operator(scope)
    queries = ["audit.sql", "audit_graph.sql"] + ["audit_codes.sql"] * (collection.embedding.index_kind == "binary")
    space, title = collection.space, SQL(statement("shared_title.sql"))
    names = {"vectors": vector_table(space), "windows": window_table(space), "signs": bits_table(space), "title": title}
    values = {"tid": collection.tid, "coll": collection.coll, "max_count": MAX_COUNT}
    differences: list[str] = []
    async with reading(db, scope, collection) as conn:
        for query in queries:
            rows = await (await conn.execute(SQL(statement(query)).format(**names), values)).fetchall()
            differences += [difference for (difference,) in rows]
    return sorted(differences)
