"""What each command does: settings, one coroutine, one result, printed once.

Imported by graphs.cli when a command runs; every error becomes one line on stderr and an exit code.
"""

import argparse
import asyncio
import io
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from typing import Any

from graphs import api, render, render_why
from graphs.cli import DONE, FAILED, USAGE
from graphs.parsing import parse_budgets, parse_filters, parse_fusion
from graphs.settings import Settings
from graphs.wiring import Services, services_for
from retrievers.errors import InvalidArgument, TadoriError
from retrievers.types import SearchResult


@dataclass(frozen=True)
class Result:
    """What a command gives: the JSON object of the contract, the same for a person, and the exit code."""

    data: dict[str, Any]
    text: str
    code: int = DONE


Command = Callable[[Services, argparse.Namespace], Awaitable[Result]]


def run(options: argparse.Namespace) -> int:
    """Run the command that was parsed and return its exit code."""
    accept_any_text(utf8=options.json)
    try:
        services = services_for(Settings.load(tenant=options.tenant, embedding_model=getattr(options, "embedding_model", None)))
        if options.command == "serve":
            from graphs.serve import serve

            return serve(services.settings, host=options.host, port=options.port)
        result = asyncio.run(_closing(services, _COMMANDS[options.command](services, options)))
    except InvalidArgument as exc:
        return _complain(exc, USAGE)
    except TadoriError as exc:
        return _complain(exc, FAILED)
    return show(json.dumps(result.data, ensure_ascii=False, default=_plain) if options.json else result.text) or result.code


def accept_any_text(*, utf8: bool = False) -> None:
    """Let stdout escape what its encoding lacks, such as a file name that is no UTF-8; with `utf8` the encoding is that, as JSON's is."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8" if utf8 else None, errors="backslashreplace")


def show(text: str) -> int:
    """Print a result; 0, or 1 where stdout cannot take it: a full disk, a reader that has gone."""
    try:
        print(text, flush=True)
    except OSError as exc:
        # Python writes what is left once more at exit, and would fail with a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _complain(TadoriError(f"the result could not be written to stdout: {exc.strerror}"), FAILED)
    return DONE


def _complain(error: TadoriError, code: int) -> int:
    print(f"tadori: {' '.join(str(error).split())}", file=sys.stderr)
    return code


async def _closing(services: Services, command: Awaitable[Result]) -> Result:
    try:
        return await command
    finally:
        await services.close()


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    dump = getattr(value, "model_dump", None)
    if dump is None:
        raise TypeError(f"{type(value).__name__} is not JSON")
    return dump(mode="json")


_LOG_EVERY_S = 30.0
"""A log gets a line now and then; a short command none, so that an error stays the only line."""


class Bar:
    """Progress on stderr from the first report of work: a bar on a terminal, now and then a line elsewhere."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._bar: Any = None
        self._logged = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        if not sys.stderr.isatty():
            self._log(done, total)
            return
        from tqdm import tqdm

        if self._bar is None:
            self._bar = tqdm(total=total, desc=self._label, file=sys.stderr, leave=False, mininterval=0.5)
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def _log(self, done: int, total: int) -> None:
        if time.monotonic() - self._logged >= _LOG_EVERY_S:
            print(f"{self._label}: {done} of {total}", file=sys.stderr, flush=True)
            self._logged = time.monotonic()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


async def _ingest(services: Services, options: argparse.Namespace) -> Result:
    readers = [reader.strip() for given in options.readers or ["tenant"] for reader in given.split(",")]
    bar = Bar("texts")
    try:
        report = await api.ingest(
            options.paths,
            collection=options.collection,
            readers=readers,
            prune=options.prune,
            index=options.index,
            vector_type=options.vector_type,
            progress=bar,
            services=services,
        )
    finally:
        bar.close()
    failed = any(file["status"] == "failed" for file in report["files"])
    return Result(dict(report), render.ingested(report), FAILED if failed else DONE)


