"""Sets of readers and their numbers: the small set of integers that every arm filters by.

Used by swap.py and documents.py inside a writing transaction.
"""

import json
from collections.abc import Iterable, Sequence

from retrievers.store.pools import Connection
from retrievers.store.sql import statement

Readers = tuple[str, ...]


async def audience_numbers(conn: Connection, sets: Iterable[Readers], tid: int) -> dict[Readers, int]:
    """The number of each set, added where it is new. The sets are sorted, as check_readers returns them.

    New sets are added under a lock of the tenant, which is always taken after the collection's: two writers of two collections
    that add the same sets in different order would else wait for each other.
    """
    wanted = sorted(set(sets))
    found = await _find(conn, wanted)
    missing = [readers for readers in wanted if readers not in found]
    if missing:
        await conn.execute("select pg_advisory_xact_lock(%s, 0)", (tid,))  # collections are numbered from 1
        await conn.execute(statement("add_audiences.sql"), {"sets": [json.dumps(readers) for readers in missing]})
        found |= await _find(conn, missing)
    return found


async def _find(conn: Connection, sets: Sequence[Readers]) -> dict[Readers, int]:
    rows = await conn.execute(statement("find_audiences.sql"), {"sets": [json.dumps(readers) for readers in sets]})
    return {tuple(readers): audience for readers, audience in await rows.fetchall()}
