"""Every reranker as the contract tests meet it: the real adapter with the real client, and behind it what stands in for the provider."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from servers.chat import ChatServer
from servers.cohere import RerankServer
from servers.loopback import Reply
from tiny_onnx import write_cross_encoder

from nodes.rating import rate
from nodes.structured import Decider
from retrievers.providers.chat import resolve_chat
from retrievers.providers.rerank_chat import ChatReranker
from retrievers.providers.rerank_cohere import CohereReranker
from retrievers.providers.rerank_fastembed import FastembedReranker

WORDS = ["the", "torque", "is", "twelve", "a", "cat", "bolt", "turn"]


def count_words(text: str) -> int:
    """Tokens, for tests: what stands between spaces."""
    return len(text.split())


@contextmanager
def cohere(*first: Reply, model: str = "rerank-test", timeout_s: float = 3.0) -> Iterator[tuple[CohereReranker, RerankServer]]:
    """The adapter and the server it speaks to, which gives these replies first."""
    with RerankServer(*first) as server:
        yield CohereReranker(model, count=count_words, api_key="key", base_url=server.url, timeout_s=timeout_s), server


@contextmanager
def chat(*script: str | dict[str, object] | Reply, refuses: Sequence[str] = ()) -> Iterator[tuple[ChatReranker, ChatServer]]:
    """The adapter and the server of its model, which replies by the script."""
    with ChatServer(*script, refuses=tuple(refuses)) as server:
        model = Decider(resolve_chat("openai:tiny", base_url=server.base_url, api_key="key"))
        yield ChatReranker(partial(rate, model), prepare=model.prepare, name="openai:tiny", count=count_words), server


def cross_encoder(folder: Path, **given: object) -> FastembedReranker:
    """The adapter over a model of our own that counts the words which query and passage share."""
    return FastembedReranker(write_cross_encoder(folder, WORDS, **given))


def ratings(*scores: object) -> dict[str, object]:
    """A chat model's reply: these scores for passages 1, 2 and so on."""
    return {"ratings": [{"id": number, "score": score} for number, score in enumerate(scores, 1)]}
