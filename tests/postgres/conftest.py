"""What the database tests share: databases of their own beside the session's, with owners of their own."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from retrievers.store.database import Database

_NUMBERS = count(1)


@dataclass(frozen=True)
class Login:
    """A role that may log in, and its dsn for one database."""

    name: str
    dsn: str


def administer(dsn: str, statement: str | sql.Composed) -> None:
    """Run one statement as an administrator."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(statement)


@pytest.fixture
def empty_dsn(server_dsn: str) -> Iterator[str]:
    """The dsn of an empty database of this test alone, as a superuser."""
    name = f"empty_{next(_NUMBERS)}"
    administer(server_dsn, sql.SQL("create database {}").format(sql.Identifier(name)))
    yield make_conninfo(server_dsn, dbname=name)
    administer(server_dsn, sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture
def plain_owner(empty_dsn: str) -> Iterator[Login]:
    """The owner of that database, with no right beyond it: no superuser, no right to make roles."""
    name = f"owner_{next(_NUMBERS)}"
    administer(empty_dsn, sql.SQL("create role {} login password 'plain'").format(sql.Identifier(name)))
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        conn.execute(sql.SQL("alter database {} owner to {}").format(sql.Identifier(conn.info.dbname), sql.Identifier(name)))
    yield Login(name, make_conninfo(empty_dsn, user=name, password="plain"))
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        for statement in ("reassign owned by {} to current_user", "drop owned by {}", "drop role {}"):
            conn.execute(sql.SQL(statement).format(sql.Identifier(name)))


@pytest.fixture
async def owned_database(plain_owner: Login, empty_dsn: str, home: Path) -> AsyncIterator[Database]:
    """A migrated database whose owner is no superuser, to whom an administrator gave the one role that is needed."""
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        conn.execute("do $$ begin create role tadori_app nologin nobypassrls; exception when duplicate_object then null; end $$")
        conn.execute("create extension vector")
        conn.execute(sql.SQL("grant tadori_app to {} with set true").format(sql.Identifier(plain_owner.name)))
    db = Database(plain_owner.dsn, home=home)
    await db.prepare()
    yield db
    await db.close()
