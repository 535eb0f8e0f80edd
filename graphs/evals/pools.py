"""The candidates of one question with all that fusions and factors ask for, so that many settings are tried on one search.

Pure; graphs.evals.tuning chooses between settings with it. The formulas are those of retrievers/sql/hybrid.sql and retrievers/boosting.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphs.evals.metrics import collapse
from retrievers.boosting import BOOSTED
from retrievers.fusion import DEFAULT_WEIGHTS, EPSILON, RRF_K, fetch_count
from retrievers.ranking import Ranking
from retrievers.types import Passage, Setting

SHOWN = 10
"""Results of the search that is tuned: what `tadori search` shows, and what nDCG@10 looks at."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Scale:
    """What a search was scored with: the weight of BM25, that of `near` in units of it, and the model's unrelated cosine."""

    weight: float
    near: float
    unrelated: float


@dataclass(frozen=True)
class Pool:
    """Candidates in the order of their ids. `share` is what BM25 reached of what it could, 0-1, or what stands for it across scripts.

    Ranks are from 1, infinite where an arm did not have the passage. `flags` says by name where a factor applies, `fixed` is the product
    of the factors that are not tuned. `weight` is the model's own weight of BM25.
    """

    documents: tuple[str, ...]
    bm25: Numbers
    share: Numbers
    cosine: Numbers
    near: Numbers
    ranks: Numbers
    flags: dict[str, NDArray[np.bool_]]
    fixed: Numbers
    weight: float
    unrelated: float


TUNED_FACTORS = ("title", "heading", "code")


def make_pool(passages: Sequence[Passage], scale: Scale) -> Pool:
    """The pool of a hybrid search whose passages have their absolute scores; `scale.weight` is above 0."""
    found = sorted(passages, key=lambda passage: passage["id"])
    cosine = _numbers([passage["scores"]["cosine"] or 0.0 for passage in found])
    near = _numbers([passage["scores"].get("near") or 0.0 for passage in found])
    whole = _numbers([passage["absolute"] or 0.0 for passage in found])
    ranks = [[passage["ranks"]["lexical"] or np.inf, passage["ranks"]["vector"] or np.inf] for passage in found]
    fixed = [np.prod([factor for name, factor in passage["factors"].items() if name not in TUNED_FACTORS]) for passage in found]
    return Pool(
        documents=tuple(passage["document"] for passage in found),
        bm25=_numbers([passage["scores"]["bm25"] or 0.0 for passage in found]),
        share=(whole - cosine) / scale.weight - scale.near * near,
        cosine=cosine,
        near=near,
        ranks=_numbers(ranks).reshape(-1, 2),
        flags={name: np.array([name in passage["factors"] for passage in found], bool) for name in TUNED_FACTORS},
        fixed=_numbers(fixed),
        weight=scale.weight,
        unrelated=scale.unrelated,
    )


def absolute_scores(pool: Pool, ranking: Ranking) -> Numbers:
    """Each candidate's absolute score, the one that the no-answer threshold is compared with."""
    weight = pool.weight if ranking.lexical is None else ranking.lexical
    scores: Numbers = weight * (pool.share + ranking.near * pool.near) + pool.cosine
    return scores


def best_absolute(pool: Pool, setting: Setting) -> float:
    """The highest absolute score among the setting's candidates; -inf without candidates."""
    scores = absolute_scores(pool, setting.ranking)[_brought(pool, setting)]
    return float(scores.max(initial=-np.inf))


def ranked(pool: Pool, setting: Setting) -> list[str]:
    """The documents in the setting's order, each at the place of its best passage, ties by the passages' ids."""
    brought = np.flatnonzero(_brought(pool, setting))
    fused = _fused(pool, setting, brought)
    order = np.argsort(-fused, kind="stable")[:BOOSTED]
    brought, fused = brought[order], fused[order]
    floor = pool.unrelated if setting.fusion == "absolute" else 0.0
    factors = _factors(pool, setting.ranking)[brought]
    moved = floor + (fused - floor) * np.where(fused >= floor, factors, 1 / factors)
    # Ties by id: the order before was by score.
    final = brought[np.lexsort((brought, -moved))]
    return collapse([pool.documents[place] for place in final])


def _brought(pool: Pool, setting: Setting) -> NDArray[np.bool_]:
    depth = _depth(setting)
    return np.asarray((pool.ranks <= depth).any(axis=1), np.bool_)


def _depth(setting: Setting) -> int:
    return max(setting.ranking.fetch, SHOWN) if setting.ranking.fetch is not None else fetch_count(setting.fusion, SHOWN)


def _fused(pool: Pool, setting: Setting, brought: NDArray[np.intp]) -> Numbers:
    if setting.fusion == "absolute":
        return absolute_scores(pool, setting.ranking)[brought]
    if setting.fusion == "rrf":
        reciprocal: Numbers = np.where(_reached(pool, _depth(setting)), 1 / (RRF_K + pool.ranks), 0.0).sum(axis=1)
        return reciprocal[brought]
    lexical, vector = setting.weights or DEFAULT_WEIGHTS
    return lexical * _stretched(pool.bm25[brought]) + vector * _stretched(pool.cosine[brought])


def _reached(pool: Pool, depth: int) -> NDArray[np.bool_]:
    """Which arm has a place for which passage: so many, and what ties with the last of them."""
    scores = np.stack([pool.bm25, pool.cosine], axis=1)
    last = np.where(pool.ranks <= depth, scores, np.inf).min(axis=0, initial=np.inf)
    return np.asarray(np.isfinite(pool.ranks) & (scores >= last), np.bool_)


def _stretched(scores: Numbers) -> Numbers:
    if not scores.size:
        return scores
    stretched: Numbers = (scores - scores.min()) / (scores.max() - scores.min() + EPSILON)
    return stretched


def _factors(pool: Pool, ranking: Ranking) -> Numbers:
    product = pool.fixed
    for name in TUNED_FACTORS:
        product = product * np.where(pool.flags[name], getattr(ranking, name), 1.0)
    return product


def _numbers(values: Sequence[object]) -> Numbers:
    return np.array(values, np.float64)
