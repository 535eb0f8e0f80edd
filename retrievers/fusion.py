"""How a lexical and a vector ranking become one: absolute, reciprocal rank, and weighted fusion.

Pure functions for every floor; retrievers/sql/hybrid.sql computes the same inside the database, and a test compares them.
"""

from collections.abc import Mapping, Sequence

from retrievers.types import Fusion

RRF_K = 60
"""The constant of Cormack, Clarke and Buettcher (2009): large enough that rank 1 and rank 2 hardly differ."""

DEFAULT_WEIGHTS = (0.4, 0.6)
"""Lexical and vector share of the weighted fusion until a collection has tuned its own."""

EPSILON = 1e-6
"""Keeps min-max finite where all candidates score alike."""

ABSOLUTE_FETCH = 100
"""Candidates of each arm under absolute fusion; fewer lose gold passages, more gain nothing (measured)."""

FETCH_FACTOR = 3
"""Candidates of each arm, per result, under rrf and weighted fusion."""


NEAR_QUERY, NEAR_PASSAGE = 3, 5
"""Words are together when they stand within so many places in the query and in the passage. On six collections pairs within five words
gained as much as bigrams and more than unordered windows of twelve or thirty (measured)."""

NEAR_CHUNKS = 50
"""Candidates in which that is looked at: below them it changes no first page."""

WINDOW_WEIGHT = 0.7
"""What the nearest window of a chunk counts beside the mean of all its windows. The nearest alone is as good on passages that answer by
one sentence and .010 nDCG@10 worse on questions that need several (multihop), and .010 worse across languages (measured)."""

APART_LIFT = 0.5
"""What a passage in another script has in place of BM25 before the threshold, in units of its weight; its rank is by cosine alone.
Between a question and its answer in another language cosines are lower: with this lift 6.5 % of the best passages of 584 answerable
questions pass the threshold, and 2 % of those of questions that have no answer there (measured); most remain undecided."""


def fetch_count(fusion: Fusion, k: int) -> int:
    """How many candidates each arm hands over for `k` results; never below `k`, so that one arm alone can fill the page."""
    return max(ABSOLUTE_FETCH, k) if fusion == "absolute" else FETCH_FACTOR * k


def absolute(bm25: float, bm25_max: float, cosine: float, weight: float) -> float:
    """`weight * bm25 / bm25_max + cosine`: a score that means the same for every query, so that a threshold can hold on it.

    `bm25_max` is what a passage full of every query word would approach; 0 (a query without words) leaves the cosine.
    """
    return (weight * bm25 / bm25_max if bm25_max > 0 else 0.0) + cosine


def near(query: Sequence[str], passage: Sequence[str], gains: Mapping[str, float]) -> float:
    """Of the query's words that stand near each other, the share (0-1) that stand near each other in the passage too; order does not count.

    `query` is free of repeats, `passage` has its words in order, repeats kept; `gains` has what each word of the query is worth, that of
    a word which the collection lacks being the largest. A pair counts the lesser gain of its words, divided by their distance in the
    query. 0 for a query of fewer than two words.
    """
    wanted = {
        frozenset((word, other)): min(gains[word], gains[other]) / distance
        for place, word in enumerate(query)
        for distance, other in enumerate(query[place + 1 : place + 1 + NEAR_QUERY], start=1)
    }
    held = {frozenset((word, other)) for place, word in enumerate(passage) for other in passage[place + 1 : place + 1 + NEAR_PASSAGE]}
    return sum(weight for pair, weight in wanted.items() if pair in held) / sum(wanted.values()) if wanted else 0.0


def rrf(rankings: Sequence[Sequence[str]], *, k: int = RRF_K) -> dict[str, float]:
    """Reciprocal rank fusion: the sum of `1 / (k + rank)` over the rankings that hold an id, ranks counted from 1.

    A ranking that does not hold the id adds nothing and takes nothing away. Scores lie near 0.016: never add them to scores in 0-1.
    Result order: best first, ties by id.
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (k + rank)
    return best_first(scores)


def min_max(scores: Mapping[str, float]) -> dict[str, float]:
    """The scores stretched to 0-1 over the candidates given; all alike become 0. Monotone: order is kept."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {item: (score - low) / (high - low + EPSILON) for item, score in scores.items()}


def weighted(bm25: Mapping[str, float], cosine: Mapping[str, float], weights: tuple[float, float] = DEFAULT_WEIGHTS) -> dict[str, float]:
    """Weighted sum of both scores after min-max; both mappings hold every candidate. Result order: best first, ties by id."""
    lexical, vector = min_max(bm25), min_max(cosine)
    return best_first({item: weights[0] * lexical[item] + weights[1] * vector[item] for item in lexical})


def best_first(scores: Mapping[str, float]) -> dict[str, float]:
    """The same scores, highest first, ties by id."""
    return dict(sorted(scores.items(), key=lambda entry: (-entry[1], entry[0])))
