"""What `tadori tune` does: ranking and no-answer threshold of a collection, from questions about its own documents.

Called by graphs.commands when the command runs; graphs.evals.tuning chooses, this asks, compares, prints and stores.
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphs.commands import Bar, Result
from graphs.evals import metrics, tuning
from graphs.evals.cases import Case, Cases, Unanswerable, collection_name, corpus_file, read_cases
from graphs.evals.pools import SHOWN, Pool, Scale, make_pool
from graphs.evals.runner import ingest_corpus
from graphs.evals.tuning import Asked, Measured
from graphs.render_why import aligned
from graphs.wiring import Services
from retrievers.boosting import BOOSTED
from retrievers.errors import InvalidArgument
from retrievers.ranking import Ranking
from retrievers.request import MAX_K
from retrievers.trial import Trials, TrialSearch
from retrievers.types import Collection, Passage, Setting


@dataclass(frozen=True)
class Halves:
    """The questions that are tuned on, or those that are not."""

    answerable: Sequence[Case]
    unanswerable: Sequence[Unanswerable]

    def counts(self) -> dict[str, int]:
        """As `--json` has it."""
        return {"answerable": len(self.answerable), "unanswerable": len(self.unanswerable)}


@dataclass(frozen=True)
class Outcome:
    """`why_not` is why nothing was better, None where the setting is."""

    before: Measured
    after: Measured
    setting: Setting
    why_not: str | None


async def tune(services: Services, options: argparse.Namespace) -> Result:
    """Tune on one half of the questions, measure on the other, and store what is better there.

    Raises InvalidArgument for too few questions, or a collection that lacks the documents they name.
    """
    cases = read_cases(options.folder, options.queries, options.limit)
    tuned, checked = _halves(cases, options.queries)
    trials = Trials(services.database, services.embedder, services.cache, services.operator)
    collection = await _collection(services, trials, options, cases)
    bar = Bar("tune")
    try:
        outcome = await _tuned(trials, collection, tuned, checked, bar)
    finally:
        bar.close()
    stored = outcome.why_not is None and not options.dry_run
    if stored:
        await trials.store(collection, outcome.setting)
    return _result(collection, outcome, tuned, checked, stored=stored)


def _halves(cases: Cases, queries: str) -> tuple[Halves, Halves]:
    answerable = [case for case in cases.answerable if case.gold]
    if len(answerable) < tuning.LEAST_QUESTIONS:
        raise InvalidArgument(
            f"{queries!r} has {len(answerable)} questions that a document answers: tuning needs {tuning.LEAST_QUESTIONS} or more, "
            "half of them to check what was chosen on the others"
        )
    one, other = tuning.halves(answerable)
    without, others_without = tuning.halves(cases.unanswerable)
    return Halves(one, without), Halves(other, others_without)


async def _collection(services: Services, trials: Trials, options: argparse.Namespace, cases: Cases) -> Collection:
    if options.collection is None:
        corpus = corpus_file(Path(options.folder), None)
        name = collection_name(corpus)
        bar = Bar("texts")
        try:
            await ingest_corpus(services, name, corpus, bar)
        finally:
            bar.close()
        return await trials.collection(name)
    collection = await trials.collection(options.collection)
    named = {source for case in cases.answerable for source in case.gold}
    missing = sorted(named.difference(await trials.sources(collection)))
    if missing:
        raise InvalidArgument(
            f"collection {collection.name!r} lacks {len(missing)} of the {len(named)} documents that {options.queries!r} names, the first "
            f"is {missing[0]!r}: ingest them under these sources, or leave --collection out to ingest the folder's corpus.jsonl"
        )
    return collection


async def _tuned(trials: Trials, collection: Collection, tuned: Halves, checked: Halves, bar: Bar) -> Outcome:
    start = Setting(collection.fusion, collection.weights, collection.no_answer, collection.ranking)
    asking = _Asking(trials, collection, bar, len(tuned.answerable) + len(tuned.unanswerable))
    pools = await asking.pools([case.text for case in tuned.answerable])
    others = await asking.pools([case.text for case in tuned.unanswerable])
    asked = [Asked(case.gold, pool) for case, pool in zip(tuned.answerable, pools, strict=True)]
    chosen = await asyncio.to_thread(tuning.tune, asked, others, start)
    before = await asking.measure(start, checked)
    after = await asking.measure(chosen, checked)
    return Outcome(before, after, chosen, tuning.why_not_better(before, after))


class _Asking:
    """Searches one collection under one setting after the other, and reports each search."""

    def __init__(self, trials: Trials, collection: Collection, bar: Bar, questions: int) -> None:
        self._trials = trials
        self._collection = collection
        self._bar = bar
        self._done, self._total = 0, questions

    async def pools(self, texts: Sequence[str]) -> list[Pool]:
        """All that both arms bring for each question, scored for every setting."""
        stored, shipped = self._collection.ranking, Ranking()
        # The shipped factors differ from 1, which shows where each applies; the model's own weight is never 0, as a tuned one may be.
        wide = Ranking(fetch=MAX_K, derived=stored.derived, half_life_days=stored.half_life_days)
        search = self._trials.search(Setting("absolute", None, self._collection.no_answer, wide))
        spec = self._collection.embedding
        scale = Scale(spec.absolute_weight, shipped.near, spec.unrelated)
        return [make_pool(await self._ranked(search, text, MAX_K, 2 * MAX_K), scale) for text in texts]

    async def measure(self, setting: Setting, half: Halves) -> Measured:
        """Real searches under the setting, as a user of the collection would get them."""
        search = self._trials.search(setting)
        self._total += len(half.answerable) + len(half.unanswerable)
        # As many as the factors are looked at for, so that ten documents remain of several chunks each.
        found = [await self._ranked(search, case.text, SHOWN, BOOSTED) for case in half.answerable]
        others = [await self._ranked(search, case.text, SHOWN, BOOSTED) for case in half.unanswerable]
        rankings = [metrics.collapse([passage["document"] for passage in passages]) for passages in found]

        def mean(metric: Any) -> float:
            return float(np.mean([metric(ranking, case.gold, SHOWN) for ranking, case in zip(rankings, half.answerable, strict=True)]))

        return Measured(
            ndcg=mean(metrics.ndcg),
            recall=mean(metrics.recall),
            mrr=mean(metrics.reciprocal_rank),
            no_answer=setting.no_answer,
            answerable=tuple(map(_best, found)),
            unanswerable=tuple(map(_best, others)),
        )

    async def _ranked(self, search: TrialSearch, text: str, k: int, limit: int) -> list[Passage]:
        passages = await search.ranked(text, self._collection.name, k=k, limit=limit)
        self._done += 1
        self._bar(self._done, self._total)
        return passages


def _best(passages: Sequence[Passage]) -> float:
    return max((passage["absolute"] for passage in passages if passage["absolute"] is not None), default=float("-inf"))


def _result(collection: Collection, outcome: Outcome, tuned: Halves, checked: Halves, *, stored: bool) -> Result:
    setting = outcome.setting
    start = Setting(collection.fusion, collection.weights, collection.no_answer, collection.ranking)
    data = {
        "collection": collection.name,
        "before": _figures(outcome.before),
        "after": _figures(outcome.after),
        "stored": stored,
        "reason": _reason(outcome, stored=stored),
        "ranking": asdict(setting),
        "questions": {"tuned": tuned.counts(), "checked": checked.counts()},
    }
    questions = ", ".join(
        f"{name} {len(half.answerable)} questions and {len(half.unanswerable)} unanswerable ones"
        for name, half in (("tuned on", tuned), ("measured on", checked))
    )
    rows = [("", "before", "after"), *_rows(_figures(outcome.before), _figures(outcome.after)), *_rows(_flat(start), _flat(setting))]
    return Result(data, f"{collection.name}: {questions}\n{aligned(rows)}\n{_reason(outcome, stored=stored)}")


def _figures(measured: Measured) -> dict[str, float | None]:
    rejected = measured.rejected
    return {
        "ndcg@10": round(measured.ndcg, 4),
        "recall@10": round(measured.recall, 4),
        "mrr@10": round(measured.mrr, 4),
        "kept": round(measured.kept, 4),
        "rejected": None if rejected is None else round(rejected, 4),
        "no_answer": round(measured.no_answer, 4),
    }


def _flat(setting: Setting) -> dict[str, object]:
    told = {name: getattr(setting.ranking, name) for name in ("lexical", "near", "fetch", "title", "heading", "code")}
    answer = setting.ranking.answer
    curve = None if answer is None else f"{answer[0]:.1f} around {answer[1]:.4f}"
    weights = None if setting.weights is None else f"{setting.weights[0]:g}, {setting.weights[1]:g}"
    return {"fusion": setting.fusion, "weights": weights, **told, "answer": curve}


def _rows(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(name, _cell(before[name]), _cell(after[name])) for name in before]


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return "-" if value is None else str(value)


def _reason(outcome: Outcome, *, stored: bool) -> str:
    if outcome.why_not is not None:
        return f"not stored: {outcome.why_not}"
    old, new = outcome.before.no_answer, outcome.after.no_answer
    moved = f"the no-answer threshold {'stays' if old == new else f'goes from {old:.4f} to'} {new:.4f}"
    return f"stored: {moved}" if stored else f"better, but not stored because of --dry-run: {moved}"
