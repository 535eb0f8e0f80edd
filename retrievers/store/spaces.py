"""A table of vectors for each embedding model, made at the model's first use: a new model is built beside the old one.

Called when a collection is made; the searches and the writers take the table's name from here.
"""

from typing import Literal

from psycopg import sql

from retrievers.errors import InvalidArgument
from retrievers.store.database import Database
from retrievers.store.migrate import lock_definitions
from retrievers.store.pools import Connection
from retrievers.store.sql import statement
from retrievers.types import EmbeddingSpec

_INDEXED_DIMS = {"vector": 2000, "halfvec": 4000}  # the limits of pgvector's HNSW
_OPERATORS = {"vector": "vector_cosine_ops", "halfvec": "halfvec_cosine_ops"}


def vector_table(space: int) -> sql.Identifier:
    """The name of the space's table in schema tadori."""
    return sql.Identifier(f"vector_{space:d}")


def pgvector_view(space: int) -> str:
    """The name of the space's view for langchain-postgres, in schema tadori."""
    return f"pgvector_{space:d}"


def column_type(spec: EmbeddingSpec) -> Literal["halfvec", "vector"]:
    """The type the vectors are stored as: half precision above 2,000 dimensions, where single precision cannot be indexed."""
    return "halfvec" if spec.dims > _INDEXED_DIMS["vector"] else spec.column_type


async def ensure_space(db: Database, spec: EmbeddingSpec) -> int:
    """Return the number of the model's space, making its table first where it is new; safe for several at once."""
    if not 1 <= spec.dims <= _INDEXED_DIMS["halfvec"]:
        raise InvalidArgument(
            f"the model {spec.model!r} has {spec.dims} dimensions, and 1 to {_INDEXED_DIMS['halfvec']} can be stored: choose another"
        )
    async with db.owner() as conn, conn.transaction():
        await lock_definitions(conn)
        key = (spec.model, spec.dims, column_type(spec))
        found = await (
            await conn.execute("select space from tadori.embedding_space where model = %s and dims = %s and column_type = %s", key)
        ).fetchone()
        if found is not None:
            return int(found[0])
        made = await (
            await conn.execute("insert into tadori.embedding_space (model, dims, column_type) values (%s, %s, %s) returning space", key)
        ).fetchone()
        assert made is not None
        await _create(conn, int(made[0]), spec)
        return int(made[0])


async def _create(conn: Connection, space: int, spec: EmbeddingSpec) -> None:
    kind = column_type(spec)
    names = {
        "vector_table": vector_table(space),
        "view": sql.Identifier(pgvector_view(space)),
        "type": sql.SQL("{}({})").format(sql.Identifier(kind), sql.Literal(spec.dims)),
        "audience_index": sql.Identifier(f"vector_{space:d}_audience"),
        "vector_index": sql.Identifier(f"vector_{space:d}_hnsw"),
        "operators": sql.Identifier(_OPERATORS[kind]),
    }
    for file in ("create_space.sql", "index_space.sql", "view_space.sql"):
        await conn.execute(sql.SQL(statement(file)).format(**names))
