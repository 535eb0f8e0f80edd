"""Reads evaluation cases from a folder in BEIR form: corpus.jsonl, queries.jsonl, and a table of relevant documents.

Used by graphs.evals.runner; knows files and nothing of searching.
"""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from retrievers.errors import InvalidArgument


@dataclass(frozen=True)
class Case:
    """A question and the documents that answer it: `gold` maps a document's id to its grade, 1 or more; empty means nothing does."""

    id: str
    text: str
    gold: Mapping[str, int]


@dataclass(frozen=True)
class Unanswerable:
    """A question that the corpus does not answer. `kind` is the table's word for why: out_of_corpus or adversarial."""

    id: str
    text: str
    kind: str


@dataclass(frozen=True)
class Cases:
    """The questions of one run, in the order of their table."""

    answerable: tuple[Case, ...]
    unanswerable: tuple[Unanswerable, ...]


def read_cases(folder: Path, queries: str, limit: int | None = None) -> Cases:
    """The first `limit` distinct questions of the table `queries` in `folder`, and as many of each kind from `unanswerable_<queries>`.

    Raises InvalidArgument for a file that is missing or a row that does not fit.
    """
    if limit is not None and limit < 1:
        raise InvalidArgument(f"limit is {limit}: use 1 or more")
    texts = _texts(folder / "queries.jsonl")
    gold: dict[str, dict[str, int]] = {}
    for query, document, grade in _rows(folder / queries, 3):
        if query not in gold and limit is not None and len(gold) == limit:
            continue
        relevant = gold.setdefault(query, {})
        if (number := _grade(folder / queries, grade)) > 0:
            relevant[document] = number
    answerable = tuple(Case(query, _text(texts, query, folder), relevant) for query, relevant in gold.items())
    if not answerable:
        raise InvalidArgument(f"{str(folder / queries)!r} holds no questions: give a table of query-id, corpus-id, score")
    return Cases(answerable, _unanswerable(folder, queries, texts, limit))


def corpus_file(folder: Path, corpus: Path | None) -> Path:
    """The corpus to search: the folder's own, or `corpus`, a file or a folder that holds one. Raises InvalidArgument."""
    path = folder if corpus is None else corpus
    path = path / "corpus.jsonl" if path.is_dir() else path
    if not path.is_file():
        raise InvalidArgument(f"{str(path)!r} is not there: give a folder with corpus.jsonl")
    return path


def collection_name(corpus: Path) -> str:
    """`eval-<folder>`, the folder being the one that holds the corpus; another file name than corpus.jsonl is added."""
    folder = corpus.resolve().parent.name
    name = folder if corpus.name == "corpus.jsonl" else f"{folder}-{corpus.stem}"
    return f"eval-{re.sub(r'[^a-z0-9_-]+', '-', name.lower())}"[:63]


def _unanswerable(folder: Path, queries: str, texts: Mapping[str, str], limit: int | None) -> tuple[Unanswerable, ...]:
    path = folder / f"unanswerable_{queries}"
    if not path.is_file():
        return ()
    by_kind: dict[str, dict[str, Unanswerable]] = {}
    for query, kind in _rows(path, 2):
        by_kind.setdefault(kind, {}).setdefault(query, Unanswerable(query, _text(texts, query, folder), kind))
    return tuple(case for cases in by_kind.values() for case in list(cases.values())[:limit])


def _texts(path: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            texts[str(row["_id"])] = str(row["text"])
        except (ValueError, KeyError, TypeError) as exc:
            raise InvalidArgument(f"line {number} of {str(path)!r} is not a JSON object with _id and text") from exc
    return texts


def _text(texts: Mapping[str, str], query: str, folder: Path) -> str:
    if query not in texts:
        raise InvalidArgument(f"query {query!r} is not in {str(folder / 'queries.jsonl')!r}")
    return texts[query]


def _rows(path: Path, columns: int) -> Iterator[list[str]]:
    """The table's rows without its heading, which every BEIR table has."""
    rows = csv.reader(_lines(path), delimiter="\t", quoting=csv.QUOTE_NONE)
    next(rows, None)
    for number, row in enumerate(rows, start=2):
        if not row:
            continue
        if len(row) != columns:
            raise InvalidArgument(f"line {number} of {str(path)!r} has {len(row)} columns instead of {columns}")
        yield row


def _grade(path: Path, value: str) -> int:
    try:
        return int(value)
    except ValueError as exc:
        raise InvalidArgument(f"{str(path)!r} has the score {value!r}, which is not a whole number") from exc


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split("\n")  # not splitlines: a text may hold U+2028
    except OSError as exc:
        raise InvalidArgument(f"{str(path)!r} cannot be read: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        raise InvalidArgument(f"{str(path)!r} is not UTF-8 text") from exc
