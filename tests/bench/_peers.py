"""Other people's search engines, each in an environment and a process of its own, so that none of their packages enters ours.

An environment is made at first use in a cache folder outside the repository; a peer reads and writes an exchange folder (task.json and
vectors.npz in, rankings.json out).
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from platformdirs import user_cache_path
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier
from sqlalchemy import URL

from retrievers.store.database import Database
from retrievers.text.analysis import analyse, query_words
from tests.bench._collections import TestCollection

CACHE = user_cache_path("tadori") / "bench"
DEPTHS = (10, 100)
"""Every peer is asked for ten hits, as people do, and for a hundred: some look at more candidates then and rank the first ten better."""


@dataclass(frozen=True)
class Peer:
    """`packages` are what it needs, pinned; `notes` say how it was set up, where that is more than its first page shows."""

    name: str
    title: str
    packages: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def script(self) -> Path:
        return Path(__file__).parent / f"_peer_{self.name}.py"


PEERS = (
    Peer(
        "lancedb",
        "lancedb 0.40 hybrid",
        ("lancedb==0.40.0", "pyarrow==26.0.1", "numpy==2.4.6"),
        (
            "Default full-text index for English; for Japanese and Chinese its n-gram tokenizer with two and three characters, without "
            "stems and stop words, since words of two characters are the most common there.",
            "Reciprocal rank fusion with its default constant. Vectors are compared exactly.",
        ),
    ),
    Peer(
        "langchain_postgres",
        "langchain-postgres 0.0.19 hybrid",
        (
            "langchain-postgres==0.0.19",
            "langchain-core==1.8.3",
            "sqlalchemy==2.1.9",
            "psycopg[binary]==3.3.9",
            "pgvector==0.3.6",
            "numpy==2.4.6",
        ),
        (
            "PGVectorStore with a tsvector column and its GIN index, reciprocal rank fusion, on the same server as ours. Vectors are "
            "compared exactly.",
            "Worked around: a configuration keeps the first query's words, so each search gets a new one; an arm brings four rows whatever "
            "is asked for, so each brings three times as many as wanted; the index's name can be had once in a schema, so it is given.",
            "Left as shipped: all words of a question must match, and matches are ranked by ts_rank_cd. Dictionary english for English, "
            "simple for Japanese and Chinese.",
        ),
    ),
    Peer(
        "bm25s",
        "bm25s 0.3.16",
        ("bm25s==0.3.16", "PyStemmer==3.1.0", "numpy==2.4.6"),
        ("No vectors. Its own tokenizer, stop words and stemmer for English; for Japanese and Chinese it is given our analyser's words.",),
    ),
)


def environment(peer: Peer, cache: Path) -> Path:
    """The Python of the peer's environment, made first where it is missing or its pins have changed."""
    pins = sha256("\n".join(peer.packages).encode()).hexdigest()[:8]
    folder = cache / f"{peer.name}-{sys.version_info.major}.{sys.version_info.minor}-{pins}"
    python, done = folder / "bin" / "python", folder / "done"
    if not done.exists():
        print(f"making an environment for {peer.name}", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *peer.packages], check=True)
        done.touch()
    return python


async def own_postgres(database: Database, name: str) -> str:
    """An empty database with pgvector on the server of `database`, as the address that SQLAlchemy takes; it holds a password."""
    async with database.owner() as owner:
        await owner.execute(SQL("create database {}").format(Identifier(name)))
    given = {key: str(value) for key, value in conninfo_to_dict(await database.login()).items()}
    host, port = given.pop("host"), given.get("port", "5432")
    url = URL.create("postgresql+psycopg", given["user"], given.get("password"), database=name, query={"host": host, "port": port})
    return url.render_as_string(hide_password=False)


def rankings(peer: Peer, given: TestCollection, language: str, database: str | None, cache: Path) -> dict[int, dict[str, list[str]]]:
    """What the peer finds: {depth: {question: documents, best first}}. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory(prefix="tb-") as place:
        folder = Path(place)
        (folder / "task.json").write_text(json.dumps(_task(given, language, database)), "utf-8")
        np.savez(
            folder / "vectors.npz",
            passages=np.stack([row.vector for row in given.rows]),
            questions=np.stack([given.queries[case.id] for case in given.cases.answerable]),
        )
        subprocess.run([environment(peer, cache), peer.script, folder], check=True)
        found = json.loads((folder / "rankings.json").read_text("utf-8"))
    return {int(depth): ranking for depth, ranking in found.items()}


def _task(given: TestCollection, language: str, database: str | None) -> dict[str, object]:
    texts = [(row.source, f"{row.title}\n{row.text}" if row.title else row.text) for row in given.rows]
    documents = [{"id": source, "text": text} | _words(analyse(text), language) for source, text in texts]
    asked = [{"id": case.id, "text": case.text} | _words(query_words(case.text), language) for case in given.cases.answerable]
    name = f"passages_{given.name}".replace("-", "_")
    return {"name": name, "language": language, "database": database, "depths": DEPTHS, "documents": documents, "questions": asked}


def _words(words: Sequence[str], language: str) -> dict[str, object]:
    return {} if language == "en" else {"words": list(words)}
