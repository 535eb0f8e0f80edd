"""Row-level security on every relation there is, asked of the catalogue, so that a table added without it fails here."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from graphing import Told, build, named
from postgres.conftest import Login, administer
from psycopg import sql
from seeding import Text, seed

from retrievers.ledger import ModelCall, Turn
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.store.graph import GraphStore
from retrievers.store.health import check_database
from retrievers.store.ledger import Ledger
from retrievers.store.threads import open_threads, thread_key

# Belong to the owner alone; the role has no right to them at all.
_FOR_NO_TENANT = {"tadori.migration", "tadori_threads.checkpoint_migrations"}


@pytest.fixture
async def filled(database: Database, tenant: str) -> Database:
    """The database with a row of the tenant in every table that can have one."""
    scope = Scope.operator(tenant)
    text = Text("a.md", "The pump runs at 40 bar.", readers=("group:crew",), metadata={"unit": "bar"})
    collection = await seed(database, scope, [text])
    said = named("Pump", "bar", relations=[("Pump", "runs at", "bar")], aliases=[("Pump", "bar")])
    await build(database, scope, collection, Told({text.text: said}))
    await GraphStore(database).split(scope, collection, "Pump", "bar")
    embedder = HashEmbedder()
    await EmbeddingCache(database).put(scope, embedder.spec, "query", ["pump"], [await embedder.embed_query("pump")])
    call: ModelCall = {
        "step": "grade",
        "model": "openai:m",
        "failed": False,
        "input_tokens": 9,
        "output_tokens": 1,
        "cost_usd": None,
        "ms": 1.0,
    }
    await Ledger(database, scope).append([Turn(uuid4(), datetime.now(UTC), "answered", 12.0, [call])])
    async with open_threads(database, tenant) as saver:
        config = {"configurable": {"thread_id": thread_key(tenant, "one"), "checkpoint_ns": ""}}
        checkpoint = {"v": 4, "id": "1", "ts": "2026-01-01T00:00:00+00:00", "channel_values": {"a": [1]}, "channel_versions": {"a": "1"}}
        stored = await saver.aput(config, {**checkpoint, "versions_seen": {}, "updated_channels": None}, {}, {"a": "1"})
        await saver.aput_writes(stored, [("a", 1)], "task")
    return database


async def relations(db: Database) -> list[str]:
    """Every table and view of our schemas."""
    async with db.owner() as conn:
        rows = await (
            await conn.execute(
                "select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace "
                "where n.nspname in ('tadori', 'tadori_threads') and c.relkind in ('r', 'p', 'v', 'm', 'f') order by 1"
            )
        ).fetchall()
    return [row[0] for row in rows]


async def count(db: Database, relation: str, scope: Scope | None) -> int:
    """The rows that the role sees: with the settings of the scope, or with none; -1 where it may not look."""
    async with db.transaction(scope or Scope.operator("nobody")) as conn:
        if scope is None:
            await conn.execute("select set_config('tadori.tenant', '', true), set_config('tadori.principals', '', true)")
        await conn.execute("select set_config('tadori.collection', 'default', true)")
        try:
            async with conn.transaction():
                found = await (
                    await conn.execute(sql.SQL("select count(*) from {}").format(sql.Identifier(*relation.split("."))))
                ).fetchone()
        except psycopg.errors.InsufficientPrivilege:
            return -1
    assert found is not None
    return int(found[0])


@pytest.mark.rule("S5", "T23")
async def test_without_a_tenant_no_relation_shows_a_row(filled: Database, tenant: str) -> None:
    """S5, T23: unset means nothing, on every table and view of the catalogue, while the tenant's own operator sees rows on each."""
    names = await relations(filled)
    empty = {name for name in names if await count(filled, name, Scope.operator(tenant)) == 0}
    seen_unset = {name: await count(filled, name, None) for name in names}

    # The models of other tests have tables too; one table of vectors and its view hold this tenant's row.
    assert {name.rstrip("0123456789") for name in set(names) - empty} >= {"tadori.vector_", "tadori.pgvector_"}
    assert {name for name in empty if not name.startswith(("tadori.vector_", "tadori.pgvector_"))} == set(), "an empty table shows nothing"
    assert len(names) >= 17
    assert seen_unset == {name: -1 if name in _FOR_NO_TENANT else 0 for name in names}


@pytest.mark.rule("S5")
async def test_another_tenants_operator_sees_a_row_of_no_tenant_table(filled: Database, tenant: str) -> None:
    """S5: the neighbour, who exists and is an operator too, sees nothing of it."""
    neighbour = Scope.operator(f"{tenant}-next-door")
    async with filled.transaction(neighbour) as conn:
        await conn.execute("insert into tadori.tenant (name) values (%s)", (neighbour.tenant,))

    seen = {name: await count(filled, name, neighbour) for name in await relations(filled)}

    assert seen.pop("tadori.embedding_space") > 0, "which models exist is no tenant's secret"
    assert seen.pop("tadori.tenant") == 1, "its own"
    assert {name for name, rows in seen.items() if rows > 0} == set()


