"""The one way to the database: a transaction as tadori_app, for one tenant and its principals.

Used by every module of the store and by the searches. It starts or checks the server and migrates at first use.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import psycopg
from psycopg import AsyncConnection, AsyncTransaction
from psycopg_pool import PoolTimeout

from retrievers.errors import DatabaseUnavailable, DatabaseUnsupported
from retrievers.scope import Scope
from retrievers.store.embedded import EmbeddedServer
from retrievers.store.failures import describe_dsn, is_lost, parse_dsn, translated
from retrievers.store.migrate import migrate
from retrievers.store.pools import Connection, LoopPools, Pool, connection_options
from retrievers.store.server import APP_ROLE, ServerFacts, require, role_sql
from retrievers.store.sql import statement

POOL_SIZE = 8  # a dozen processes fit the embedded server's 100 connections
STATEMENT_S = 120  # a writer may wait for another writer of its collection; a search takes a hundredth of a second
_IDLE_S = 300  # a transaction left open by a stalled loop holds locks
_TAKE_S = 30.0
_LOOK_S = 5.0  # how long to wait for a connection before looking whether the server is there at all
_LOOK_SOON_S = 1.0  # the same where a connection has just been found dead


class Database:
    """A PostgreSQL server: the one `dsn` leads to, or the embedded one of `home` when it is None.

    `dsn` is the owner, who migrates; `app_dsn` is another login for the transactions, where the operator wants two.
    """

    def __init__(self, dsn: str | None, *, home: Path, app_dsn: str | None = None, pool_size: int = POOL_SIZE) -> None:
        for given in (dsn, app_dsn):
            if given is not None:
                parse_dsn(given)
        self._server = EmbeddedServer(home) if dsn is None else None
        self._dsn = dsn
        self._app_dsn = app_dsn
        self._pool_size = pool_size
        self._pools = LoopPools(self._login, pool_size)
        self._facts: ServerFacts | None = None

    @property
    def where(self) -> str:
        """What the database is called in messages, without any password."""
        return "the embedded database" if self._dsn is None else f"the database {describe_dsn(self._app_dsn or self._dsn)!r}"

    async def prepare(self) -> ServerFacts:
        """Make the database ready for use and say what it is: start it, check it, migrate it. Later calls cost nothing.

        Raises DatabaseUnavailable, DatabaseUnsupported or MigrationError.
        """
        if self._facts is None:
            async with self._pools.lock:
                if self._facts is None:
                    async with self._connect_owner() as conn:
                        facts = await require(conn)
                        await _set_path(conn, facts)
                        await migrate(conn)
                    self._facts = facts
        return self._facts

    @asynccontextmanager
    async def transaction(self, scope: Scope) -> AsyncIterator[Connection]:
        """A transaction as tadori_app that sees the scope's rows alone; committed at the end, rolled back on any exception.

        Raises DatabaseUnavailable when the connection is lost; nothing of the block was kept then, unless the loss hit the commit itself.
        """
        facts = await self.prepare()
        pool = await self._pools.current()
        with self._translated():
            conn, begun = await self._begin_on_a_living_one(pool, scope, facts)
            async with begun:
                yield conn

    @asynccontextmanager
    async def owner(self) -> AsyncIterator[Connection]:
        """A connection of its own as the owner, in autocommit, for definitions only; never for tenants' rows."""
        facts = await self.prepare()
        async with self._connect_owner() as conn:
            await _set_path(conn, facts)
            yield conn

    async def login(self) -> str:
        """The dsn that transactions use; it holds a password."""
        await self.prepare()
        return await self._login()

    async def close(self) -> None:
        """Close all connections and leave the embedded server. The next use opens it again."""
        await self._pools.close()
        self._facts = None
        if self._server is not None:
            await asyncio.to_thread(self._server.stop)

    async def _owner_login(self) -> str:
        if self._server is None:
            assert self._dsn is not None
            return self._dsn
        return await asyncio.to_thread(self._server.start)  # finds it running, or mends it

    async def _login(self) -> str:
        return self._app_dsn or await self._owner_login()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        with translated(self.where, self._app_dsn or self._dsn):
            yield

    @asynccontextmanager
    async def _connect_owner(self) -> AsyncIterator[Connection]:
        with translated("the embedded database" if self._dsn is None else f"the database {describe_dsn(self._dsn)!r}", self._dsn):
            conn = await AsyncConnection.connect(await self._owner_login(), **connection_options())
            try:
                yield conn
            finally:
                await conn.close()

    async def _begin_on_a_living_one(self, pool: Pool, scope: Scope, facts: ServerFacts) -> tuple[Connection, AsyncExitStack]:
        """Find out by beginning, which needs no extra round trip: after a restart of the server every pooled connection may be dead."""
        look_s = _LOOK_S
        for _ in range(self._pool_size):
            try:
                return await self._begin(pool, scope, facts, look_s)
            except psycopg.OperationalError as exc:
                if not is_lost(exc):
                    raise
            look_s = _LOOK_SOON_S
        return await self._begin(pool, scope, facts, look_s)

    async def _begin(self, pool: Pool, scope: Scope, facts: ServerFacts, look_s: float) -> tuple[Connection, AsyncExitStack]:
        async with AsyncExitStack() as attempt:
            conn = await self._take(pool, look_s)
            attempt.push_async_callback(pool.putconn, conn)
            try:
                async with conn.pipeline():  # begin and settings in one round trip
                    # Not conn.transaction(): begun in a pipeline, it would stay in one, and every error would come late.
                    await attempt.enter_async_context(AsyncTransaction(conn))
                    await conn.execute(statement("enter_scope.sql"), _settings(scope, facts))
            except psycopg.errors.InsufficientPrivilege as exc:
                grant = role_sql(conn.info.user, facts.server_version_num)
                raise DatabaseUnsupported(
                    f"{self.where} does not let {conn.info.user!r} act as {APP_ROLE!r}: let an administrator run `{grant};`"
                ) from exc
            return conn, attempt.pop_all()

    async def _take(self, pool: Pool, look_s: float) -> Connection:
        deadline = time.monotonic() + _TAKE_S
        while True:
            try:
                return await pool.getconn(timeout=look_s)
            except PoolTimeout as exc:
                with self._translated():
                    await (await AsyncConnection.connect(await self._login(), **connection_options())).close()
                if time.monotonic() > deadline:
                    raise DatabaseUnavailable(
                        f"all {self._pool_size} connections to {self.where} were busy for {_TAKE_S:.0f} s: try again, or with less at once"
                    ) from exc


def _settings(scope: Scope, facts: ServerFacts) -> dict[str, object]:
    return {
        "tenant": scope.tenant,
        "principals": list(scope.principals),
        "vector_schema": facts.vector_schema,
        "statement_timeout": f"{STATEMENT_S}s",
        "idle_timeout": f"{_IDLE_S}s",
    }


async def _set_path(conn: Connection, facts: ServerFacts) -> None:
    await conn.execute("select set_config('search_path', 'tadori, ' || quote_ident(%s), false)", (facts.vector_schema,))
