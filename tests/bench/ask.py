"""How well and how dearly questions are answered: rates over whole collections, the graph's own time, model calls beside the usual shape.

`python -m tests.bench.ask [DATA] [--home FOLDER] [--questions N] [--parts answers overhead calls]
[--chat-base-url URL --chat-model openai:NAME --minutes M]`. Collections go through the product's own ingestion, a quarter of an hour on
two cores unless FOLDER holds them already. With a chat address the part `model` is run too: 20 answerable questions and 10 of each other
kind, in turn, until the time is over.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from graphs.evals.answers import ANSWERED, Asked, summarise_answers
from graphs.evals.asking import ask_one
from graphs.evals.cases import Case, Cases, Unanswerable, collection_name, read_cases
from graphs.evals.report import Outcome
from graphs.evals.runner import evaluate, ingest_corpus
from graphs.rag import build_graph
from graphs.settings import Settings
from graphs.wiring import Services
from nodes.knobs import Knobs
from nodes.structured import Decider
from retrievers.providers.chat import resolve_chat
from retrievers.types import Embedder, EmbeddingSpec, Passage
from tests.bench import _standard_shape as standard
from tests.bench._collections import DATA
from tests.bench._oracle import Oracle
from tests.bench._results import RESULTS, load, read_results, write_results

SETS = ("squad2", "jsquad")
QUESTIONS = 200
TIMED = 100
"""Questions of the part `overhead`, of each collection."""
COUNTED = 50
"""Questions of the part `calls`, of each collection."""
SMALL = {"answerable": 20, "out_of_corpus": 10, "adversarial": 10}
"""For a small model on a processor, which takes about a minute for an answer."""
QUERIES = "dev.tsv"


class TimedEmbedder:
    """The shipped embedder, and the seconds spent in it since they were last taken."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._seconds = 0.0

    @property
    def spec(self) -> EmbeddingSpec:
        return self._inner.spec

    def count_tokens(self, text: str) -> int:
        """As the embedder counts."""
        return self._inner.count_tokens(text)

    async def embed_query(self, text: str) -> Any:
        """Timed."""
        return await self._timed(self._inner.embed_query(text))

    async def embed_passages(self, texts: Sequence[str]) -> Any:
        """Timed."""
        return await self._timed(self._inner.embed_passages(texts))

    async def _timed(self, embedding: Any) -> Any:
        started = time.perf_counter()
        try:
            return await embedding
        finally:
            self._seconds += time.perf_counter() - started

    def taken(self) -> float:
        """Seconds since the last time."""
        seconds, self._seconds = self._seconds, 0.0
        return seconds


async def answers(services: Services, data: Path, limit: int) -> dict[str, Any]:
    """`tadori eval --ask` over each collection, without a model."""
    found = {}
    for name in SETS:
        report: Mapping[str, Any] = await evaluate(services, data / name, queries=QUERIES, limit=limit, ask=True, progress=Printed(name))
        found[name] = {key: value for key, value in report.items() if key not in ("missed", "timings_ms")}
        print(f"{name}: {found[name]}", flush=True)
    return found


class Printed:
    """Progress as a line now and then."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._last = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() - self._last > 30:
            print(f"{self._name}: {done} of {total}", flush=True)
            self._last = time.monotonic()


async def overhead(services: Services, data: Path) -> dict[str, Any]:
    """Milliseconds of a turn without a model: whole, less its searches, and less the embedding of its sentences too."""
    search, tool, embedder = services.search(services.operator), services.search_tool(services.operator), TimedEmbedder(services.embedder)
    graph = build_graph(search=search, search_tool=tool, embedder=embedder, reader=services.reader(services.operator))
    times: dict[str, list[float]] = {"whole": [], "without_searches": [], "without_embedding": []}
    for name in SETS:
        knobs = Knobs(collection=collection_name(data / name / "corpus.jsonl"), web=False)
        for number, case in enumerate(read_cases(data / name, QUERIES, TIMED).answerable):
            embedder.taken()
            started = time.perf_counter()
            output = await graph.ainvoke({"question": case.text}, context=knobs)
            whole = (time.perf_counter() - started) * 1000
            searches = sum(event["ms"] for event in output["trail"] if event["step"] == "retrieve")
            if number:  # the first one warms up
                times["whole"].append(whole)
                times["without_searches"].append(whole - searches)
                times["without_embedding"].append(whole - searches - embedder.taken() * 1000)
    shares = {stage: {f"p{share}": round(float(np.percentile(values, share)), 1) for share in (50, 95)} for stage, values in times.items()}
    return {"turns": len(times["whole"]), "load": load(), **shares}


async def calls(services: Services, data: Path) -> dict[str, Any]:
    """Calls and tokens of an answer, ours beside the usual shape's, with a model that makes no mistake."""
    gold: dict[str, list[str]] = {}
    cases = {name: read_cases(data / name, QUERIES, COUNTED).answerable for name in SETS}
    for name in SETS:
        texts = texts_of(data / name)
        gold |= {case.text: [texts[document] for document in case.gold] for case in cases[name]}
    with Oracle(gold, services.embedder.count_tokens) as server:
        return await compared(services, server.base_url, "openai:oracle", [(data / name, cases[name]) for name in SETS], float("inf"))