@pytest.mark.rule("T23")
async def test_a_member_sees_only_what_it_may_read(filled: Database, tenant: str) -> None:
    """T23: the document is for one group; a member outside it gets nothing of its text, words, postings or names."""
    guarded = [f"tadori.{name}" for name in ("content", "document", "chunk", "posting", "mention", "relation", "alias", "extraction")]

    outside = [await count(filled, name, Scope.member(tenant, user="eve")) for name in guarded]
    inside = [await count(filled, name, Scope.member(tenant, groups=["crew"])) for name in guarded]

    assert outside == [0] * 8
    assert min(inside) > 0


@pytest.mark.rule("S5")
async def test_a_table_without_forced_policies_is_found(database: Database) -> None:
    """S5: the check of `tadori doctor` names a table that somebody added without them."""
    admin = await database.login()
    administer(admin, "create table tadori.forgotten (tid integer)")
    administer(admin, "create table tadori.half_done (tid integer)")
    administer(admin, "alter table tadori.half_done enable row level security")
    try:
        checks = {check.name: check for check in await check_database(database)}
    finally:
        administer(admin, "drop table tadori.forgotten, tadori.half_done")

    assert not checks["row-level security"].ok
    assert "not enabled and forced on tadori.forgotten, tadori.half_done" in checks["row-level security"].detail


@pytest.mark.rule("S5", "T23")
async def test_an_owner_who_is_no_superuser_sees_nothing_either(owned_database: Database, tenant: str) -> None:
    """S5, T23: without FORCE the owner of the tables would see every tenant's rows."""
    scope = Scope.operator(tenant)
    collection = await seed(owned_database, scope, [Text("a.md", "The pump runs at 40 bar.")])
    await build(owned_database, scope, collection, Told({"The pump runs at 40 bar.": named("pump")}))

    async with owned_database.owner() as conn:
        for name in ("tenant", "audience", "collection", "content", "document", "chunk", "term", "posting", "mention", "vector_1"):
            found = await (await conn.execute(sql.SQL("select count(*) from tadori.{}").format(sql.Identifier(name)))).fetchone()
            assert found == (0,), name
        spaces = await (await conn.execute("select count(*) from tadori.embedding_space")).fetchone()
        applied = await (await conn.execute("select count(*) > 0 from tadori.migration")).fetchone()
    assert (spaces, applied) == ((1,), (True,)), "what it needs for its own work it sees"


@pytest.mark.rule("T23")
async def test_nobody_but_the_role_was_granted_anything(filled: Database) -> None:
    """T23: deny by default: PUBLIC has no right to any relation, and the role none to what is the owner's."""
    async with filled.owner() as conn:
        rows = await (
            await conn.execute(
                "select distinct g.grantee, g.table_schema || '.' || g.table_name from information_schema.role_table_grants g "
                "where g.table_schema in ('tadori', 'tadori_threads') and g.grantee <> current_user"
            )
        ).fetchall()

    assert {grantee for grantee, _ in rows} == {"tadori_app"}
    assert {name for _, name in rows} & _FOR_NO_TENANT == set()


async def test_the_role_cannot_change_which_models_exist(filled: Database, scope: Scope) -> None:
    async with filled.transaction(scope) as conn:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            async with conn.transaction():
                await conn.execute("delete from tadori.embedding_space")


@pytest.mark.rule("T23")
async def test_a_row_for_another_tenant_cannot_be_written(filled: Database, tenant: str) -> None:
    """T23: the policies check what is written too: a tenant's operator cannot put a row under another number."""
    async with filled.transaction(Scope.operator(tenant)) as conn:
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="violates row-level security policy"):
            async with conn.transaction():
                await conn.execute("insert into tadori.audience (tid, readers) values (tadori.current_tid() + 1, '{public}')")


async def test_a_fit_database_passes_every_check(database: Database) -> None:
    checks = await check_database(database)

    assert [check.name for check in checks if not check.ok] == []
    assert [check.name for check in checks] == ["database", "pgvector", "migrations", "row-level security", "role"]


async def test_an_unfit_database_is_a_finding_and_not_an_exception(database: Database, plain_owner: Login, home: Path) -> None:
    unreachable = await check_database(Database("postgresql://reader@127.0.0.1:1/books", home=home))
    unprepared = await check_database(Database(plain_owner.dsn, home=home))

    assert [(check.name, check.ok) for check in unreachable] == [("database", False)]
    assert "Connection refused" in unreachable[0].detail
    assert [(check.name, check.ok) for check in unprepared] == [("database version", False)]
    assert "let an administrator run" in unprepared[0].detail