async def _delete(services: Services, options: argparse.Namespace) -> Result:
    report = await services.delete(options.collection, options.sources)
    data = {"deleted": report.deleted, "chunks": report.chunks}
    return Result(data, f"{report.deleted} documents deleted, {report.chunks} chunks")


async def _search(services: Services, options: argparse.Namespace) -> Result:
    fusion, weights = parse_fusion(options.fusion)
    wanted: dict[str, Any] = {"collection": options.collection, "k": options.k, "mode": options.mode, "fusion": fusion, "weights": weights}
    wanted |= {"filters": parse_filters(options), "services": services}
    if options.explain or options.why is not None:
        return await _explain(services, options, wanted)
    found = await api.search(options.query, **wanted)
    return Result(_hits(found), "\n\n".join([render.hits(found["passages"], explain=False), *render.fallbacks(found["degraded"])]))


async def _explain(services: Services, options: argparse.Namespace, wanted: dict[str, Any]) -> Result:
    found = await api.explain(options.query, why=options.why, **wanted)
    hints = await services.search(services.operator).hints(options.query, collection=options.collection)
    told = {"fusion": found["fusion"], "no_answer": found["no_answer"], "answerable": found["answerable"], "words": hints["words"]}
    data = {**_hits(found), "candidates": found["candidates"], "explain": told, "why": found["why"]}
    words = ", ".join(f"{word['word']} ({word['df']})" for word in hints["words"])
    table = render.table({**told, "words": f"{words}, each with the number of passages that hold it"})
    listed = [render.hits(found["passages"], explain=True), render_why.candidates(found), table] if options.explain else []
    named = [render_why.why(found["why"])] if found["why"] else []
    return Result(data, "\n\n".join([*listed, *named, *render.fallbacks(found["degraded"])]))


def _hits(found: SearchResult) -> dict[str, Any]:
    degraded = [{"cause": cause, "fallback": fallback} for cause, fallback in found["degraded"]]
    told = {name: found[name] for name in ("answerable", "analyser", "timings_ms")}
    return {"hits": found["passages"], "degraded": degraded, **told}


async def _ask(services: Services, options: argparse.Namespace) -> Result:
    if not options.question.strip():
        raise InvalidArgument('there is no question: write one, such as `tadori ask "How long are backups kept?"`')
    started = time.perf_counter()
    bar = Bar("texts")
    try:
        answer = await api.ask(
            options.question,
            collection=options.collection,
            docs=options.docs,
            thread=options.thread,
            filters=parse_filters(options),
            knobs=parse_budgets(options),
            progress=bar,
            services=services,
        )
    finally:
        bar.close()
    if answer["status"] == "failed":
        raise TadoriError(answer["reason"])
    shown = render.answer(answer, time.perf_counter() - started)
    return Result(dict(answer), f"{shown}\n\n{render.trail(answer['trail'])}" if options.trail else shown)


async def _doctor(services: Services, options: argparse.Namespace) -> Result:
    from graphs.doctor import diagnose

    checks = await diagnose(services)
    ok = all(check["ok"] for check in checks)
    text = "\n".join(f"{'✓' if check['ok'] else '✗'} {check['name']}: {check['detail']}" for check in checks)
    return Result({"ok": ok, "checks": checks}, text, DONE if ok else FAILED)


def _elsewhere(module: str, name: str) -> Command:
    """A command of a module of its own, which is imported when it runs."""

    async def command(services: Services, options: argparse.Namespace) -> Result:
        run_it: Command = getattr(import_module(module), name)
        return await run_it(services, options)

    return command


_COMMANDS: dict[str, Command] = {
    "ingest": _ingest,
    "delete": _delete,
    "search": _search,
    "ask": _ask,
    "eval": _elsewhere("graphs.evaluating", "run_eval"),
    "reindex": _elsewhere("graphs.reindexing", "reindex"),
    "graph": _elsewhere("graphs.graphing", "graph"),
    "tune": _elsewhere("graphs.tuning", "tune"),
    "collections": _elsewhere("graphs.collection_settings", "collections"),
    "usage": _elsewhere("graphs.usage", "usage"),
    "doctor": _doctor,
}
