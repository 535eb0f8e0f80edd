"""Where conversations are kept: LangGraph's own PostgreSQL checkpointer, in a schema of its own, shut in to one tenant.

Used by the composition root for `--thread` and the served graph. langgraph is imported when a saver is opened, not before.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import psycopg
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from retrievers.errors import DatabaseUnavailable, InvalidArgument
from retrievers.scope import check_name
from retrievers.store.database import Database
from retrievers.store.pools import Connection, connection_options, session_options
from retrievers.store.server import APP_ROLE
from retrievers.store.sql import statement

if TYPE_CHECKING:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

_THREAD = re.compile(r"[\w.:@+-]{1,200}")
_SCHEMA = "tadori_threads"
_LOCK = 0x7AD0_0002
_SETUP_S = 60.0
_SESSIONS = 2  # the saver does one thing at a time; a second is there while a broken one is replaced


def thread_key(tenant: str, thread: str) -> str:
    """The thread id under which the tenant's thread is stored; raises InvalidArgument for a name that is none."""
    check_name("tenant", tenant)
    if not _THREAD.fullmatch(thread):
        raise InvalidArgument(f"thread {thread!r} is not a name: use 1-200 letters, digits and any of . : @ + - _")
    return f"{tenant}/{thread}"


@asynccontextmanager
async def open_threads(db: Database, tenant: str) -> AsyncIterator["AsyncPostgresSaver"]:
    """A checkpointer for the tenant's threads, whose ids come from `thread_key`; another tenant's neither read nor write.

    Raises DatabaseUnavailable, DatabaseUnsupported or MigrationError.
    """
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    check_name("tenant", tenant)
    await _set_up(db)
    options = session_options(await db.login(), {"role": APP_ROLE, "tadori.tenant": tenant, "search_path": _SCHEMA})
    pool: AsyncConnectionPool[AsyncConnection[DictRow]] = AsyncConnectionPool(
        await db.login(),
        kwargs={**connection_options(), "options": options, "row_factory": dict_row},
        connection_class=AsyncConnection[DictRow],
        check=AsyncConnectionPool.check_connection,
        min_size=1,
        max_size=_SESSIONS,
        open=False,
    )
    async with pool:
        yield AsyncPostgresSaver(pool)


async def _set_up(db: Database) -> None:
    """Make or update the tables, one process at a time."""
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    async with db.owner() as conn:
        steps = len(AsyncPostgresSaver.MIGRATIONS)
        if await _is_current(conn, steps):
            return
        await _lock(conn)
        if await _is_current(conn, steps):  # by the one who held the lock
            return
        await conn.execute("create schema if not exists tadori_threads")
        await conn.execute("set search_path to tadori_threads")
        await AsyncPostgresSaver(conn).setup()  # type: ignore[arg-type]
        await conn.execute(statement("guard_threads.sql"))


async def _is_current(conn: Connection, steps: int) -> bool:
    try:
        found = await (await conn.execute("select count(*) from tadori_threads.checkpoint_migrations")).fetchone()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        return False
    unguarded = await (await conn.execute(statement("find_unguarded.sql"), {"schemas": [_SCHEMA]})).fetchall()
    return found is not None and found[0] >= steps and not unguarded


async def _lock(conn: Connection) -> None:
    """Take the lock for the rest of the session by asking again: a statement that waits would hold up `create index concurrently`."""
    deadline = time.monotonic() + _SETUP_S
    while time.monotonic() < deadline:
        found = await (await conn.execute("select pg_try_advisory_lock(%s)", (_LOCK,))).fetchone()
        if found is not None and found[0]:
            return
        await asyncio.sleep(0.05)
    raise DatabaseUnavailable(f"another process has been making the tables of the threads for {_SETUP_S:.0f} s: try again")
