"""A stand-in for an embedding model behind an OpenAI-compatible address."""

import base64
from typing import Any

import numpy as np
from servers.loopback import Asked, Loopback, Reply


class EmbeddingServer(Loopback):
    """Answers `POST /v1/embeddings` with one vector a text (its length, its spaces, 1), after the faults given."""

    def __init__(self, *first: Reply) -> None:
        super().__init__()
        self.first = list(first)

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
        vectors = [[float(len(text)), float(text.count(" ")), 1.0] for text in asked.body["input"]]
        return embeddings_reply(vectors, encoding=asked.body.get("encoding_format", "float"))


def embeddings_reply(vectors: list[list[float]], *, encoding: str = "float") -> Reply:
    """A reply with these vectors in the encoding that was asked for."""

    def encoded(vector: list[float]) -> Any:
        return base64.b64encode(np.array(vector, "<f4").tobytes()).decode() if encoding == "base64" else vector

    data = [{"object": "embedding", "index": index, "embedding": encoded(vector)} for index, vector in enumerate(vectors)]
    return Reply({"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}})
