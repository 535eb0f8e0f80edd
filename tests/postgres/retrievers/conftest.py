"""What the tests of the searches share: a search over the session's database with the embedder that needs no model."""

import pytest

from retrievers.hybrid import HybridSearch
from retrievers.providers.fakes import HashEmbedder
from retrievers.store.embedding_cache import EmbeddingCache


@pytest.fixture
def embedder():
    return HashEmbedder()


@pytest.fixture
def search(database, scope, embedder):
    """The search of the test's tenant, as its operator."""
    return HybridSearch(database, embedder, EmbeddingCache(database), scope)
