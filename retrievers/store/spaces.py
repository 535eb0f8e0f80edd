"""A table of vectors for each embedding model and way to index it, made at first use: a new model is built beside the old one.

Called when a collection is made; the searches and the writers take the table's name from here.
"""

from psycopg import sql

from retrievers.errors import InvalidArgument
from retrievers.store.database import Database
from retrievers.store.migrate import lock_definitions
from retrievers.store.pools import Connection
from retrievers.store.sql import statement
from retrievers.types import EmbeddingSpec, VectorType

_INDEXED_DIMS = {"vector": 2000, "halfvec": 4000}  # the limits of pgvector's HNSW and IVFFlat
_MOST_DIMS = 16_000  # what a column of either type holds; its bits can be indexed to 64,000
_OPERATORS = {"vector": "vector_cosine_ops", "halfvec": "halfvec_cosine_ops"}
_INDEX_FILES = {"hnsw": ("index_space.sql",), "binary": ("create_bits.sql",)}  # the lists of IVFFlat need rows first: indexing.py


def vector_table(space: int) -> sql.Identifier:
    """The name of the space's table in schema tadori."""
    return sql.Identifier(f"vector_{space:d}")


def window_table(space: int) -> sql.Identifier:
    """The name of the table of the vectors of chunks' windows, in schema tadori."""
    return sql.Identifier(f"vector_{space:d}_windows")


def pgvector_view(space: int) -> str:
    """The name of the space's view for langchain-postgres, in schema tadori."""
    return f"pgvector_{space:d}"


def bits_table(space: int) -> sql.Identifier:
    """The name of the table of signs that a space of kind binary has beside its vectors, in schema tadori."""
    return sql.Identifier(f"vector_{space:d}_bits")


def operators(kind: VectorType) -> sql.Identifier:
    """The operator class of cosine distance for a column of that type."""
    return sql.Identifier(_OPERATORS[kind])


def column_type(spec: EmbeddingSpec) -> VectorType:
    """The type the vectors are stored as: half precision above 2,000 dimensions, where single precision cannot be indexed."""
    return "halfvec" if spec.dims > _INDEXED_DIMS["vector"] else spec.column_type


async def ensure_space(db: Database, spec: EmbeddingSpec) -> int:
    """Return the number of the space for the model, its dimensions, column type and index kind, making its table first where it is new.

    Safe for several at once. Raises InvalidArgument for more dimensions than the kind can take.
    """
    _check_dims(spec)
    async with db.owner() as conn, conn.transaction():
        await lock_definitions(conn)
        key = (spec.model, spec.dims, column_type(spec), spec.index_kind)
        found = await (
            await conn.execute(
                "select space from tadori.embedding_space where model = %s and dims = %s and column_type = %s and index_kind = %s", key
            )
        ).fetchone()
        if found is not None:
            return int(found[0])
        made = await (
            await conn.execute(
                "insert into tadori.embedding_space (model, dims, column_type, index_kind) values (%s, %s, %s, %s) returning space", key
            )
        ).fetchone()
        assert made is not None
        await _create(conn, int(made[0]), spec)
        return int(made[0])


def _check_dims(spec: EmbeddingSpec) -> None:
    most = _INDEXED_DIMS["halfvec"] if spec.index_kind in ("hnsw", "ivfflat") else _MOST_DIMS
    if not 1 <= spec.dims <= most:
        instead = f", or index binary or exact, which take up to {_MOST_DIMS}" if 1 <= spec.dims <= _MOST_DIMS else ""
        raise InvalidArgument(
            f"the model {spec.model!r} has {spec.dims} dimensions, and index {spec.index_kind} takes 1 to {most}: "
            f"choose another model{instead}"
        )


async def _create(conn: Connection, space: int, spec: EmbeddingSpec) -> None:
    kind = column_type(spec)
    names = {
        "space": sql.Literal(space),
        "vector_table": vector_table(space),
        "bits_table": bits_table(space),
        "window_table": window_table(space),
        "view": sql.Identifier(pgvector_view(space)),
        "type": sql.SQL("{}({})").format(sql.Identifier(kind), sql.Literal(spec.dims)),
        "bits": sql.SQL("bit({})").format(sql.Literal(spec.dims)),
        # Out of line where a row would not fit into its page; the limits happen to be those of the indexes.
        "storage": sql.SQL("plain" if spec.dims <= _INDEXED_DIMS[kind] else "external"),
        "audience_index": sql.Identifier(f"vector_{space:d}_audience"),
        "vector_index": sql.Identifier(f"vector_{space:d}_hnsw"),
        "encode": sql.Identifier(f"vector_{space:d}_encode"),
        "follow": sql.Identifier(f"vector_{space:d}_follow"),
        "operators": operators(kind),
    }
    for file in ("create_space.sql", "create_windows.sql", *_INDEX_FILES.get(spec.index_kind, ()), "view_space.sql"):
        await conn.execute(sql.SQL(statement(file)).format(**names))
