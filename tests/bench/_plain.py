"""Plain absolute fusion in the product's own statement: no windows and no neighbouring words, to see what those cost.

The words of a chunk, its vectors and the indexes are the same; the windows are looked for in an empty table.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from psycopg.sql import Identifier

from retrievers.store import search
from retrievers.store.database import Database

_PREPARE = """
create table if not exists tadori.bench_no_windows (
    tid integer, coll integer, chunk integer, place smallint, embedding halfvec(384), primary key (tid, chunk, place)
);
alter table tadori.bench_no_windows enable row level security;
grant select on tadori.bench_no_windows to tadori_app;
"""


async def prepare(database: Database) -> None:
    """The empty table. Without a policy nobody would see rows of it, if it had any."""
    async with database.owner() as owner:
        await owner.execute(_PREPARE)


def _no_windows(space: int) -> Identifier:
    return Identifier("bench_no_windows")


@cache
def _statement(*given: object, **named: object) -> object:
    windows, search.window_table = search.window_table, _no_windows
    try:
        return _HYBRID.__wrapped__(*given, **named)
    finally:
        search.window_table = windows


_HYBRID = search._hybrid


@contextmanager
def plain() -> Iterator[None]:
    """Searches inside it are plain; one at a time."""
    near, search.NEAR_QUERY = search.NEAR_QUERY, 0
    search._hybrid = _statement
    try:
        yield
    finally:
        search.NEAR_QUERY, search._hybrid = near, _HYBRID
