"""What a PostgreSQL server must be before the product uses it: its version, pgvector, and the role that the policies bind.

Called by database.py with an owner's connection before it migrates.
"""

import re
from dataclasses import dataclass

import psycopg
from psycopg import AsyncConnection
from psycopg.rows import TupleRow, class_row

from retrievers.errors import DatabaseUnsupported
from retrievers.store.migrate import lock_definitions
from retrievers.store.sql import statement

APP_ROLE = "tadori_app"
MINIMUM_SERVER = 15
MINIMUM_VECTOR = (0, 8)
_EMBEDDED = "or unset TADORI_DATABASE_URL to use the embedded database"


@dataclass(frozen=True)
class ServerFacts:
    """The row of describe_server.sql."""

    server_version: str
    server_version_num: int
    vector_installed: str | None
    vector_available: str | None
    vector_schema: str | None
    vector_usable: bool
    login: str
    app_role_exists: bool
    app_role_unsafe: bool


async def describe(conn: AsyncConnection[TupleRow]) -> ServerFacts:
    async with conn.cursor(row_factory=class_row(ServerFacts)) as cursor:
        await cursor.execute(statement("describe_server.sql"))
        facts = await cursor.fetchone()
    assert facts is not None
    return facts


async def require(conn: AsyncConnection[TupleRow]) -> ServerFacts:
    """Refuse a server that cannot work, and make the extension and the role where they are missing; raises DatabaseUnsupported."""
    facts = await describe(conn)
    check_versions(facts)
    if not _missing(facts, await _may_set_role(conn)):
        return facts
    async with conn.transaction():
        await lock_definitions(conn)
        await _make(conn)
    return await describe(conn)


def check_versions(facts: ServerFacts) -> None:
    """Raise DatabaseUnsupported for a server or a pgvector that is too old, or a pgvector that is not there."""
    major = facts.server_version_num // 10000
    if major < MINIMUM_SERVER:
        raise DatabaseUnsupported(
            f"the server is PostgreSQL {facts.server_version!r}, and tadori needs {MINIMUM_SERVER} or later: upgrade it, {_EMBEDDED}"
        )
    vector = facts.vector_installed or facts.vector_available
    needed = ".".join(map(str, MINIMUM_VECTOR))
    if vector is None:
        raise DatabaseUnsupported(
            f"the server (PostgreSQL {facts.server_version!r}) does not have the extension pgvector, and tadori needs {needed} or later: "
            f"install it there (a package such as postgresql-{major}-pgvector), {_EMBEDDED}"
        )
    if _version(vector) < MINIMUM_VECTOR:
        newer = facts.vector_available is not None and _version(facts.vector_available) >= MINIMUM_VECTOR
        fix = "run `alter extension vector update` in it" if newer else f"upgrade it there (a package such as postgresql-{major}-pgvector)"
        raise DatabaseUnsupported(f"pgvector on the server is {vector!r}, and tadori needs {needed} or later: {fix}, {_EMBEDDED}")


def role_sql(login: str, server_version_num: int) -> str:
    """What an administrator runs so that `login` may act as the role."""
    option = " with set true" if server_version_num >= 160000 else ""  # up to 15 a member may always set its role
    return f"grant {APP_ROLE} to {_quoted(login)}{option}"


def _missing(facts: ServerFacts, may_set_role: bool) -> list[str]:
    """The statements that this database still needs, in order."""
    steps = []
    if facts.vector_installed is None:
        steps.append("create extension vector")
    if not facts.app_role_exists:
        steps.append(f"create role {APP_ROLE} nologin nobypassrls")
    elif facts.app_role_unsafe:
        steps.append(f"alter role {APP_ROLE} nosuperuser nobypassrls")
    if not may_set_role:
        steps.append(role_sql(facts.login, facts.server_version_num))
    if facts.app_role_exists and facts.vector_schema is not None and not facts.vector_usable:
        steps.append(f"grant usage on schema {_quoted(facts.vector_schema)} to {APP_ROLE}")
    return steps


async def _make(conn: AsyncConnection[TupleRow]) -> None:
    facts = await describe(conn)
    if facts.app_role_unsafe:
        raise DatabaseUnsupported(
            f"the role {APP_ROLE!r} may bypass row-level security, so tenants would see each other: "
            f"let an administrator run `alter role {APP_ROLE} nosuperuser nobypassrls;`"
        )
    for _ in range(2):  # what the extension and the role still need shows when they are there
        steps = _missing(await describe(conn), await _may_set_role(conn))
        refusal = f"{facts.login!r} may not prepare this database: let an administrator run `{'; '.join(steps)};` in it"
        for step in steps:
            await _run(conn, step, refusal)
    if _missing(await describe(conn), await _may_set_role(conn)):  # a grant that is refused is only warned of
        raise DatabaseUnsupported(refusal)


async def _run(conn: AsyncConnection[TupleRow], sql: str, refusal: str) -> None:
    try:
        async with conn.transaction():
            await conn.execute(sql)
    except psycopg.errors.InsufficientPrivilege as exc:
        raise DatabaseUnsupported(refusal) from exc
    except psycopg.errors.DuplicateObject:
        pass  # roles belong to the whole server: another database's migration was faster


async def _may_set_role(conn: AsyncConnection[TupleRow]) -> bool:
    """Whether the role is there and SET ROLE works: a superuser always may, and since PostgreSQL 16 a member may lack that right."""
    try:
        async with conn.transaction(force_rollback=True):  # released, the savepoint would leave us in the role
            await conn.execute("set local role tadori_app")
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidParameterValue):
        return False
    return True


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