def texts_of(folder: Path) -> dict[str, str]:
    """The corpus by id."""
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").split("\n") if line]
    return {row["_id"]: row["text"].strip() for row in rows}


async def compared(
    services: Services, url: str, model: str, given: Sequence[tuple[Path, Sequence[Case]]], minutes: float
) -> dict[str, Any]:
    """Both shapes over the same questions, in turn, until the time is over; means are over those that each answered."""
    asking = Services(services.settings.model_copy(update={"chat_base_url": url, "chat_model": model}))
    chat, ends = Decider(resolve_chat(model, base_url=url, api_key=None)), time.monotonic() + minutes * 60
    ours: list[Asked] = []
    usual: list[standard.Turn] = []
    for folder, case in in_turn([[(folder, case) for case in cases] for folder, cases in given]):
        if time.monotonic() > ends:
            break
        collection = collection_name(folder / "corpus.jsonl")
        ours.append(await ask_one(asking, case.text, collection=collection, fusion=None))

        async def search(query: str, collection: str = collection) -> Sequence[Passage]:
            return (await services.search(services.operator).search(query, collection=collection, k=Knobs().top_k))["passages"]

        usual.append(await standard.answer(case.text, search, chat))
        print(f"calls: {len(ours)} questions, ours {ours[-1].calls}, usual {usual[-1].usage['calls']}", flush=True)
    await asking.close()
    return {"questions": len(ours), "model": model.partition(":")[2], "ours": _ours(ours), "usual": _usual(usual)}


def _ours(runs: Sequence[Asked]) -> dict[str, Any]:
    replied = [asked for asked in runs if asked.status in ANSWERED]
    return {"answered": len(replied), "calls": mean([run.calls for run in replied]), "tokens": mean([run.tokens for run in replied])}


def _usual(turns: Sequence[standard.Turn]) -> dict[str, Any]:
    replied = [turn.usage for turn in turns if turn.answer is not None]
    tokens = [usage["input_tokens"] + usage["output_tokens"] for usage in replied]
    return {"answered": len(replied), "calls": mean([usage["calls"] for usage in replied]), "tokens": mean(tokens)}


def mean(values: Sequence[float]) -> float | None:
    """To two places; None of nothing."""
    return round(float(np.mean(values)), 2) if values else None


def in_turn(rows: Sequence[Sequence[Any]]) -> list[Any]:
    """The first of each, then the second of each: whatever ends the run early, all have had their share."""
    return [entry for entries in zip_longest(*rows) for entry in entries if entry is not None]


async def with_model(services: Services, data: Path, url: str, model: str, minutes: float) -> dict[str, Any]:
    """The rates with a real model, kinds and collections in turn, until the time is over; and the same questions without a model."""
    asking = Services(services.settings.model_copy(update={"chat_base_url": url, "chat_model": model}))
    ends = time.monotonic() + minutes * 60
    groups = [[(name, case) for case in group] for name in SETS for group in small_sample(read_cases(data / name, QUERIES))]
    runs: dict[str, list[tuple[Any, Asked, Asked]]] = {name: [] for name in SETS}
    for name, case in in_turn(groups):
        if time.monotonic() > ends:
            break
        collection = collection_name(data / name / "corpus.jsonl")
        with_it = await ask_one(asking, case.text, collection=collection, fusion=None)
        without = await ask_one(services, case.text, collection=collection, fusion=None)
        runs[name].append((case, with_it, without))
        print(
            f"model: {name} {kind_of(case)} {with_it.status} {with_it.calls} calls {with_it.ms / 1000:.0f} s: {with_it.reason[:100]}",
            flush=True,
        )
    await asking.close()
    sets = {name: {"with": _rates(runs[name], 1), "without": _rates(runs[name], 2)} for name in SETS if runs[name]}
    seconds = [run[1].ms / 1000 for name in SETS for run in runs[name]]
    return {"model": model.partition(":")[2], "sets": sets, "seconds": mean(seconds), "minutes": round(minutes, 1)}


