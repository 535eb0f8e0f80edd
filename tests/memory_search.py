"""A PassageSearch in memory: the same words, BM25 and absolute fusion as the store, over a handful of passages.

For tests of nodes and graphs that need no database.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from retrievers.errors import UnknownCollection
from retrievers.fusion import absolute
from retrievers.text.analysis import ANALYSER, analyse, query_words
from retrievers.text.language import language_of
from retrievers.types import NO_FILTERS, CorpusHints, Embedder, Filters, Passage, SearchResult

K1, B = 1.2, 0.75


@dataclass
class Text:
    """A passage to be: its document, title and headings."""

    text: str
    document: str = "guide.md"
    title: str = "Guide"
    headings: tuple[str, ...] = ()
    start: int = 0


@dataclass
class MemorySearch:
    """Searches `texts`; raises `error` instead where one is given. `queries` holds what was asked."""

    texts: Sequence[Text]
    embedder: Embedder
    no_answer: float | None = None
    error: Exception | None = None
    degraded: list[tuple[str, str]] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    filters: list[Filters] = field(default_factory=list)
    hypothetical: list[tuple[str, ...]] = field(default_factory=list)
    _rows: np.ndarray | None = None

    async def search(
        self, query, *, collection="default", k=10, mode="hybrid", fusion=None, weights=None, filters=NO_FILTERS, hypothetical=()
    ) -> SearchResult:
        self.queries.append(query)
        self.filters.append(filters)
        self.hypothetical.append(tuple(hypothetical))
        if self.error:
            raise self.error
        if collection != "default":
            raise UnknownCollection(collection)
        passages = await self._scored(query)
        return {
            "passages": passages[:k],
            "no_answer": self.embedder.spec.no_answer if self.no_answer is None else self.no_answer,
            "fusion": "absolute",
            "answerable": None,
            "analyser": ANALYSER,
            "chunk_count": len(self.texts),
            "timings_ms": {"embed": 0.0, "search": 0.0},
            "degraded": self.degraded,
        }

    async def hints(self, query, *, collection="default") -> CorpusHints:
        if self.error:
            raise self.error
        words = [{"word": word, "df": self._df(word)} for word in query_words(query)]
        passages = await self._scored(query)
        headings = dict.fromkeys(heading for passage in passages for heading in passage["heading_path"] or [passage["title"]])
        return {"words": sorted(words, key=lambda entry: (entry["df"], entry["word"])), "headings": list(headings)[:5]}

    def _indexed(self, text: Text) -> str:
        return "\n".join([text.title, *text.headings, text.text])

    def _df(self, word: str) -> int:
        return sum(word in analyse(self._indexed(text)) for text in self.texts)

    async def _scored(self, query: str) -> list[Passage]:
        if not self.texts:
            return []
        if self._rows is None:
            self._rows = await self.embedder.embed_passages([self._indexed(text) for text in self.texts])
        cosines = self._rows @ await self.embedder.embed_query(query)
        bm25, most = self._bm25(query_words(query))
        weight = self.embedder.spec.absolute_weight
        passages = [
            self._passage(text, bm25[i], float(cosines[i]), absolute(bm25[i], most, float(cosines[i]), weight))
            for i, text in enumerate(self.texts)
        ]
        return sorted(passages, key=lambda passage: (-passage["score"], passage["id"]))

    def _bm25(self, words: Sequence[str]) -> tuple[list[float], float]:
        counts = [Counter(analyse(self._indexed(text))) for text in self.texts]
        mean = sum(count.total() for count in counts) / len(counts)
        total = len(counts)
        idf = {word: math.log(1 + (total - df + 0.5) / (df + 0.5)) for word in words for df in [sum(word in count for count in counts)]}
        scores = [sum(idf[w] * c[w] * (K1 + 1) / (c[w] + K1 * (1 - B + B * c.total() / mean)) for w in words if w in c) for c in counts]
        return scores, (K1 + 1) * sum(idf.values())

    def _passage(self, text: Text, bm25: float, cosine: float, score: float) -> Passage:
        return {
            "id": f"{text.document}#{text.start}",
            "document": text.document,
            "title": text.title,
            "heading_path": list(text.headings),
            "page": None,
            "url": None,
            "origin": "person",
            "content_type": "text",
            "language": language_of(text.text),
            "text": text.text,
            "start": text.start,
            "end": text.start + len(text.text),
            "token_count": self.embedder.count_tokens(text.text),
            "metadata": {},
            "score": score,
            "absolute": score,
            "scores": {"bm25": bm25, "cosine": cosine, "fused": score},
            "ranks": {"lexical": None, "vector": None},
            "factors": {},
        }
