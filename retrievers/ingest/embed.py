"""Embeds passages through the cache: what was embedded once is never embedded again, and a kill loses a few seconds of work.

Part of the pipeline.
"""

from collections.abc import Callable, Iterator, Sequence

from retrievers.caching import VectorCache
from retrievers.scope import Scope
from retrievers.types import Embedder, Vector

_BATCH_CHARS = 24_000
"""About 6,000 tokens, eight seconds on two cores: what a kill can lose, and enough for every core to be busy."""
_BATCH_TEXTS = 100
"""What one request to a provider takes."""


class PassageEmbedder:
    """Embeds for one scope; `embedded` counts the texts that the model really embedded."""

    def __init__(self, embedder: Embedder, cache: VectorCache, scope: Scope) -> None:
        self._embedder = embedder
        self._cache = cache
        self._scope = scope
        self.embedded = 0

    async def embed(self, texts: Sequence[str], advance: Callable[[int], None]) -> list[Vector]:
        """One vector a text, in order; each batch is kept before the next begins. `advance` gets how many more are done.

        Raises ProviderError; what was embedded before it is kept.
        """
        spec = self._embedder.spec
        kept = await self._cache.get(self._scope, spec, "passage", texts)
        vectors = {text: vector for text, vector in zip(texts, kept, strict=True) if vector is not None}
        missing = list(dict.fromkeys(text for text in texts if text not in vectors))
        advance(len(texts) - len(missing))
        for batch in _batches(missing):
            rows = list(await self._embedder.embed_passages(batch))
            await self._cache.put(self._scope, spec, "passage", batch, rows)
            vectors.update(zip(batch, rows, strict=True))
            self.embedded += len(batch)
            advance(len(batch))
        return [vectors[text] for text in texts]


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    room = _BATCH_CHARS
    for text in texts:
        if batch and (len(text) > room or len(batch) == _BATCH_TEXTS):
            yield batch
            batch, room = [], _BATCH_CHARS
        batch.append(text)
        room -= len(text)
    if batch:
        yield batch
