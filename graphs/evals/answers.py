"""What an evaluation prints of the answers: who was answered, from the right document, who was not, and why not.

Pure; made from the runs that graphs.evals.asking collects and the searches that graphs.evals.runner made.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from typing_extensions import TypedDict

from graphs.evals.cases import Case, Unanswerable
from graphs.evals.report import Outcome
from nodes.records import Status

ANSWERED: tuple[Status, ...] = ("answered", "partial")
"""The statuses of a turn that gave an answer from documents."""

Cause = Literal["failed", "not_found", "threshold", "judged", "insufficient", "drafting", "citing", "other_document", "ended"]
"""Why an answerable question was not answered from its document, the first that applies. failed: the run. not_found: no passage of the
document was looked at. threshold: the best of them lies under the no-answer threshold. judged: a reranker, a model or a rewrite's rule
turned it away. citing: claims were made, and none stands. insufficient: it was kept, and found not to hold the answer. drafting: it was
kept, and no claim was made. other_document: it was kept, and another one was cited. ended: the turn ended in another status."""


@dataclass(frozen=True)
class Asked:
    """One run of the graph: `cited` are documents, `kept` says of each passage that was judged whether it could reach the answer."""

    status: Status
    reason: str
    cited: frozenset[str] = frozenset()
    kept: Mapping[str, bool] = field(default_factory=dict)
    sufficient: bool = True
    dropped: bool = False
    calls: int = 0
    tokens: int = 0
    ms: float = 0.0


class Abstained(TypedDict):
    """The share (0-1) of each kind of question that ended in `no_evidence`; None where there are none of the kind."""

    answerable: float | None
    out_of_corpus: float | None
    adversarial: float | None


class PerAnswer(TypedDict):
    """Means over the questions of any kind that were answered; None where none was."""

    calls: float | None
    tokens: float | None


class Missed(TypedDict):
    """An answerable question that was not answered from a document that answers it."""

    id: str
    question: str
    cause: Cause
    status: Status
    reason: str
    cited: list[str]


class Failed(TypedDict):
    """A question of any kind whose run failed."""

    id: str
    reason: str


class AnswerReport(TypedDict):
    """`answered` and `cited_gold` are shares of all answerable questions, failed runs included.

    answered: status `answered` or `partial`. cited_gold: one of the citations is of a document that answers the question. `calls` and
    `tokens` (input and output) are means over all questions of all kinds. A run that failed is neither an answer nor an abstention.
    """

    answered: float
    cited_gold: float
    abstained: Abstained
    calls: float
    tokens: float
    per_answer: PerAnswer
    asked: dict[str, int]
    statuses: dict[str, dict[str, int]]
    causes: dict[str, int]
    failed: list[Failed]
    missed: list[Missed]


Answerable = Sequence[tuple[Case, Outcome, Asked]]
Others = Sequence[tuple[Unanswerable, Asked]]


def summarise_answers(answerable: Answerable, others: Others) -> AnswerReport:
    """The report of a run with at least one answerable question."""
    runs = [(case.id, asked) for case, _, asked in answerable] + [(case.id, asked) for case, asked in others]
    kinds: dict[str, list[Asked]] = {"answerable": [asked for _, _, asked in answerable]}
    for case, asked in others:
        kinds.setdefault(case.kind, []).append(asked)
    missed = [_missed(case, outcome, asked) for case, outcome, asked in answerable if not cites_gold(case, asked)]
    causes = Counter(entry["cause"] for entry in missed)
    replied = [asked for _, asked in runs if asked.status in ANSWERED]
    return {
        "answered": _share([asked.status in ANSWERED for asked in kinds["answerable"]]) or 0.0,
        "cited_gold": _share([cites_gold(case, asked) for case, _, asked in answerable]) or 0.0,
        "abstained": {
            "answerable": _abstained(kinds["answerable"]),
            "out_of_corpus": _abstained(kinds.get("out_of_corpus", [])),
            "adversarial": _abstained(kinds.get("adversarial", [])),
        },
        "calls": _mean([asked.calls for _, asked in runs]) or 0.0,
        "tokens": _mean([asked.tokens for _, asked in runs]) or 0.0,
        "per_answer": {"calls": _mean([asked.calls for asked in replied]), "tokens": _mean([asked.tokens for asked in replied])},
        "asked": {kind: len(of_kind) for kind, of_kind in kinds.items()},
        "statuses": {kind: dict(Counter(asked.status for asked in of_kind)) for kind, of_kind in kinds.items()},
        "causes": {cause: causes[cause] for cause in get_args(Cause) if causes[cause]},
        "failed": [{"id": name, "reason": asked.reason} for name, asked in runs if asked.status == "failed"],
        "missed": missed,
    }


def cites_gold(case: Case, asked: Asked) -> bool:
    """Whether an answer cites a document that answers the question."""
    return asked.status in ANSWERED and not asked.cited.isdisjoint(case.gold)


def cause_of(case: Case, outcome: Outcome, asked: Asked) -> Cause:
    """Why the run does not cite a document that answers the question."""
    gold = [hit for hit in outcome.hits if hit.document in case.gold]
    if asked.status == "failed":
        return "failed"
    if asked.status not in (*ANSWERED, "no_evidence"):
        return "ended"
    if not any(hit.id in asked.kept for hit in gold):
        return "not_found"
    if not any(asked.kept.get(hit.id) for hit in gold):
        looked_at = [hit.absolute for hit in gold if hit.id in asked.kept and hit.absolute is not None]
        return "threshold" if outcome.no_answer is not None and max(looked_at, default=0.0) < outcome.no_answer else "judged"
    if asked.status in ANSWERED:
        return "other_document"
    if asked.dropped:
        return "citing"
    return "drafting" if asked.sufficient else "insufficient"


def _missed(case: Case, outcome: Outcome, asked: Asked) -> Missed:
    cause = cause_of(case, outcome, asked)
    return {
        "id": case.id,
        "question": case.text,
        "cause": cause,
        "status": asked.status,
        "reason": asked.reason,
        "cited": sorted(asked.cited),
    }


def _abstained(runs: Sequence[Asked]) -> float | None:
    return _share([asked.status == "no_evidence" for asked in runs])


def _share(values: Sequence[bool]) -> float | None:
    return _mean([int(value) for value in values])


def _mean(values: Sequence[int]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
