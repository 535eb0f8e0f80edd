"""What the tests of the knowledge graph share: extractors that say what they are told, what is kept, and a build that is killed."""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from drafting import rows

from retrievers.entities import Alias, Extraction, GraphText, Name, Relation
from retrievers.ingest.graph import GraphBuilder, GraphReport
from retrievers.providers.names_rules import RuleExtractor
from retrievers.scope import Scope
from retrievers.store.collections import get_collection
from retrievers.store.database import Database
from retrievers.store.graph import GraphStore
from retrievers.types import Collection

Kept = dict[str, list[tuple[Any, ...]]]


class Told:
    """An extractor that finds in a text what it was told of it, by the text; nothing in others."""

    def __init__(self, said: Mapping[str, Extraction], name: str = "told-1") -> None:
        self.said, self.name = said, name
        self.asked: list[GraphText] = []

    async def extract(self, texts: Sequence[GraphText]) -> list[Extraction]:
        self.asked += texts
        return [self.said.get(text.text, Extraction()) for text in texts]


def named(*names: str, relations: Sequence[tuple[str, str, str]] = (), aliases: Sequence[tuple[str, str]] = ()) -> Extraction:
    """Names that are their own keys in small letters, each at the beginning of the text, and what ties them: (head, kind, tail)."""
    return Extraction(
        [Name(name.casefold(), name, "name", "text", 0, len(name)) for name in names],
        [Relation(head.casefold(), tail.casefold(), kind, 0, 5) for head, kind, tail in relations],
        [Alias(one.casefold(), other.casefold(), 0, 5) for one, other in aliases],
    )


async def build(database: Database, scope: Scope, collection: Collection, extractor: Any = None, **options: Any) -> GraphReport:
    """As `tadori graph build` does it, by default with the rules."""
    return await GraphBuilder(GraphStore(database), extractor or RuleExtractor()).build(scope, collection, **options)


async def kept(database: Database, scope: Scope, collection: Collection) -> Kept:
    """All that is kept of entities, chunks by text and place instead of by number: equal for equal documents in any tenant."""
    queries = {
        "mention": "g.key, g.name, g.kind, g.placed, g.count, g.start, g.end",
        "relation": "g.head, g.tail, g.kind, g.start, g.end, g.weight",
        "alias": "g.key, g.same_as, g.start, g.end",
        "extraction": "g.extractor, g.title, g.failed",
    }
    found = {}
    for table, columns in queries.items():
        query = f"""
            select x.content_hash, c.ordinal, a.readers, {columns.replace("g.end", 'g."end"')}
            from tadori.{table} g join tadori.chunk c on c.tid = g.tid and c.chunk = g.chunk
            join tadori.content x on x.tid = c.tid and x.coll = c.coll and x.content = c.content
            join tadori.audience a on a.tid = g.tid and a.audience = g.audience
            where g.tid = %s and g.coll = %s"""
        found[table] = sorted(await rows(database, scope, query, collection.tid, collection.coll), key=repr)
    return found


def build_and_die(home: str, tenant: str, call: int) -> None:
    """In a process of its own: build the graph of `default`, two chunks at a time, and end by SIGKILL before a statement."""
    asyncio.run(_build_and_die(Path(home), tenant, call))


async def _build_and_die(home: Path, tenant: str, call: int) -> None:
    from psycopg import AsyncConnection

    from retrievers.ingest import graph

    graph.BATCH = 2
    left = call

    def dying(function: Any) -> Any:
        async def wrapped(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
            return await function(*arguments, **options)

        return wrapped

    database, scope = Database(None, home=home), Scope.operator(tenant)
    collection = await get_collection(database, scope, "default")
    AsyncConnection.execute = dying(AsyncConnection.execute)  # type: ignore[method-assign]
    RuleExtractor.extract = dying(RuleExtractor.extract)  # type: ignore[method-assign]
    await build(database, scope, collection)
    await database.close()
