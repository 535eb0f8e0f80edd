"""Stand-ins for services that embed: an OpenAI-compatible one, Cohere and Voyage."""

import base64
from hashlib import shake_256
from typing import Any

import numpy as np
from servers.loopback import Asked, Loopback, Reply


def vector_of(text: str, dims: int) -> list[float]:
    """What a service with real dimensions answers: another vector for each text, the first numbers the same at any size."""
    numbers = np.frombuffer(shake_256(text.encode()).digest(2 * dims), ">i2").astype(float)
    return [round(number / 4096, 4) for number in numbers]


class EmbeddingServer(Loopback):
    """Answers `POST /v1/embeddings` with one vector a text, after the faults given.

    Without `dims` a vector is (the text's length, its spaces, 1); with them the service's own size, and `dimensions` are honoured.
    """

    def __init__(self, *first: Reply, dims: int | None = None) -> None:
        super().__init__()
        self.first = list(first)
        self.dims = dims

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def inputs(self) -> list[list[str]]:
        """The texts of each request."""
        return [asked.body["input"] for asked in self.asked]

    def reply(self, asked: Asked) -> Reply:
        if asked.path != "/v1/embeddings":
            return Reply({"error": {"message": f"no such path {asked.path}"}}, status=404)
        if self.first:
            return self.first.pop(0)
        return embeddings_reply([self._vector(text, asked.body) for text in asked.body["input"]], encoding=_encoding(asked))

    def _vector(self, text: str, body: dict[str, Any]) -> list[float]:
        if self.dims is None:
            return [float(len(text)), float(text.count(" ")), 1.0]
        return vector_of(text, body.get("dimensions", self.dims))


class VoyageServer(EmbeddingServer):
    """Voyage's interface: an input type, `output_dimension`, and errors as `{"detail"}`."""

    def reply(self, asked: Asked) -> Reply:
        if not self.first and asked.body.get("input_type") not in ("query", "document"):
            return Reply({"detail": "input_type is not given"}, status=400)
        return super().reply(asked)

    def _vector(self, text: str, body: dict[str, Any]) -> list[float]:
        assert self.dims is not None
        return vector_of(text, body.get("output_dimension", self.dims))


class CohereEmbedServer(Loopback):
    """Answers `POST /v2/embed` for at most 96 texts and with an input type, after the faults given."""

    def __init__(self, *first: Reply, dims: int = 1536) -> None:
        super().__init__()
        self.first = list(first)
        self.dims = dims

    @property
    def base_url(self) -> str:
        return self.url

    @property
    def inputs(self) -> list[list[str]]:
        """The texts of each request."""
        return [asked.body["texts"] for asked in self.asked]

    def reply(self, asked: Asked) -> Reply:
        if asked.path != "/v2/embed":
            return Reply({"message": "not found"}, status=404)
        if self.first:
            return self.first.pop(0)
        body = asked.body
        if len(body["texts"]) > 96 or body.get("input_type") not in ("search_query", "search_document"):
            return Reply({"message": "invalid request: too many texts, or no input_type"}, status=400)
        return cohere_reply([vector_of(text, body.get("output_dimension", self.dims)) for text in body["texts"]], texts=body["texts"])


def cohere_reply(vectors: list[list[float]], *, texts: list[str] | None = None) -> Reply:
    """A reply with these vectors, which repeats the texts as the service does."""
    return Reply({"id": "e", "texts": texts, "embeddings": {"float": vectors}, "response_type": "embeddings_by_type", "meta": {}})


def embeddings_reply(vectors: list[list[float]], *, encoding: str = "float", order: list[int] | None = None) -> Reply:
    """A reply with these vectors in the encoding that was asked for; `order` are the places they stand in."""

    def encoded(vector: list[float]) -> Any:
        return base64.b64encode(np.array(vector, "<f4").tobytes()).decode() if encoding == "base64" else vector

    data = [{"object": "embedding", "index": index, "embedding": encoded(vector)} for index, vector in enumerate(vectors)]
    data = [data[place] for place in order] if order else data
    return Reply({"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}})


def _encoding(asked: Asked) -> str:
    encoding: str = asked.body.get("encoding_format", "float")
    return encoding
