"""What is particular to OpenAI-compatible addresses; the promises of every service are in tests/contract."""

import pytest
from servers.embeddings import EmbeddingServer, embeddings_reply

from retrievers.errors import ProviderReplyInvalid
from retrievers.providers.embed_openai import OpenAIEmbedder
from retrievers.types import EmbeddingSpec


def embedder(server: EmbeddingServer, model: str = "my-model", **options: object) -> OpenAIEmbedder:
    return OpenAIEmbedder(model, base_url=server.base_url, timeout_s=10, **options)  # type: ignore[arg-type]


async def test_a_spec_that_is_given_is_used_as_it_is() -> None:
    given = EmbeddingSpec(model="openai:my-model", dims=3, max_tokens=8191, absolute_weight=2.0, no_answer=0.4)
    with EmbeddingServer() as server:
        assert embedder(server, spec=given).spec == given
        assert server.asked == []


@pytest.mark.rule("T21", "T24")
@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("intfloat/multilingual-e5-large", "query: torque", "passage: 12 Nm"),
        ("my-e5-of-tomorrow", "query: torque", "passage: 12 Nm"),
        ("BAAI/bge-large-en-v1.5", "Represent this sentence for searching relevant passages: torque", "12 Nm"),
        ("nomic-embed-text-v1.5:latest", "search_query: torque", "search_document: 12 Nm"),
        ("bge-m3", "torque", "12 Nm"),
        ("multilingual-e5-large-instruct", "torque", "12 Nm"),
        ("text-embedding-3-small", "torque", "12 Nm"),
    ],
)
async def test_a_model_gets_the_prefixes_it_was_trained_with_and_others_none(model: str, query: str, passage: str) -> None:
    """T21, T24: the side is explicit, whatever server and organisation the model's name stands behind."""
    with EmbeddingServer(dims=1024) as server:
        made = embedder(server, model)
        made._spec, made._known = None, None  # whatever the size: it is the texts that count here
        await made.embed_query("torque")
        await made.embed_passages(["12 Nm"])
    assert server.inputs == [[query], [passage]]


@pytest.mark.rule("F14")
async def test_a_model_that_changes_its_dimensions_is_noticed() -> None:
    """F14: behind an address the model can be exchanged at any time."""
    with EmbeddingServer(embeddings_reply([[1.0, 0.0]])) as server:
        changing = embedder(server)
        await changing.embed_query("first")
        with pytest.raises(ProviderReplyInvalid, match=r"\(1, 3\) where \(1, 2\)"):
            await changing.embed_query("second")


@pytest.mark.rule("F14", "emb-models")
async def test_a_known_name_that_gives_other_dimensions_is_another_model() -> None:
    """F14, emb-models: what is called bge-m3 and is not never gets into the vectors."""
    with EmbeddingServer(dims=384) as server:
        with pytest.raises(ProviderReplyInvalid, match=r"\(1, 384\) where \(1, 1024\)"):
            await embedder(server, "bge-m3").embed_query("torque")