def small_sample(cases: Cases) -> list[list[Case | Unanswerable]]:
    """The first of each kind."""
    kinds: dict[str, list[Case | Unanswerable]] = {"answerable": list(cases.answerable)}
    for case in cases.unanswerable:
        kinds.setdefault(case.kind, []).append(case)
    return [group[: SMALL.get(kind, 0)] for kind, group in kinds.items()]


def kind_of(case: Case | Unanswerable) -> str:
    """Its kind in a report."""
    return case.kind if isinstance(case, Unanswerable) else "answerable"


def _rates(runs: Sequence[tuple[Any, Asked, Asked]], which: int) -> dict[str, Any]:
    nothing = Outcome([], float("-inf"), {})
    answerable = [(run[0], nothing, run[which]) for run in runs if isinstance(run[0], Case)]
    others = [(run[0], run[which]) for run in runs if isinstance(run[0], Unanswerable)]
    report: Mapping[str, Any] = summarise_answers([(case, outcome, asked) for case, outcome, asked in answerable], others)
    return {key: value for key, value in report.items() if key not in ("missed", "causes")}


async def measured(options: argparse.Namespace, home: Path) -> None:
    """Every part that is wanted, each kept as soon as it is there."""
    services = Services(Settings(home=home))
    path = options.results / "ask.json"
    try:
        for name in SETS:
            corpus = options.data / name / "corpus.jsonl"
            await ingest_corpus(services, collection_name(corpus), corpus, Printed(name))
        parts = {
            "answers": lambda: answers(services, options.data, options.questions),
            "overhead": lambda: overhead(services, options.data),
            "calls": lambda: calls(services, options.data),
        }
        for part in options.parts:
            write_results(path, read_results(path) | {part: await parts[part](), "load": load()})
            print(f"{part}: {read_results(path)[part]}", flush=True)
        if options.chat_base_url:
            await real_model(services, options, path)
    finally:
        await services.close()


async def real_model(services: Services, options: argparse.Namespace, path: Path) -> None:
    """Two thirds of the time for the rates, one for calls and tokens beside the usual shape."""
    url, model = options.chat_base_url, options.chat_model
    found = await with_model(services, options.data, url, model, options.minutes * 2 / 3)
    write_results(path, read_results(path) | {"model": found})
    given = [(options.data / name, read_cases(options.data / name, QUERIES, SMALL["answerable"]).answerable) for name in SETS]
    beside = await compared(services, url, model, given, options.minutes / 3)
    write_results(path, read_results(path) | {"model_calls": beside})


def main() -> None:
    """Parse and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DATA, help="folder of test collections")
    parser.add_argument("--home", type=Path, help="where the collections are kept; default: nowhere")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the result files")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="of each kind and collection")
    parser.add_argument("--parts", nargs="*", choices=("answers", "overhead", "calls"), default=["answers", "overhead", "calls"])
    parser.add_argument("--chat-base-url", help="an OpenAI-compatible address of a real model")
    parser.add_argument("--chat-model", default="openai:local", help="as TADORI_CHAT_MODEL has it")
    parser.add_argument("--minutes", type=float, default=40, help="how long the real model may take")
    options = parser.parse_args()
    if missing := [name for name in SETS if not (options.data / name / "corpus.jsonl").is_file()]:
        print(f"skipped: {', '.join(missing)} not found in {options.data}")
        return
    with tempfile.TemporaryDirectory(prefix="tb-") as temporary:
        home = options.home or Path(temporary)
        home.chmod(0o711)  # as root the server runs as a user of its own
        asyncio.run(measured(options, home))


if __name__ == "__main__":
    main()
