"""The OpenAI-compatible embedder: the real client against a server on loopback."""

import asyncio

import numpy as np
import pytest
from servers.embeddings import EmbeddingServer, embeddings_reply
from servers.loopback import Reply

from retrievers.errors import InvalidArgument, MissingKey, ProviderRateLimited, ProviderRejected, ProviderReplyInvalid, ProviderUnavailable
from retrievers.providers.embed_openai import OpenAIEmbedder
from retrievers.types import EmbeddingSpec


def embedder(server: EmbeddingServer, model: str = "my-model", **options: object) -> OpenAIEmbedder:
    return OpenAIEmbedder(model, base_url=server.base_url, timeout_s=5, **options)  # type: ignore[arg-type]


async def test_vectors_come_back_in_order_and_of_unit_length() -> None:
    with EmbeddingServer() as server:
        rows = await embedder(server).embed_passages(["abcd", "a b"])
    assert rows.dtype == np.float32
    assert rows == pytest.approx(np.array([[4, 0, 1], [3, 1, 1]]) / np.sqrt([[17], [11]]), abs=1e-6)


async def test_the_dimensions_of_an_unknown_model_are_asked_for() -> None:
    with EmbeddingServer() as server:
        assert embedder(server).spec.dims == 3
        assert server.inputs == [["dimensions"]]


async def test_a_spec_that_is_given_is_used_as_it_is() -> None:
    given = EmbeddingSpec(model="openai:my-model", dims=3, max_tokens=8191, absolute_weight=2.0, no_answer=0.4)
    with EmbeddingServer() as server:
        assert embedder(server, spec=given).spec == given
        assert server.asked == []


@pytest.mark.rule("emb-advanced")
async def test_a_hundred_texts_go_into_one_request() -> None:
    """emb-advanced: batching."""
    with EmbeddingServer() as server:
        rows = await embedder(server).embed_passages([f"text {number}" for number in range(250)])
    assert [len(texts) for texts in server.inputs] == [100, 100, 50]
    assert rows.shape == (250, 3)


@pytest.mark.rule("T21", "T24")
async def test_an_e5_model_gets_its_prefixes_and_others_get_none() -> None:
    """T21, T24: the side is explicit, and a model that was trained with prefixes has them."""
    with EmbeddingServer() as server:
        e5 = embedder(server, "intfloat/multilingual-e5-large")
        await e5.embed_query("torque")
        await e5.embed_passages(["12 Nm"])
        await embedder(server, "bge-m3").embed_query("torque")
    assert server.inputs == [["query: torque"], ["passage: 12 Nm"], ["torque"]]


async def test_a_nul_and_a_lone_surrogate_never_reach_the_server() -> None:
    with EmbeddingServer() as server:
        await embedder(server).embed_query("a\x00b\ud800")
    assert server.inputs == [["ab\ufffd"]]


async def test_a_text_without_a_visible_character_is_refused() -> None:
    with EmbeddingServer() as server, pytest.raises(InvalidArgument, match="no embedding"):
        await embedder(server).embed_passages(["fine", " \n"])


async def test_a_short_outage_is_waited_out() -> None:
    with EmbeddingServer(Reply({"error": {"message": "busy"}}, status=503), Reply({}, status=429, headers={"Retry-After": "0"})) as server:
        assert (await embedder(server).embed_query("torque")).shape == (3,)
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply({"error": {"message": "bad key sk-123"}}, status=401), ProviderRejected),
        (Reply({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "60"}), ProviderRateLimited),
        (Reply("<html>", status=200), ProviderReplyInvalid),
        (Reply({"data": None}), ProviderReplyInvalid),
        (embeddings_reply([[1.0, 0.0], [1.0, 0.0]]), ProviderReplyInvalid),
        (embeddings_reply([[0.0, 0.0]]), ProviderReplyInvalid),
        (embeddings_reply([[float("nan"), 0.0]]), ProviderReplyInvalid),
    ],
    ids=["key", "limit", "html", "no-data", "too-many", "zero", "nan"],
)
async def test_a_failure_is_an_error_of_ours_and_never_a_vector(reply: Reply, error: type[Exception]) -> None:
    with EmbeddingServer(reply) as server, pytest.raises(error) as raised:
        await embedder(server).embed_query("torque")
    assert "sk-123" not in str(raised.value)


async def test_a_server_that_hangs_or_is_gone_is_unavailable() -> None:
    with EmbeddingServer(Reply(hang=True)) as server:
        slow = OpenAIEmbedder("m", base_url=server.base_url, timeout_s=0.5)
        with pytest.raises(ProviderUnavailable, match=r"within 0\.5 s"):
            await slow.embed_query("torque")
    with pytest.raises(ProviderUnavailable, match="cannot be reached"):
        await OpenAIEmbedder("m", base_url=server.base_url, timeout_s=1).embed_query("torque")


async def test_a_model_that_changes_its_dimensions_is_noticed() -> None:
    with EmbeddingServer(embeddings_reply([[1.0, 0.0]])) as server:
        changing = embedder(server)
        await changing.embed_query("first")
        with pytest.raises(ProviderReplyInvalid, match=r"\(1, 3\) where \(1, 2\)"):
            await changing.embed_query("second")


def test_openai_itself_needs_a_key() -> None:
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        OpenAIEmbedder("text-embedding-3-small")


def test_one_embedder_serves_one_event_loop_after_the_other() -> None:
    with EmbeddingServer() as server:
        shared = embedder(server)
        shapes = [asyncio.run(shared.embed_query(text)).shape for text in ("first", "second")]
    assert shapes == [(3,), (3,)]
