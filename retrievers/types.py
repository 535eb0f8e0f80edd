"""The values that cross file boundaries: what is stored, what is found, and the protocols of the adapters.

Imports nothing of ours but how candidates are scored and what a reranker gives; every floor above speaks in these types.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NotRequired, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue
from typing_extensions import TypedDict

from retrievers.ranking import Ranking
from retrievers.relevance import RerankScore, Spent

Json = JsonValue
"""Not an alias of our own: pydantic cannot resolve a recursive one from the schemas that LangGraph makes."""
Vector = NDArray[np.float32]
"""One embedding: shape (dims,), float32, unit length."""

Origin = Literal["person", "model", "web"]
ContentType = Literal["text", "table", "code", "image"]
Fusion = Literal["absolute", "rrf", "weighted"]
Mode = Literal["hybrid", "lexical", "vector"]
Stage = Literal["load", "chunk", "embed", "store"]
VectorType = Literal["halfvec", "vector"]
IndexKind = Literal["hnsw", "ivfflat", "binary", "exact"]

DEFAULT_COLLECTION = "default"


@dataclass(frozen=True)
class EmbeddingSpec:
    """What must be known of an embedding model to store and to search with it.

    `absolute_weight` is the `a` of absolute fusion, `no_answer` the absolute score under which a passage does not
    count as an answer, `unrelated` the cosine around which unrelated pairs lie: all three depend on how the model's cosines are spread,
    and are a start unless they were `calibrated` on judged questions. `column_type` and `index_kind` are how its vectors are stored and
    found: a model has a space for each pair that a collection asked for.
    """

    model: str
    dims: int
    max_tokens: int
    absolute_weight: float
    no_answer: float
    column_type: VectorType = "halfvec"
    index_kind: IndexKind = "hnsw"
    unrelated: float = 0.0
    calibrated: bool = False
    answer: tuple[float, float] | None = None
    """As in Ranking, for collections with the shipped scale; None for a model that is not calibrated. Not stored with a collection."""


@dataclass(frozen=True)
class VectorChoice:
    """How a new collection shall store and find its vectors; None leaves it to the model, and to what an existing collection has."""

    index: IndexKind | None = None
    vector_type: VectorType | None = None


NO_CHOICE = VectorChoice()


class Embedder(Protocol):
    """Turns text into vectors; the query side and the passage side are explicit."""

    @property
    def spec(self) -> EmbeddingSpec: ...

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` as the model counts them, special tokens left out."""
        ...

    async def embed_query(self, text: str) -> Vector:
        """Shape (dims,), float32, unit length."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dims), float32, rows of unit length, in the order given."""
        ...


class WebPage(TypedDict):
    """A result of a web search: `text` is the provider's extract."""

    url: str
    title: str
    text: str
    score: float | None


class WebSearch(Protocol):
    """Searches the web."""

    @property
    def name(self) -> str: ...

    async def search(self, query: str, *, limit: int) -> list[WebPage]:
        """At most `limit` pages, best first; an empty list means nothing matched; raises ProviderError."""
        ...


@dataclass(frozen=True)
class Setting:
    """All that `tadori tune` may change in a collection, by the names that Collection has."""

    fusion: Fusion
    weights: tuple[float, float] | None
    no_answer: float
    ranking: Ranking


@dataclass(frozen=True)
class Collection:
    """A collection as stored. `fusion`, `weights` and `no_answer` are its search defaults."""

    tid: int
    coll: int
    name: str
    embedding: EmbeddingSpec
    space: int
    analyser: str
    fusion: Fusion
    weights: tuple[float, float] | None
    no_answer: float
    ranking: Ranking
    chunk_count: int
    token_count: int


