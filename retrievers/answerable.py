"""How likely a collection holds an answer: a logistic curve over the best absolute score of a search.

Pure; used by retrievers/hybrid.py. `tadori tune` fits the curve of a collection, the embedding registry has the shipped one.
"""

import math

from retrievers.ranking import Ranking
from retrievers.types import Collection, Embedder

Curve = tuple[float, float]
"""Slope, in 1 / absolute score, and midpoint: the absolute score at which an answer is as likely as not."""


def probability(best: float | None, curve: Curve | None) -> float | None:
    """0-1 for the best absolute score of a search; None where there is no score or no curve."""
    if best is None or curve is None:
        return None
    slope, midpoint = curve
    # By tanh, which does not overflow however far the score lies from the midpoint.
    return round(0.5 + 0.5 * math.tanh(slope * (best - midpoint) / 2), 4)


def curve_of(collection: Collection, embedder: Embedder) -> Curve | None:
    """The collection's own curve, else its model's; None without one for its scale of scores."""
    if collection.ranking.answer is not None:
        return collection.ranking.answer
    if not (collection.embedding.calibrated and _has_shipped_scale(collection.ranking)):
        return None
    shipped = embedder.spec
    # A collection keeps the weight that it was made with, as a 4-byte number.
    same = math.isclose(collection.embedding.absolute_weight, shipped.absolute_weight, rel_tol=1e-6)
    return shipped.answer if same and collection.embedding.model == shipped.model else None


def _has_shipped_scale(ranking: Ranking) -> bool:
    return ranking.lexical is None and ranking.near == Ranking().near
