"""Migrations as they go wrong: two at once, cut off half-way, changed afterwards, newer than the program."""

import asyncio
import time
from pathlib import Path

import psycopg
import pytest
from postgres.conftest import administer
from psycopg import AsyncConnection
from psycopg.rows import TupleRow

from retrievers.errors import MigrationError
from retrievers.store.database import Database
from retrievers.store.migrate import Migration, migrate, migrations
from retrievers.store.server import require

_ONE = Migration(1, "create_one", "create table tadori.one (n integer)")
_TWO = Migration(2, "create_two", "create table tadori.two (n integer)")
_SLOW = Migration(2, "create_two", "create table tadori.two (n integer); select pg_sleep(30)")
_BROKEN = Migration(2, "create_two", "create table tadori.two (n integer); create table tadori.two (n integer)")


async def connect(dsn: str) -> AsyncConnection[TupleRow]:
    conn = await AsyncConnection.connect(dsn, autocommit=True)
    await require(conn)
    return conn


async def run(dsn: str, *steps: Migration) -> list[int]:
    conn = await connect(dsn)
    try:
        return await migrate(conn, steps)
    finally:
        await conn.close()


def tables(dsn: str) -> list[str]:
    with psycopg.connect(dsn) as conn:
        return [row[0] for row in conn.execute("select tablename from pg_tables where schemaname = 'tadori' order by 1")]


def wait_for(dsn: str, table: str) -> None:
    while table not in tables(dsn):
        time.sleep(0.02)


async def test_all_migrations_are_applied_once(empty_dsn: str) -> None:
    assert await run(empty_dsn, *migrations()) == [step.version for step in migrations()]
    assert await run(empty_dsn, *migrations()) == []


@pytest.mark.rule("R15")
async def test_of_several_at_once_one_migrates_and_the_others_find_it_done(empty_dsn: str, home: Path) -> None:
    """R15: eight processes start on an empty database at the same moment."""
    conns = [await connect(empty_dsn) for _ in range(8)]

    outcomes = await asyncio.gather(*(migrate(conn) for conn in conns))

    applied = [version for outcome in outcomes for version in outcome]
    assert sorted(applied) == [step.version for step in migrations()]
    for conn in conns:
        await conn.close()


async def test_databases_opened_at_once_on_an_empty_server_all_work(empty_dsn: str, home: Path) -> None:
    databases = [Database(empty_dsn, home=home) for _ in range(4)]

    facts = await asyncio.gather(*(db.prepare() for db in databases))

    assert {fact.vector_installed is not None for fact in facts} == {True}
    for db in databases:
        await db.close()


@pytest.mark.rule("R15")
async def test_a_migration_that_fails_leaves_nothing_of_itself_and_the_one_before_stands(empty_dsn: str) -> None:
    """R15: each migration is a transaction; put right, it goes on from there."""
    with pytest.raises(MigrationError, match='0002_create_two cannot be applied: relation "two" already exists; nothing of it was kept'):
        await run(empty_dsn, _ONE, _BROKEN)
    assert tables(empty_dsn) == ["migration", "one"]

    assert await run(empty_dsn, _ONE, _TWO) == [2]
    assert tables(empty_dsn) == ["migration", "one", "two"]


@pytest.mark.rule("R15")
async def test_a_migration_that_was_cut_off_is_run_again_by_the_next_start(empty_dsn: str) -> None:
    """R15: the connection dies in the middle of the second migration."""
    conn = await connect(empty_dsn)
    migrating = asyncio.create_task(migrate(conn, (_ONE, _SLOW)))
    await asyncio.to_thread(wait_for, empty_dsn, "one")
    administer(empty_dsn, f"select pg_terminate_backend({conn.info.backend_pid}, 5000)")
    with pytest.raises(psycopg.OperationalError):
        await migrating
    await conn.close()
    assert tables(empty_dsn) == ["migration", "one"]

    assert await run(empty_dsn, _ONE, _TWO) == [2]


async def test_a_database_that_is_newer_than_the_program_is_refused(empty_dsn: str) -> None:
    await run(empty_dsn, _ONE, _TWO)

    with pytest.raises(MigrationError, match="has migration 0002_create_two, and this program knows only up to 0001: install the newer"):
        await run(empty_dsn, _ONE)


async def test_a_migration_that_was_changed_after_it_was_applied_is_refused(empty_dsn: str) -> None:
    await run(empty_dsn, _ONE)

    with pytest.raises(MigrationError, match="0001_create_one was applied here from another text"):
        await run(empty_dsn, Migration(1, "create_one", "create table tadori.one (n bigint)"))


async def test_the_list_of_migrations_is_nobodys_but_the_owners(empty_dsn: str) -> None:
    await run(
        empty_dsn,
        Migration(1, "open_everything", "create table tadori.one (n integer); grant all on all tables in schema tadori to tadori_app"),
    )

    with psycopg.connect(empty_dsn) as conn:
        conn.execute("set local role tadori_app")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("select * from tadori.migration")
