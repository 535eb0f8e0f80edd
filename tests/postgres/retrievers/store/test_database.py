"""Transactions as the tests would break them: as nobody, as another tenant, after the server died, with too few connections."""

import asyncio
import os
import random
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest
from postgres.conftest import Login, administer
from psycopg.conninfo import make_conninfo

from retrievers.errors import ConfigurationError, DatabaseUnavailable, DatabaseUnsupported, StorageError
from retrievers.scope import Scope
from retrievers.store import database as database_module
from retrievers.store.database import Database


async def value(db: Database, scope: Scope, query: str) -> object:
    async with db.transaction(scope) as conn:
        row = await (await conn.execute(query)).fetchone()
    assert row is not None
    return row[0]


async def value_within(seconds: float, db: Database, scope: Scope, query: str) -> object:
    """The value, asked for again while the database is unavailable."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return await value(db, scope, query)
        except DatabaseUnavailable:
            if time.monotonic() > deadline:
                raise


async def add_tenant(db: Database, tenant: str) -> None:
    async with db.transaction(Scope.operator(tenant)) as conn:
        await conn.execute("insert into tadori.tenant (name) values (%s)", (tenant,))


async def test_a_transaction_runs_as_the_role_for_the_tenant_and_its_principals(database: Database, tenant: str) -> None:
    scope = Scope.member(tenant, user='x"{},\\', groups=["g1"])

    async with database.transaction(scope) as conn:
        row = await (await conn.execute("select current_user, current_setting('tadori.tenant'), tadori.current_principals()")).fetchone()

    assert row == ("tadori_app", tenant, ["public", "tenant", 'user:x"{},\\', "group:g1"])


async def test_what_a_transaction_did_is_kept_at_its_end_and_gone_after_an_exception(database: Database, tenant: str) -> None:
    scope = Scope.operator(tenant)

    async def fail() -> None:
        async with database.transaction(scope) as conn:
            await conn.execute("insert into tadori.tenant (name) values (%s)", (tenant,))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert await value(database, scope, "select count(*) from tadori.tenant") == 0

    await add_tenant(database, tenant)
    assert await value(database, scope, "select count(*) from tadori.tenant") == 1


async def test_a_block_cannot_commit_and_go_on_as_the_owner(database: Database, scope: Scope) -> None:
    with pytest.raises(psycopg.ProgrammingError, match=r"Explicit commit\(\) forbidden"):
        async with database.transaction(scope) as conn:
            await conn.commit()


async def test_an_error_comes_where_it_happens_and_a_savepoint_saves_the_rest(database: Database, scope: Scope) -> None:
    async with database.transaction(scope) as conn:
        with pytest.raises(psycopg.errors.DivisionByZero):
            async with conn.transaction():
                await conn.execute("select 1/0")
        row = await (await conn.execute("select current_user")).fetchone()

    assert row == ("tadori_app",)


@pytest.fixture
async def narrow(server_home: Path, server_dsn: str) -> AsyncIterator[Database]:
    """The session's database through a pool of two."""
    db = Database(None, home=server_home, pool_size=2)
    yield db
    await db.close()


@pytest.mark.rule("S5")
async def test_fifty_tasks_of_two_tenants_on_two_connections_never_see_each_other(narrow: Database, tenant: str) -> None:
    """S5: a setting that outlived its transaction would show the next borrower of the connection another tenant."""
    tenants = [f"{tenant}-a", f"{tenant}-b"]
    for name in tenants:
        await add_tenant(narrow, name)
    dice = random.Random(5)
    seen: list[tuple[str, list[str]]] = []

    async def work(mine: str, *, fails: str) -> None:
        async with narrow.transaction(Scope.operator(mine)) as conn:
            rows = await (await conn.execute("select name from tadori.tenant")).fetchall()
            seen.append((mine, [row[0] for row in rows]))
            await asyncio.sleep(dice.random() / 200)
            if fails == "in Python":
                raise ZeroDivisionError
            if fails == "in SQL":
                await conn.execute("select 1/0")
            if fails == "by cancellation":
                raise asyncio.CancelledError

    kinds = ["", "", "in Python", "in SQL", "by cancellation"]
    tasks = [work(tenants[number % 2], fails=kinds[number % 5]) for number in range(50)]
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)

    assert [type(outcome).__name__ for outcome in outcomes[:5]] == [
        "NoneType", "NoneType", "ZeroDivisionError", "DivisionByZero", "CancelledError",
    ]  # fmt: skip
    assert len(seen) == 50
    assert [(mine, names) for mine, names in seen if names != [mine]] == []


