"""One connection pool for each event loop: a connection belongs to the loop that opened it.

Used by database.py alone. A loop that ended without a close gives its connections back here, at the next look.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool

# What the pool has to say is raised as an error where it matters; without this it would also be printed on stderr.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

Connection = AsyncConnection[TupleRow]
Pool = AsyncConnectionPool[Connection]

_MAX_IDLE_S = 300.0
_RECONNECT_S = 3.0  # after that the next borrower starts a new attempt, instead of waiting out a long back-off
# A server that vanished without a word is noticed after a minute, not after the hours of TCP's defaults.
_NETWORK = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 60_000}


def connection_options() -> dict[str, Any]:
    """How every connection is opened. Prepared statements with arrays slide into generic plans, which are 3-20 times slower here."""
    return {"autocommit": True, "prepare_threshold": None, **_NETWORK}


def session_options(dsn: str, settings: dict[str, str]) -> str:
    """The `options` of a connection that starts with these settings, after those that the dsn has already."""
    given = str(conninfo_to_dict(dsn).get("options") or "")
    escaped = ((name, re.sub(r"([\\\s])", r"\\\1", value)) for name, value in settings.items())
    return " ".join([given, *(f"-c {name}={value}" for name, value in escaped)]).strip()


@dataclass
class _LoopPool:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    pool: Pool | None = None
    guard: "asyncio.Task[None] | None" = None
    opened: "WeakSet[Connection]" = field(default_factory=WeakSet)


class LoopPools:
    """Pools of at most `size` connections; `dsn` is asked anew for each connection."""

    def __init__(self, dsn: Callable[[], Awaitable[str]], size: int) -> None:
        self._dsn = dsn
        self._size = size
        self._loops: dict[asyncio.AbstractEventLoop, _LoopPool] = {}

    @property
    def lock(self) -> asyncio.Lock:
        """A lock of the running loop."""
        return self._entry().lock

    async def current(self) -> Pool:
        """The running loop's pool, opened at first use."""
        entry = self._entry()
        if entry.pool is None:
            async with entry.lock:
                if entry.pool is None:
                    entry.pool = await self._open(entry)
        return entry.pool

    async def close(self) -> None:
        """Close the pools of all loops; those of loops that run in other threads are closed there."""
        running = asyncio.get_running_loop()
        for loop, entry in list(self._loops.items()):
            if self._loops.pop(loop, None) is None or entry.pool is None:
                continue
            if loop is running:
                await _close(entry)
            elif loop.is_running():
                await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_close(entry), loop))
            else:
                _abandon(entry)

    def _entry(self) -> _LoopPool:
        for loop in [loop for loop in list(self._loops) if loop.is_closed()]:
            if entry := self._loops.pop(loop, None):
                _abandon(entry)
        return self._loops.setdefault(asyncio.get_running_loop(), _LoopPool())

    async def _open(self, entry: _LoopPool) -> Pool:
        async def remember(conn: Connection) -> None:
            entry.opened.add(conn)

        pool: Pool = AsyncConnectionPool(
            self._dsn,
            kwargs=connection_options(),
            connection_class=AsyncConnection[TupleRow],
            configure=remember,
            min_size=1,
            max_size=self._size,
            max_idle=_MAX_IDLE_S,
            reconnect_timeout=_RECONNECT_S,
            open=False,
        )
        await pool.open()
        entry.guard = asyncio.create_task(_close_with_the_loop(pool))
        return pool


async def _close_with_the_loop(pool: Pool) -> None:
    """Close the pool when the loop cancels its tasks at its end: a worker that is connecting then ignores that, and would be waited for."""
    try:
        await asyncio.Event().wait()
    finally:
        await pool.close()


async def _close(entry: _LoopPool) -> None:
    if entry.guard is not None:
        entry.guard.cancel()
        await asyncio.wait([entry.guard])


def _abandon(entry: _LoopPool) -> None:
    """Close the connections of a loop that no longer runs, without it."""
    for conn in list(entry.opened):
        conn.pgconn.finish()
