"""Chooses how a collection ranks, from its own questions, and says whether the choice is better on questions it has not seen.

Pure: the candidates of each question come as graphs.evals.pools; graphs.tuning searches, and stores what is better.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import product
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphs.evals import metrics
from graphs.evals.curve import KEPT, fit_curve, share_above, threshold
from graphs.evals.pools import SHOWN, Pool, best_absolute, ranked
from retrievers.fusion import fetch_count
from retrievers.ranking import Ranking
from retrievers.types import Fusion, Setting

LEAST_QUESTIONS = 20
"""Answerable questions below which nothing is tuned: ten in a half, each worth .1 of nDCG at most, are noise already."""

LEXICAL = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0)
"""Weights of BM25, in units of the model's own."""
NEAR = (0.0, 0.35, 0.7, 1.05)
WEIGHTS = ((0.2, 0.8), (0.3, 0.7), (0.4, 0.6), (0.5, 0.5), (0.6, 0.4), (0.7, 0.3))
DEPTHS = (None, 50, 100, 200)
"""Candidates of each arm; None is what the fusion asks for."""
ROUNDS = 3
"""Of fusion and factors in turn; the second round seldom changes anything."""


class _Named(Protocol):
    @property
    def id(self) -> str: ...


Named = TypeVar("Named", bound=_Named)


@dataclass(frozen=True)
class Asked:
    """An answerable question: its gold documents with their grades, and what its search brought."""

    gold: Mapping[str, int]
    pool: Pool


@dataclass(frozen=True)
class Measured:
    """How a setting did on questions that it was not tuned on. The scores are the best absolute ones, -inf where nothing was found."""

    ndcg: float
    recall: float
    mrr: float
    no_answer: float
    answerable: tuple[float, ...]
    unanswerable: tuple[float, ...]

    @property
    def kept(self) -> float:
        """The share (0-1) of the answerable questions at or above the threshold."""
        return share_above(self.answerable, self.no_answer)

    @property
    def rejected(self) -> float | None:
        """The share (0-1) of the unanswerable questions below it, None where there are none."""
        return 1 - share_above(self.unanswerable, self.no_answer) if self.unanswerable else None


def halves(cases: Sequence[Named]) -> tuple[list[Named], list[Named]]:
    """The cases in two halves by the hash of their ids: always the same, whatever their order; the second has one more of an odd number."""
    ordered = sorted(cases, key=lambda case: sha256(case.id.encode()).digest())
    return ordered[: len(ordered) // 2], ordered[len(ordered) // 2 :]


def tune(asked: Sequence[Asked], unanswerable: Sequence[Pool], start: Setting) -> Setting:
    """The setting whose gain in nDCG@10 over `start` is the largest, less the gain's standard error, with a threshold and perhaps a curve.

    Of settings that are equally good the one nearest to `start` in the order of trial stays, `start` itself first.
    """
    best = _best_order(asked, start)
    before = [best_absolute(question.pool, start) for question in asked]
    scores = [best_absolute(question.pool, best) for question in asked]
    others = [best_absolute(pool, best) for pool in unanswerable]
    # Without unanswerable questions nothing shows what a higher threshold would gain: it keeps as many as the old one did.
    kept = KEPT if others else max(KEPT, share_above(before, start.no_answer))
    curve = fit_curve(scores, others)
    same_scale = (best.ranking.lexical, best.ranking.near) == (start.ranking.lexical, start.ranking.near)
    answer = curve or (start.ranking.answer if same_scale else None)
    return replace(best, no_answer=threshold(scores, kept), ranking=replace(best.ranking, answer=answer))


def mean_ndcg(asked: Sequence[Asked], setting: Setting) -> float:
    """Mean nDCG@10, 0-1."""
    return float(_each_ndcg(asked, setting).mean())


def _each_ndcg(asked: Sequence[Asked], setting: Setting) -> NDArray[np.float64]:
    return np.array([metrics.ndcg(ranked(question.pool, setting), question.gold, SHOWN) for question in asked])


def _best_order(asked: Sequence[Asked], start: Setting) -> Setting:
    base = _each_ndcg(asked, start)
    best, value = start, 0.0
    for _ in range(ROUNDS):
        before = best
        for stage in (_fusions_of(asked), factors):
            for trial in stage(best):
                # More than a rounding error, so that what is equally good does not move the setting.
                if (found := _sure_gain(_each_ndcg(asked, trial) - base)) > value + 1e-9:
                    best, value = trial, found
        if best == before:
            break
    return best


def _fusions_of(asked: Sequence[Asked]) -> Callable[[Setting], Iterator[Setting]]:
    return lambda base: fusions(base, asked[0].pool.weight)


def _sure_gain(gains: NDArray[np.float64]) -> float:
    """The mean gain less its standard error: of a hundred settings some are lucky (docs/decisions.md has figures)."""
    error = float(gains.std(ddof=1)) / math.sqrt(len(gains)) if len(gains) > 1 else 0.0
    return float(gains.mean()) - error


def fusions(base: Setting, weight: float) -> Iterator[Setting]:
    """The settings that fuse in another way and have the base's factors; `weight` is the model's own weight of BM25."""
    for fetch in _depths("absolute"):
        for factor, near in product(LEXICAL, NEAR):
            lexical = None if factor == 1.0 else round(factor * weight, 4)
            yield replace(base, fusion="absolute", weights=None, ranking=replace(base.ranking, lexical=lexical, near=near, fetch=fetch))
    for fetch in _depths("rrf"):
        yield replace(base, fusion="rrf", weights=None, ranking=replace(base.ranking, fetch=fetch))
    for fetch, weights in product(_depths("weighted"), WEIGHTS):
        yield replace(base, fusion="weighted", weights=weights, ranking=replace(base.ranking, fetch=fetch))


def factors(base: Setting) -> Iterator[Setting]:
    """The base with each factor after fusion off, or as it is shipped."""
    shipped = Ranking()
    for title, heading, code in product((shipped.title, 1.0), (shipped.heading, 1.0), (shipped.code, 1.0)):
        yield replace(base, ranking=replace(base.ranking, title=title, heading=heading, code=code))


def _depths(fusion: Fusion) -> list[int | None]:
    return [depth for depth in DEPTHS if depth != fetch_count(fusion, SHOWN)]


def why_not_better(before: Measured, after: Measured) -> str | None:
    """Why the setting after is not better than the one before on the same questions; None where it is."""
    if after.ndcg <= before.ndcg:
        return f"nDCG@10 on the other half is {after.ndcg:.4f}, not above {before.ndcg:.4f}"
    if before.unanswerable:
        kept = _kept_at_equal_rejection(before, after)
        if kept < before.kept:
            return f"rejecting as many unanswerable questions as before it keeps {kept:.1%} of the answerable ones, not {before.kept:.1%}"
    elif after.kept < min(KEPT, before.kept):
        return f"it keeps {after.kept:.1%} of the answerable questions, not {before.kept:.1%}"
    return None


def _kept_at_equal_rejection(before: Measured, after: Measured) -> float:
    rejected = sum(score < before.no_answer for score in before.unanswerable)
    if not rejected:
        return 1.0
    limit = sorted(after.unanswerable)[rejected - 1]
    return sum(score > limit for score in after.answerable) / len(after.answerable)