@pytest.mark.rule("S5")
async def test_a_connection_goes_back_to_the_pool_without_tenant_or_role(narrow: Database, tenant: str) -> None:
    """S5: outside a transaction nothing of the last borrower is left."""
    async with narrow.transaction(Scope.operator(tenant)):
        pass

    pool = await narrow._pools.current()
    async with pool.connection() as conn:
        row = await (
            await conn.execute("select current_user = session_user, nullif(current_setting('tadori.tenant', true), ''), "
                               "nullif(current_setting('tadori.principals', true), '')")
        ).fetchone()  # fmt: skip
    assert row == (True, None, None)


async def test_every_loop_has_a_pool_of_its_own_and_one_close_closes_all(database: Database, scope: Scope) -> None:
    def in_a_loop_of_its_own() -> object:
        return asyncio.run(value(database, scope, "select 1"))

    assert await value(database, scope, "select 1") == 1
    assert await asyncio.to_thread(in_a_loop_of_its_own) == 1
    assert await asyncio.to_thread(in_a_loop_of_its_own) == 1
    await database.close()

    assert await value(database, scope, "select 1") == 1, "a closed database opens again at its next use"


def test_a_loop_that_ends_without_a_close_does_not_wait_for_its_pool(server_home: Path, server_dsn: str, scope: Scope) -> None:
    db = Database(None, home=server_home)

    for _ in range(5):
        assert asyncio.run(value(db, scope, "select 1")) == 1
    asyncio.run(db.close())


async def test_connections_that_died_are_replaced_without_an_error(narrow: Database, scope: Scope, server_dsn: str) -> None:
    await asyncio.gather(*(value(narrow, scope, "select pg_sleep(0.05)::text") for _ in range(2)))
    administer(
        server_dsn,
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'",
    )

    assert await value(narrow, scope, "select 1") == 1


async def test_losing_the_connection_inside_a_block_is_an_unavailable_database(narrow: Database, tenant: str, server_dsn: str) -> None:
    async def lose() -> None:
        async with narrow.transaction(Scope.operator(tenant)) as conn:
            await conn.execute("insert into tadori.tenant (name) values (%s)", (tenant,))
            administer(server_dsn, f"select pg_terminate_backend({conn.info.backend_pid}, 5000)")
            await conn.execute("select 1")

    with pytest.raises(DatabaseUnavailable, match="the embedded database cannot be reached: terminating connection"):
        await lose()

    assert await value(narrow, Scope.operator(tenant), "select count(*) from tadori.tenant") == 0


async def test_an_embedded_server_that_was_killed_is_back_at_the_next_use(database: Database, tenant: str, server_home: Path) -> None:
    await add_tenant(database, tenant)
    os.kill(int((server_home / "database/data/postmaster.pid").read_text().splitlines()[0]), signal.SIGKILL)

    assert await value_within(10, database, Scope.operator(tenant), "select count(*) from tadori.tenant") == 1


async def test_a_statement_without_end_is_ended(database: Database, scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "STATEMENT_S", 1)

    with pytest.raises(DatabaseUnavailable, match="took too long and the statement was cancelled"):
        await value(database, scope, "select pg_sleep(20)::text")


