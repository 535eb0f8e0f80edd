"""Retrieval metrics as pure functions of one ranking and its gold documents.

The numbers equal those of ir-measures (a test compares them); graphs.evals.report takes their means.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np


def ndcg(ranking: Sequence[str], gold: Mapping[str, int], cutoff: int) -> float:
    """Normalised discounted cumulative gain, 0-1: the gain is the grade, the discount log2(rank + 1), as trec_eval has it. No gold: 0."""
    ideal = _discounted(sorted(gold.values(), reverse=True)[:cutoff])
    return _discounted([gold.get(item, 0) for item in ranking[:cutoff]]) / ideal if ideal else 0.0


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def recall(ranking: Sequence[str], gold: Mapping[str, int], cutoff: int) -> float:
    """The share of the gold documents among the first `cutoff`, 0-1. No gold: 0."""
    return len(gold.keys() & set(ranking[:cutoff])) / len(gold) if gold else 0.0


def reciprocal_rank(ranking: Sequence[str], gold: Mapping[str, int], cutoff: int) -> float:
    """1 / rank of the first gold document, 0 when none is among the first `cutoff`."""
    return next((1 / rank for rank, item in enumerate(ranking[:cutoff], start=1) if item in gold), 0.0)


def all_gold(ranking: Sequence[str], gold: Mapping[str, int], cutoff: int) -> float:
    """1 when every gold document is among the first `cutoff`, else 0: what a question over several documents needs. No gold: 0."""
    return float(bool(gold) and gold.keys() <= set(ranking[:cutoff]))


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """How likely a positive scores above a negative, ties counting half: 0.5 is chance. None where either side is empty."""
    if not positives or not negatives:
        return None
    ordered = np.sort(np.asarray(negatives, np.float64))
    below = np.searchsorted(ordered, positives, side="left")
    not_above = np.searchsorted(ordered, positives, side="right")
    return float((below + not_above).sum() / 2 / (len(positives) * len(negatives)))


def collapse(documents: Sequence[str]) -> list[str]:
    """Each document once, at the place of its best chunk."""
    return list(dict.fromkeys(documents))
