"""Turns the best scores of questions with and without an answer into a threshold and a curve of probability.

Pure; used by graphs.evals.tuning.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

KEPT = 0.95
"""Of the answerable questions the threshold keeps at least so many: an answer that is refused costs more than a passage too many."""

LEAST = 10
"""Questions of each kind that a curve needs; with fewer the midpoint is guesswork."""

_STEPS, _CLOSE = 100, 1e-10
"""Newton's method needs about ten steps; the loss is convex."""


def threshold(best: Sequence[float], kept: float = KEPT) -> float:
    """The highest threshold, to 4 decimals, that at least `kept` (0-1) of these scores reach. At least one finite score."""
    ordered = sorted(score for score in best if math.isfinite(score))
    allowed = min(math.floor((1 - kept) * len(best) + 1e-9) - (len(best) - len(ordered)), len(ordered) - 1)
    return math.floor(ordered[max(0, allowed)] * 10_000) / 10_000


def share_above(best: Sequence[float], limit: float) -> float:
    """The share (0-1) of the scores that reach the limit."""
    return sum(score >= limit for score in best) / len(best)


def fit_curve(answerable: Sequence[float], unanswerable: Sequence[float]) -> tuple[float, float] | None:
    """(slope, midpoint) of the logistic curve by maximum likelihood, or None where there is too little to fit, or scores tell nothing.

    The targets are Platt's (1999), a little off 0 and 1, so that scores without overlap have a finite slope. The probability is that of
    the questions given: it knows no other mix of answerable and unanswerable ones.
    """
    positives, negatives = _finite(answerable), _finite(unanswerable)
    if min(len(positives), len(negatives)) < LEAST:
        return None
    scores = np.concatenate([positives, negatives])
    centre, spread = float(scores.mean()), float(scores.std())
    if spread == 0:
        return None
    targets = np.repeat(targets_of(len(positives), len(negatives)), (len(positives), len(negatives)))
    slope, offset = _newton((scores - centre) / spread, targets)
    # Where unanswerable questions score higher, a curve would promise the opposite of the truth.
    return (slope / spread, centre - spread * offset / slope) if slope > 0 else None


def targets_of(positives: int, negatives: int) -> tuple[float, float]:
    """What a positive and a negative count as."""
    return (positives + 1) / (positives + 2), 1 / (negatives + 2)


def _newton(scores: NDArray[np.float64], targets: NDArray[np.float64]) -> tuple[float, float]:
    columns = np.stack([scores, np.ones_like(scores)], axis=1)
    parameters = np.zeros(2)
    for _ in range(_STEPS):
        expected = 0.5 + 0.5 * np.tanh(columns @ parameters / 2)
        slopes = columns * (expected * (1 - expected))[:, None]
        step = np.linalg.solve(columns.T @ slopes + 1e-12 * np.eye(2), columns.T @ (targets - expected))
        size, loss = 1.0, _loss(columns @ parameters, targets)
        while size > _CLOSE and _loss(columns @ (parameters + size * step), targets) > loss:
            size /= 2
        parameters = parameters + size * step
        if float(np.abs(size * step).max()) < _CLOSE:
            break
    return float(parameters[0]), float(parameters[1])


def _loss(logits: NDArray[np.float64], targets: NDArray[np.float64]) -> float:
    return float((np.logaddexp(0, logits) - targets * logits).sum())


def _finite(scores: Sequence[float]) -> NDArray[np.float64]:
    values = np.array(scores, np.float64)
    return values[np.isfinite(values)]
