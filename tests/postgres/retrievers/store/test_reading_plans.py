"""How PostgreSQL reads passages by id, and explains a named one: as tadori_app with the policies on."""

import numpy as np
import pytest
from crowd import DIMS, crowd, unit
from plans import Explaining, _executed

from retrievers.store.explain import find_named
from retrievers.store.reading import read_passages, read_surroundings
from retrievers.types import Filters

ROWS = 3000
LARGE = ("chunk", "content", "document", "posting")


@pytest.fixture
async def collection(database, scope):
    rows = unit(np.random.default_rng(5).normal(size=(ROWS, DIMS)))
    marks = [{"pct": str(number % 100)} for number in range(ROWS)]
    return await crowd(database, scope, rows, marks)


async def some_ids(database, scope, collection):
    async with database.transaction(scope) as conn:
        found = await conn.execute("select id from tadori.chunk where tid = %s and coll = %s limit 5", (collection.tid, collection.coll))
        return [row[0] for row in await found.fetchall()]


@pytest.mark.rule("pg-index")
async def test_reading_and_explaining_go_by_key_and_scan_no_table(database, scope, collection):
    """pg-index: five of three thousand passages cost the look-up of five, with the statistics that every ingestion leaves."""
    ids = await some_ids(database, scope, collection)
    filters = Filters((("pct", "3"),))
    async with database.transaction(scope) as conn:
        explaining = Explaining(conn)
        plans = []
        for run in (
            lambda: read_passages(explaining, "default", ids, before=3, after=3, filters=filters),
            lambda: read_surroundings(explaining, "default", ids, 4),
            lambda: find_named(explaining, collection, ids[0], ("row", "third"), filters),
            lambda: find_named(explaining, collection, "row-7", ("row", "third"), filters),
        ):
            await run()
            plans.append([node for node in _executed(explaining.plan) if node.get("Relation Name") in LARGE])
    assert [len(nodes) > 1 for nodes in plans] == [True] * 4
    assert [(node["Node Type"], node["Relation Name"]) for nodes in plans for node in nodes if node["Node Type"] == "Seq Scan"] == []
    shown = ("Node Type", "Relation Name", "Index Name", "Index Cond", "Filter", "Actual Rows", "Plan Rows")
    many = [{name: node.get(name) for name in shown} for nodes in plans for node in nodes if node["Actual Rows"] > 50]
    assert many == []
