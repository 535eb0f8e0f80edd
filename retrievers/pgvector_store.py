"""Opens a collection's chunks as langchain-postgres's PGVectorStore: read only, and with the policies on.

For code that is written against that class; our own searches are faster and rank better. Imported on demand by retrievers/__init__.py,
because langchain_postgres takes seconds to import.
"""

from collections.abc import Sequence
from typing import Any, NoReturn

from langchain_postgres import PGEngine, PGVectorStore
from psycopg.conninfo import conninfo_to_dict

from retrievers.errors import EmbeddingMismatch, StorageError
from retrievers.langchain_embeddings import EmbedderEmbeddings
from retrievers.scope import Scope
from retrievers.store.collections import get_collection
from retrievers.store.database import Database
from retrievers.store.pools import connection_options, session_options
from retrievers.store.server import APP_ROLE
from retrievers.store.spaces import pgvector_view
from retrievers.types import DEFAULT_COLLECTION, Embedder

_METADATA = ["source", "title", "heading_path", "page", "url", "origin", "language"]


class ReadOnlyPGVectorStore(PGVectorStore):
    """A PGVectorStore that searches; what would write or change an index raises StorageError, since a chunk is never written alone."""

    async def aclose(self) -> None:
        """Close its connections."""
        await self._engine.close()

    async def aadd_embeddings(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    async def aadd_texts(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    async def aadd_documents(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    async def adelete(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    async def aapply_hybrid_search_index(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    async def aapply_vector_index(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    async def areindex(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    async def adrop_vector_index(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    def add_embeddings(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    def add_texts(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    def add_documents(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    def apply_hybrid_search_index(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    def apply_vector_index(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    def reindex(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    def drop_vector_index(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse()


async def open_pgvector_store(
    database: Database, embedder: Embedder, *, scope: Scope, collection: str = DEFAULT_COLLECTION
) -> ReadOnlyPGVectorStore:
    """The chunks of a collection that the scope may read, exactly ranked by cosine; works from any loop and, synchronously, from none.

    Metadata: the document's own and the chunk's, with source, title, heading_path, page, url, origin and language. End it with `aclose()`,
    and keep `database` open until then. Raises UnknownCollection, EmbeddingMismatch, DatabaseUnavailable.
    """
    found = await get_collection(database, scope, collection)
    if (found.embedding.model, found.embedding.dims) != (embedder.spec.model, embedder.spec.dims):
        raise EmbeddingMismatch.of(collection, (found.embedding.model, found.embedding.dims), (embedder.spec.model, embedder.spec.dims))
    engine = PGEngine.from_connection_string(
        "postgresql+psycopg://", connect_args=await _session(database, scope, collection), pool_pre_ping=True
    )
    store = await ReadOnlyPGVectorStore.create(
        engine,
        EmbedderEmbeddings(embedder),
        pgvector_view(found.space),
        schema_name="tadori",
        id_column="id",
        content_column="content",
        embedding_column="embedding",
        metadata_columns=_METADATA,
        metadata_json_column="metadata",
    )
    assert isinstance(store, ReadOnlyPGVectorStore)
    return store


async def _session(database: Database, scope: Scope, collection: str) -> dict[str, Any]:
    """How SQLAlchemy opens its connections: as the role and the readers of the scope from the first moment, and unable to write."""
    dsn = await database.login()
    facts = await database.prepare()
    settings = {
        "role": APP_ROLE,
        "tadori.tenant": scope.tenant,
        "tadori.principals": _array(scope.principals),
        "tadori.collection": collection,
        "search_path": f'tadori,"{facts.vector_schema}"',
        "default_transaction_read_only": "on",
    }
    # SQLAlchemy runs its own transactions, and would be broken by autocommit.
    options = {name: value for name, value in connection_options().items() if name != "autocommit"}
    return {**conninfo_to_dict(dsn), **options, "options": session_options(dsn, settings)}


def _array(values: Sequence[str]) -> str:
    """A text[] literal."""
    quoted = ('"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' for value in values)
    return "{" + ",".join(quoted) + "}"


def _refuse() -> NoReturn:
    raise StorageError(
        "a collection opened as PGVectorStore is read only: add and remove documents with `tadori ingest` and `tadori delete`"
    )