async def test_a_pool_that_is_busy_for_too_long_says_so(narrow: Database, scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    await narrow.prepare()
    monkeypatch.setattr(database_module, "_TAKE_S", 0.2)
    monkeypatch.setattr(database_module, "_LOOK_S", 0.1)

    async with narrow.transaction(scope), narrow.transaction(scope):
        with pytest.raises(DatabaseUnavailable, match="all 2 connections to the embedded database were busy"):
            await value(narrow, scope, "select 1")


async def test_a_server_that_is_not_there_is_named_without_the_password(home: Path, scope: Scope) -> None:
    db = Database("postgresql://reader:hunter2@127.0.0.1:1/books", home=home)

    with pytest.raises(DatabaseUnavailable) as raised:
        await value(db, scope, "select 1")

    assert "'postgresql://reader@127.0.0.1:1/books' cannot be reached: " in str(raised.value)
    assert "Connection refused" in str(raised.value)
    assert "check that it runs and that TADORI_DATABASE_URL leads to it" in str(raised.value)
    assert "hunter2" not in str(raised.value)


async def test_a_wrong_password_is_not_shown(server_dsn: str, home: Path, scope: Scope) -> None:
    db = Database(make_conninfo(server_dsn, password="hunter2"), home=home)

    with pytest.raises(DatabaseUnavailable, match="password authentication failed for user") as raised:
        await value(db, scope, "select 1")
    assert "hunter2" not in str(raised.value)


def test_an_address_that_cannot_be_read_is_not_repeated(home: Path) -> None:
    with pytest.raises(ConfigurationError, match="the database address is not understood") as raised:
        Database("postgresql://reader:hunter2@[books", home=home)
    assert "hunter2" not in str(raised.value)


async def test_a_server_out_of_means_is_not_called_unreachable(database: Database, scope: Scope) -> None:
    with pytest.raises(StorageError, match=r"could not do what was asked: .*requested length too large") as raised:
        await value(database, scope, "select length(repeat('ab', 1000000000))")
    assert not isinstance(raised.value, DatabaseUnavailable)


async def test_an_owner_who_may_not_prepare_the_database_is_told_the_statements(database: Database, plain_owner: Login, home: Path) -> None:
    db = Database(plain_owner.dsn, home=home)

    with pytest.raises(DatabaseUnsupported) as raised:
        await db.prepare()

    assert str(raised.value) == (
        f"{plain_owner.name!r} may not prepare this database: let an administrator run "
        f'`create extension vector; grant tadori_app to "{plain_owner.name}" with set true;` in it'
    )


async def test_where_the_role_does_not_exist_it_is_among_the_statements(database: Database, plain_owner: Login, home: Path) -> None:
    admin = await database.login()
    administer(admin, "alter role tadori_app rename to somebody_else")
    try:
        with pytest.raises(DatabaseUnsupported) as raised:
            await Database(plain_owner.dsn, home=home).prepare()
    finally:
        administer(admin, "alter role somebody_else rename to tadori_app")

    assert f'; create role tadori_app nologin nobypassrls; grant tadori_app to "{plain_owner.name}" with set true;`' in str(raised.value)


async def test_a_second_login_may_be_the_one_that_queries(owned_database: Database, empty_dsn: str, home: Path, tenant: str) -> None:
    administer(empty_dsn, "create role app_login login password 'app'")
    db = Database(owned_database._dsn, home=home, app_dsn=make_conninfo(empty_dsn, user="app_login", password="app"))
    try:
        with pytest.raises(DatabaseUnsupported, match='let an administrator run `grant tadori_app to "app_login" with set true;`'):
            await value(db, Scope.operator(tenant), "select 1")

        administer(empty_dsn, "grant tadori_app to app_login with set true")
        assert await value(db, Scope.operator(tenant), "select session_user::text || ' as ' || current_user") == "app_login as tadori_app"
    finally:
        await db.close()
        administer(empty_dsn, "drop owned by app_login")
        administer(empty_dsn, "drop role app_login")


async def test_an_extension_in_a_schema_of_its_own_is_found(empty_dsn: str, home: Path, scope: Scope) -> None:
    administer(empty_dsn, 'create schema "Extra Tools"')
    administer(empty_dsn, 'create extension vector schema "Extra Tools"')
    db = Database(empty_dsn, home=home)
    try:
        assert await value(db, scope, "select '[1,0]'::halfvec <=> '[0,1]'::halfvec") == 1.0
    finally:
        await db.close()


async def test_a_role_that_bypasses_the_policies_is_refused(database: Database, server_home: Path) -> None:
    admin = await database.login()
    administer(admin, "alter role tadori_app bypassrls")
    try:
        with pytest.raises(DatabaseUnsupported, match="may bypass row-level security, so tenants would see each other"):
            await Database(None, home=server_home).prepare()
    finally:
        administer(admin, "alter role tadori_app nobypassrls")
