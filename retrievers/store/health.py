"""Answers whether the database is fit for use, check by check, without ever raising for what it finds.

Used by `tadori doctor` and the health routes.
"""

from typing import NamedTuple

from retrievers.errors import DatabaseUnsupported, MigrationError, StorageError
from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.migrate import migrations
from retrievers.store.pools import Connection
from retrievers.store.server import APP_ROLE, ServerFacts
from retrievers.store.sql import statement

_SCHEMAS = ["tadori", "tadori_threads"]


class Check(NamedTuple):
    """`detail` says what was found, or what to do where it is not ok."""

    name: str
    ok: bool
    detail: str


async def check_database(db: Database) -> list[Check]:
    """Start or reach the database, bring it up to date and look at what isolates tenants; the list ends where a check cannot run."""
    try:
        facts = await db.prepare()
        async with db.owner() as conn:
            checks = [*_versions(db, facts), await _migrations(conn), await _policies(conn)]
        return [*checks, await _role(db)]
    except MigrationError as exc:
        return [Check("migrations", False, str(exc))]
    except DatabaseUnsupported as exc:
        return [Check("database version", False, str(exc))]
    except StorageError as exc:
        return [Check("database", False, str(exc))]


def _versions(db: Database, facts: ServerFacts) -> list[Check]:
    return [
        Check("database", True, f"PostgreSQL {facts.server_version} ({db.where})"),
        Check("pgvector", True, f"{facts.vector_installed}"),
    ]


async def _migrations(conn: Connection) -> Check:
    applied = await (await conn.execute(statement("list_migrations.sql"))).fetchall()
    return Check("migrations", len(applied) == len(migrations()), f"{len(applied)} of {len(migrations())} applied")


async def _policies(conn: Connection) -> Check:
    unguarded = [str(row[0]) for row in await (await conn.execute(statement("find_unguarded.sql"), {"schemas": _SCHEMAS})).fetchall()]
    if unguarded:
        return Check(
            "row-level security",
            False,
            f"not enabled and forced on {', '.join(unguarded)}: tenants could see each other; enable and force it",
        )
    return Check("row-level security", True, "enabled and forced on every table")


async def _role(db: Database) -> Check:
    """Run as the role, for a tenant that cannot exist: what it sees must be nothing."""
    async with db.transaction(Scope.operator("no-such-tenant-here")) as conn:
        row = await (await conn.execute("select current_user, (select count(*) from tadori.tenant)")).fetchone()
    assert row is not None
    return Check("role", row == (APP_ROLE, 0), f"queries run as {row[0]}, and a stranger sees {row[1]} tenants")
