"""Runs a search under EXPLAIN ANALYZE, as the product runs it, and says which parts of the plan were executed."""

import json
from collections.abc import Iterator
from contextlib import asynccontextmanager
from typing import Any

from psycopg.sql import SQL

from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.search import Query, find_passages
from retrievers.types import Collection

Node = dict[str, Any]


class Explaining:
    """A connection on which what goes through a cursor is explained instead of answered; `plan` is that of the last statement."""

    def __init__(self, conn: Any) -> None:
        self._conn = conn
        self.execute = conn.execute
        self.plan: Node = {}

    @asynccontextmanager
    async def cursor(self, **_options: object):
        yield self._Cursor(self)

    class _Cursor:
        def __init__(self, owner: "Explaining") -> None:
            self._owner = owner

        async def execute(self, query: Any, values: Any, **options: object) -> None:
            rows = await self._owner.execute(SQL("explain (analyze, format json) ") + query, values, **options)
            found = (await rows.fetchone())[0]
            self._owner.plan = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]

        async def fetchall(self) -> list[object]:
            return []


async def executed(database: Database, scope: Scope, collection: Collection, query: Query) -> list[Node]:
    """The nodes that were executed, flat, of the statement as tadori_app with the policies on."""
    async with database.transaction(scope) as conn:
        explaining = Explaining(conn)
        await find_passages(explaining, collection, query)
    return list(_executed(explaining.plan))


def scans(nodes: list[Node], relation: str) -> list[tuple[str, str | None]]:
    """How each relation whose name starts so was read: the node and its index."""
    return [(node["Node Type"], node.get("Index Name")) for node in nodes if node.get("Relation Name", "").startswith(relation)]


def _executed(node: Node) -> Iterator[Node]:
    if node["Actual Loops"]:
        yield node
    for child in node.get("Plans", ()):
        yield from _executed(child)
