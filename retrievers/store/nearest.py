"""How one search asks a space's vector index: what is set for its transaction, and the arm's part of the statement.

Used by search.py; each kind of index has its own way, and all fall back to comparing every vector.
"""

from typing import Any, LiteralString

from psycopg import AsyncConnection
from psycopg.sql import SQL, Composed, Identifier, Literal

from retrievers.store.spaces import bits_table, vector_table
from retrievers.store.sql import statement
from retrievers.types import Collection, EmbeddingSpec

EF_SEARCH = 200
"""HNSW's candidate list at least: what a filter needs to be walked around."""

EF_FACTOR, EF_MOST = 4, 1000
"""The list is so many times as long as the candidates wanted, as far as pgvector allows: at twice the recall is .02 lower (measured)."""

PROBES, PROBES_FETCH = 4, 100
"""IVFFlat looks through so many times the square root of its lists, for up to so many candidates, before the policies and the filter ask
for more; for more candidates through as many more. At half of it recall is .06 lower (measured)."""

SHORTLIST, SHORTLIST_FACTOR = 200, 12
"""Rows that index kind binary compares again by their vectors: at least, and for each candidate wanted; at two thirds of it the 200 best
of a small share of the rows are found to .94 (measured)."""


async def prepare_index(conn: AsyncConnection[Any], collection: Collection, fetch: int) -> bool:
    """Set how the vector index is walked for `fetch` candidates in this transaction; False where every vector is to be compared.

    A centre that binary lacks is noticed inside the statement.
    """
    kind = collection.embedding.index_kind
    wanted = shortlist(fetch) if kind == "binary" else EF_FACTOR * fetch
    values = {
        "ef_search": str(min(EF_MOST, max(EF_SEARCH, wanted))),
        "vectors": f"tadori.vector_{collection.space:d}" if kind == "ivfflat" else None,
        "probes": PROBES * max(1.0, fetch / PROBES_FETCH),
    }
    row = await (await conn.execute(statement("search_settings.sql"), values, prepare=False)).fetchone()
    return kind in ("hnsw", "binary") or (kind == "ivfflat" and row is not None and row[0] is not None)


def shortlist(fetch: int) -> int:
    """How many rows found by their signs are compared by their vectors for `fetch` candidates."""
    return max(SHORTLIST, SHORTLIST_FACTOR * fetch)


def vector_arm(space: int, spec: EmbeddingSpec) -> Composed:
    """The part of hybrid.sql that finds the nearest vectors, for the space's kind of index."""
    names = {"vectors": vector_table(space), "type": Identifier(spec.column_type)}
    if spec.index_kind == "binary":
        bits = SQL("bit({})").format(Literal(spec.dims))
        nearest = SQL(_part("nearest_by_bits.sql")).format(signs=bits_table(space), bits=bits, **names)
    else:
        nearest = SQL(_part("nearest_by_vector.sql")).format(**names)
    return SQL(_part("vector_arm.sql")).format(nearest=nearest, **names)


def _part(file: LiteralString) -> LiteralString:
    return statement(file).rstrip("\n")
