"""What an evaluation prints: means over the questions, told-apart rates, and times.

Made from the outcomes that graphs.evals.runner collects.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from typing_extensions import TypedDict

from graphs.evals import metrics
from graphs.evals.cases import Case, Unanswerable


class Hit(NamedTuple):
    """A passage that a search found; `absolute` is what the no-answer threshold is compared with."""

    id: str
    document: str
    absolute: float | None


@dataclass(frozen=True)
class Outcome:
    """One search: `ranking` of documents, best first; `confidence` of the best passage, -inf where nothing was found."""

    ranking: Sequence[str]
    confidence: float
    timings_ms: Mapping[str, float]
    hits: Sequence[Hit] = ()
    no_answer: float | None = None


class Percentiles(TypedDict):
    """Milliseconds."""

    p50: float
    p95: float


class Separation(TypedDict):
    """AUROC of the confidence, answerable questions against each kind of unanswerable ones; None where there are none."""

    out_of_corpus: float | None
    adversarial: float | None


class Timings(TypedDict):
    """By stage."""

    embed: Percentiles
    search: Percentiles


EvalReport = TypedDict(
    "EvalReport",
    {
        "ndcg@10": float,
        "recall@5": float,
        "recall@10": float,
        "recall@100": float,
        "mrr@10": float,
        "all_gold@10": float,
        "no_answer_auroc": Separation,
        "queries": int,
        "timings_ms": Timings,
    },
)
"""Means over the answerable questions, 0-1; `queries` counts these. Times are over all searches."""


def summarise(answerable: Sequence[tuple[Case, Outcome]], unanswerable: Sequence[tuple[Unanswerable, Outcome]]) -> EvalReport:
    """The report of a run with at least one answerable question."""
    outcomes = [outcome for _, outcome in (*answerable, *unanswerable)]
    return {
        "ndcg@10": _mean(metrics.ndcg, answerable, 10),
        "recall@5": _mean(metrics.recall, answerable, 5),
        "recall@10": _mean(metrics.recall, answerable, 10),
        "recall@100": _mean(metrics.recall, answerable, 100),
        "mrr@10": _mean(metrics.reciprocal_rank, answerable, 10),
        "all_gold@10": _mean(metrics.all_gold, answerable, 10),
        "no_answer_auroc": {
            "out_of_corpus": _separation("out_of_corpus", answerable, unanswerable),
            "adversarial": _separation("adversarial", answerable, unanswerable),
        },
        "queries": len(answerable),
        "timings_ms": {"embed": _percentiles("embed", outcomes), "search": _percentiles("search", outcomes)},
    }


Metric = Callable[[Sequence[str], Mapping[str, int], int], float]


def _mean(metric: Metric, answerable: Sequence[tuple[Case, Outcome]], cutoff: int) -> float:
    return round(float(np.mean([metric(outcome.ranking, case.gold, cutoff) for case, outcome in answerable])), 4)


def _separation(
    kind: str, answerable: Sequence[tuple[Case, Outcome]], unanswerable: Sequence[tuple[Unanswerable, Outcome]]
) -> float | None:
    negatives = [outcome.confidence for case, outcome in unanswerable if case.kind == kind]
    value = metrics.auroc([outcome.confidence for _, outcome in answerable], negatives)
    return None if value is None else round(value, 4)


def _percentiles(stage: str, outcomes: Sequence[Outcome]) -> Percentiles:
    times = [outcome.timings_ms[stage] for outcome in outcomes]
    return {"p50": round(float(np.percentile(times, 50)), 2), "p95": round(float(np.percentile(times, 95)), 2)}
