"""Finds what may have been meant by a name that no entity has: a slip of the pen, a part of a name.

Used by graph_reading.py for the words of an error; the policies hide what its reader may not see.
"""

from difflib import get_close_matches

from retrievers.store.graph_rows import storable
from retrievers.store.pools import Connection
from retrievers.store.sql import statement
from retrievers.text.spelling import name_key
from retrievers.types import Collection

_MOST = 3
_LIKE = 0.5
"""How alike two names must be, from 0 to 1: a family name is about so like the whole."""

_COMPARED = 2000
_BEGINNING = 2
_LONG_WORD = 3


async def near_names(conn: Connection, collection: Collection, text: str) -> list[str]:
    """At most three names, the likest first; empty where nothing is like it."""
    key = storable(name_key(storable(text)))
    if not key:
        return []
    words = [key, *(word[: max(_LONG_WORD, len(word) // 2)] for word in key.split() if len(word) >= _LONG_WORD)]
    values = {"tid": collection.tid, "coll": collection.coll, "beginning": key[:_BEGINNING], "words": words, "most": _COMPARED}
    rows = await conn.execute(statement("graph_near_names.sql"), values)
    names: dict[str, str] = dict(await rows.fetchall())
    return [names[found] for found in get_close_matches(key, names, _MOST, _LIKE)]