@dataclass(frozen=True)
class Filters:
    """Conditions a document must meet before it is searched; all must hold.

    `metadata` compares as text: a scalar equals the value, a list holds it. `since` is inclusive, `until` exclusive, on
    the document's modified date; a document without a date fails both.
    """

    metadata: tuple[tuple[str, str], ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    def __bool__(self) -> bool:
        return bool(self.metadata or self.since or self.until)


NO_FILTERS = Filters()


class Ranks(TypedDict):
    """A passage's place in each arm, from 1; None where the arm did not run, or did not have it among its candidates."""

    lexical: int | None
    vector: int | None


class Scores(TypedDict):
    """`bm25` >= 0 or None where the lexical arm did not run, `cosine` in -1..1 or None likewise, `fused` on the fusion's own scale.

    `near`, 0-1, is the share of the query's neighbouring words that are neighbours in the passage too; None where an arm did not run, and
    absent where nothing was searched.
    """

    bm25: float | None
    cosine: float | None
    fused: float
    near: NotRequired[float | None]


class Hop(TypedDict):
    """One step to a passage: it holds `entity`, which the passage `id` of `document` holds too; `id` None where the question names it."""

    entity: str
    id: str | None
    document: str | None
    title: str | None


class Passage(TypedDict):
    """A chunk as found. `score` is what it is ordered by (large is good): the fused score, the reranker's or the combined one.

    `absolute` is on the scale that `no_answer` thresholds, None where an arm did not run. `factors` are the boosts after fusion by
    name, those of 1 left out. `start` and `end` are character offsets of `text` in the document's stored text. JSON-plain: it lives
    in graph state.
    """

    id: str
    document: str
    title: str
    heading_path: list[str]
    page: int | None
    url: str | None
    origin: Origin
    content_type: ContentType
    language: str
    text: str
    start: int
    end: int
    token_count: int
    metadata: dict[str, Json]
    score: float
    absolute: float | None
    scores: Scores
    ranks: Ranks
    factors: dict[str, float]
    modified: NotRequired[str | None]
    """The document's modified date in ISO form, None where it has none."""
    hypothetical: NotRequired[float]
    """Only where an imagined passage found it: the absolute score with that passage's vector in the place of the query's."""
    reranked: NotRequired[RerankScore]
    """Only where a reranker scored it."""
    path: NotRequired[list[Hop]]
    """Only where the knowledge graph led to it: how, from the question or a passage that it found."""
    lifted: NotRequired[float]
    """With `path`: the absolute score with what the graph adds, never above that of the passage it was reached from."""


class SearchResult(TypedDict):
    """`passages` best first. `no_answer` is the collection's threshold on `Passage.absolute`; `chunk_count` 0 means an empty collection.

    `answerable` is the calibrated probability (0-1) that the collection holds an answer, from its best absolute score; None where an arm
    did not run, nothing was found, or neither the collection nor its model was calibrated.

    `timings_ms` has embed, search and, where a reranker ran, rerank. `degraded` names what could not run and what was done instead.
    """

    passages: list[Passage]
    no_answer: float
    fusion: Fusion
    answerable: float | None
    analyser: str
    chunk_count: int
    timings_ms: dict[str, float]
    degraded: list[tuple[str, str]]
    spent: NotRequired[Spent]
    """Only where a chat model reranked."""


class WordCount(TypedDict):
    """A word of the query as analysed, and how many chunks of the collection hold it (0: none)."""

    word: str
    df: int


class CorpusHints(TypedDict):
    """What the collection itself says about a query: its words, rarest first, and the headings and titles nearest to it, best first."""

    words: list[WordCount]
    headings: list[str]


class PassageSearch(Protocol):
    """Searches one tenant's collections as one reader; the scope is fixed when it is made."""

    async def search(
        self,
        query: str,
        *,
        collection: str = DEFAULT_COLLECTION,
        k: int = 10,
        mode: Mode = "hybrid",
        fusion: Fusion | None = None,
        weights: tuple[float, float] | None = None,
        filters: Filters = NO_FILTERS,
        hypothetical: Sequence[str] = (),
    ) -> SearchResult:
        """At most `k` (1-200) passages; `hypothetical` are imagined ones, searched with beside the query.

        Raises InvalidArgument, UnknownCollection, EmbeddingMismatch, DatabaseUnavailable.
        """
        ...

    async def hints(self, query: str, *, collection: str = DEFAULT_COLLECTION) -> CorpusHints:
        """Words and headings that a rewrite can use."""
        ...
