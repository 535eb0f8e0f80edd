"""Brings the schema up to date: numbered files, each in a transaction of its own, one process at a time, never backwards.

Called by database.py with an owner's connection; the files are retrievers/sql/migrations/NNNN_verb_noun.sql.
"""

import re
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

import psycopg
from psycopg import AsyncConnection
from psycopg.rows import TupleRow

from retrievers.errors import MigrationError
from retrievers.store.sql import statement

_LOCK = 0x7AD0_0001  # any fixed number: advisory locks of one database share one space
_FILE = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")


@dataclass(frozen=True)
class Migration:
    """One file. `sha256` is what the table of applied migrations remembers of it."""

    version: int
    name: str
    text: str

    @property
    def sha256(self) -> str:
        return sha256(self.text.encode("utf-8")).hexdigest()


@cache
def migrations() -> tuple[Migration, ...]:
    """All migrations that ship with the program, by version, without a gap from 1."""
    found = []
    for file in files("retrievers").joinpath("sql", "migrations").iterdir():
        if match := _FILE.fullmatch(file.name):
            found.append(Migration(int(match[1]), match[2], file.read_text("utf-8")))
    found.sort(key=lambda migration: migration.version)
    if [migration.version for migration in found] != list(range(1, len(found) + 1)):
        raise MigrationError(f"the migrations of this installation are incomplete ({[m.version for m in found]!r}): install it again")
    return tuple(found)


async def migrate(conn: AsyncConnection[TupleRow], steps: tuple[Migration, ...] | None = None) -> list[int]:
    """Apply what is missing and return the versions applied by this call; `conn` is an owner's, in autocommit.

    Raises MigrationError when the database is newer than the program, when an applied file has changed, or when one fails.
    """
    steps = migrations() if steps is None else steps
    if len(await _applied(conn, steps)) == len(steps):
        return []
    done = []
    for step in (None, *steps):
        try:
            async with conn.transaction():
                await lock_definitions(conn)
                if step is None:
                    await conn.execute(statement("prepare_database.sql"))
                elif step.version not in await _applied(conn, steps):
                    await _apply(conn, step)
                    done.append(step.version)
        except (psycopg.ProgrammingError, psycopg.IntegrityError, psycopg.NotSupportedError) as exc:
            what = "the schema 'tadori'" if step is None else f"migration {step.version:04d}_{step.name}"
            raise MigrationError(
                f"{what} cannot be applied: {exc.diag.message_primary}; nothing of it was kept, so put that right and start again"
            ) from exc
    return done


async def lock_definitions(conn: AsyncConnection[TupleRow]) -> None:
    """Let nobody else change definitions until the end of the transaction."""
    await conn.execute("select pg_advisory_xact_lock(%s)", (_LOCK,))
    # Having waited, the session still trusts what it had cached before ("there is no schema tadori"): reading a catalogue refreshes that.
    await conn.execute("select count(*) from pg_namespace")


async def _apply(conn: AsyncConnection[TupleRow], step: Migration) -> None:
    await conn.execute(step.text)
    # A later "grant ... on all tables" must not open the list of migrations.
    await conn.execute("revoke all on tadori.migration from tadori_app")
    await conn.execute("insert into tadori.migration (version, name, sha256) values (%s, %s, %s)", (step.version, step.name, step.sha256))


async def _applied(conn: AsyncConnection[TupleRow], steps: tuple[Migration, ...]) -> set[int]:
    """The versions that are there; raises MigrationError for one that this program does not know or knows differently."""
    exists = await (await conn.execute("select to_regclass('tadori.migration') is not null")).fetchone()
    if exists is None or not exists[0]:
        return set()
    rows = await (await conn.execute("select version, name, sha256 from tadori.migration order by version")).fetchall()
    known = {step.version: step for step in steps}
    for version, name, digest in rows:
        if version not in known:
            raise MigrationError(
                f"the database has migration {version:04d}_{name}, and this program knows only up to {len(steps):04d}: "
                "install the newer version of tadori"
            )
        if known[version].sha256 != digest:
            raise MigrationError(
                f"migration {version:04d}_{name} was applied here from another text than this program has: "
                "install the version of tadori that made the database, or make a new database and ingest again"
            )
    return {version for version, _, _ in rows}
