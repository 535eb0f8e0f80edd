"""LangChain's own suite over HybridRetriever, with the embedded database behind it."""

import asyncio
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests
from pytest_socket import disable_socket, enable_socket
from seeding import Text, seed

from retrievers.blocking import wait_for
from retrievers.hybrid import HybridSearch
from retrievers.providers.fakes import HashEmbedder
from retrievers.retriever import HybridRetriever
from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.embedding_cache import EmbeddingCache

SCOPE = Scope.operator("langchain-retriever")


@pytest.fixture(autouse=True)
def _no_network():
    disable_socket(allow_unix_socket=True)
    yield
    enable_socket()


@pytest.fixture(scope="module")
def search(server_home, server_dsn):
    """A search over five documents; its synchronous calls have a loop and a pool of their own."""
    database = Database(None, home=server_home)
    wait_for(seed(database, SCOPE, [Text(f"note-{number}", f"note {number} about pumps") for number in range(5)]))
    yield HybridSearch(database, HashEmbedder(), EmbeddingCache(database), SCOPE)
    wait_for(database.close())


@pytest.mark.rule("L1")
class TestHybridRetriever(RetrieversIntegrationTests):
    """L1: all of langchain-tests' retriever suite, none expected to fail."""

    @pytest.fixture(autouse=True)
    def _searching(self, search: HybridSearch) -> None:
        self._search = search

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return HybridRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"search": self._search}

    @property
    def retriever_query_example(self) -> str:
        return "notes about pumps"


@pytest.mark.rule("F26")
def test_calling_it_inside_a_running_loop_works_and_blocks_that_loop_only(search):
    """F26: a notebook's cell that calls the synchronous entry gets its documents."""

    async def cell() -> int:
        return len(HybridRetriever(search=search, k=2).invoke("pumps"))

    assert asyncio.run(cell()) == 2
