"""Stand-ins for embedder, chat model, web search and reranker: deterministic, offline, and loud when misused.

Shipped for tests and for trying a graph without models; graphs.wiring never chooses one.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from hashlib import shake_256
from typing import Any

import numpy as np
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from numpy.typing import NDArray
from pydantic import Field

from retrievers.relevance import Reranked, RerankedText, RerankScale
from retrievers.types import EmbeddingSpec, Vector, WebPage

_DIMS = 64
"""Enough that two unrelated words are nearly orthogonal (expected |cosine| about 0.1), small enough to read."""

_WORD = re.compile(r"[぀-ヿ㐀-鿿가-힣]|[^\W_]+")


class ScriptEmpty(AssertionError):
    """A scripted chat model was asked more often than its script foresees."""


class HashEmbedder:
    """Texts that share words are near, others are not; equal for both sides, in every process and on every machine."""

    def __init__(self, dims: int = _DIMS) -> None:
        self._spec = EmbeddingSpec(model=f"hash-{dims}", dims=dims, max_tokens=512, absolute_weight=1.0, no_answer=0.6)
        self.queries: list[str] = []
        self.passages: list[str] = []

    @property
    def spec(self) -> EmbeddingSpec:
        return self._spec

    def count_tokens(self, text: str) -> int:
        """Words, a CJK character counting as one."""
        return len(_words(text))

    async def embed_query(self, text: str) -> Vector:
        self.queries.append(text)
        return self._embed(text)

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.passages.extend(texts)
        rows = [self._embed(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self._spec.dims), np.float32)

    def _embed(self, text: str) -> Vector:
        """The sum of one vector for each word, of unit length; a text without a word has a vector of its own."""
        total = np.stack([_word_vector(word, self._spec.dims) for word in _words(text) or [f"\0{text}"]]).sum(axis=0)
        unit: Vector = (total / np.linalg.norm(total)).astype(np.float32)
        return unit


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _word_vector(word: str, dims: int) -> NDArray[np.float64]:
    # A digest and not hash(): Python salts hash() per process.
    digest = shake_256(word.encode("utf-8", "surrogatepass")).digest(2 * dims)
    return np.frombuffer(digest, dtype=">i2").astype(np.float64)


class ScriptedChat(BaseChatModel):
    """Answers with the next reply of its script, a text or an AIMessage; an exception in the script is raised.

    It has neither tools nor structured output, like many small servers. `prompts` holds what it was asked. Tokens are
    counted as words.
    """

    replies: list[Any]
    prompts: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> ChatResult:
        self.prompts.append(messages)
        if not self.replies:
            raise ScriptEmpty(f"the script is empty, and was asked once more: {messages[-1].text[:200]!r}")
        reply = self.replies.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        message = reply if isinstance(reply, AIMessage) else _counted(reply, messages)
        return ChatResult(generations=[ChatGeneration(message=message)])


def _counted(reply: str, messages: Sequence[BaseMessage]) -> AIMessage:
    asked, answered = sum(len(_words(message.text)) for message in messages), len(_words(reply))
    return AIMessage(reply, usage_metadata={"input_tokens": asked, "output_tokens": answered, "total_tokens": asked + answered})


class FixedWeb:
    """A web that holds these pages for every query; an error is raised instead where one is given."""

    name = "fixed"

    def __init__(self, pages: Sequence[WebPage] = (), *, error: Exception | None = None) -> None:
        self._pages = list(pages)
        self._error = error
        self.queries: list[str] = []

    async def search(self, query: str, *, limit: int) -> list[WebPage]:
        self.queries.append(query)
        if self._error:
            raise self._error
        return self._pages[:limit]


class FixedReranker:
    """Scores texts by a table of how they end, 0 for what is not in it; an error is raised instead where one is given."""

    name = "fixed"

    def __init__(
        self, scores: Mapping[str, float] | None = None, *, error: Exception | None = None, scale: RerankScale = "relevance"
    ) -> None:
        self._scores = dict(scores or {})
        self._error = error
        self._scale: RerankScale = scale
        self.queries: list[str] = []
        self.texts: list[str] = []

    async def prepare(self) -> None:
        pass

    async def rerank(self, query: str, texts: Sequence[str]) -> Reranked:
        self.queries.append(query)
        self.texts.extend(texts)
        if self._error:
            raise self._error
        scored = [RerankedText(index=index, score=self._score(text)) for index, text in enumerate(texts)]
        return Reranked(self._scale, sorted(scored, key=lambda entry: (-entry["score"], entry["index"])))

    def _score(self, text: str) -> float:
        """That of the longest ending that fits; a passage comes with its title before its text."""
        fitting = [ending for ending in self._scores if text.endswith(ending)]
        return self._scores[max(fitting, key=len)] if fitting else 0.0
