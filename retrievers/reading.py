"""Reads stored passages by their ids, with what stands around them, as one reader.

`StoreReader` is the PassageReader of the graphs and tools; below it lies retrievers/store.
"""

import asyncio
from collections.abc import Collection as Ids
from collections.abc import Sequence

from retrievers.errors import InvalidArgument, UnknownCollection
from retrievers.passages import PassageReader, Reading, StoredPassage, WidePassage, as_wide
from retrievers.request import check_filters
from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.reading import read_passages, read_surroundings
from retrievers.store.rows import is_storable
from retrievers.types import DEFAULT_COLLECTION, NO_FILTERS, Embedder, Filters, Passage
from retrievers.widening import REACH, widened

MAX_IDS = 50
"""Passages read at once: with 512 tokens each already more than a prompt takes."""

MAX_NEIGHBOURS = 10
"""On either side; whoever needs more wants the document."""


class StoreReader(PassageReader):
    """A PassageReader over the store. Safe to share between tasks."""

    def __init__(self, db: Database, embedder: Embedder, scope: Scope) -> None:
        self._db = db
        self._embedder = embedder
        self._scope = scope

    async def read(self, ids: Sequence[str], *, collection: str = DEFAULT_COLLECTION, filters: Filters = NO_FILTERS) -> Reading:
        """The passages in the order of `ids` (at most 50), each once."""
        if len(ids) > MAX_IDS:
            raise InvalidArgument(f"{len(ids)} ids are given: ask for at most {MAX_IDS} passages at once")
        found = await self._read(ids, 0, 0, collection, filters)
        known = {asked for asked, _ in found}
        return {"passages": [passage for _, passage in found], "unknown": [one for one in dict.fromkeys(ids) if one not in known]}

    async def neighbours(
        self, passage: str, *, before: int = 3, after: int = 3, collection: str = DEFAULT_COLLECTION, filters: Filters = NO_FILTERS
    ) -> Reading:
        """The passage with up to `before` and `after` (0-10) others of its document, in its order."""
        for side, number in (("before", before), ("after", after)):
            if not 0 <= number <= MAX_NEIGHBOURS:
                raise InvalidArgument(f"{side} is {number}: use 0 to {MAX_NEIGHBOURS}")
        found = await self._read([passage], before, after, collection, filters)
        return {"passages": [one for _, one in found], "unknown": [] if found else [passage]}

    async def widen(
        self,
        passages: Sequence[Passage],
        *,
        each: int,
        total: int,
        without: Ids[str] = (),
        collection: str = DEFAULT_COLLECTION,
    ) -> list[WidePassage]:
        """One statement for all of them."""
        ids = [passage["id"] for passage in passages if passage["origin"] != "web"]
        if not ids or not is_storable(collection):
            return [as_wide(passage) for passage in passages]
        async with self._db.transaction(self._scope) as conn:
            around = await read_surroundings(conn, collection, ids, REACH)
        # In a thread: a tokenizer blocks, and a wide text may be new to it.
        return await asyncio.to_thread(
            widened, passages, around, each=each, total=total, without=frozenset(without), count=self._embedder.count_tokens
        )

    async def _read(
        self, ids: Sequence[str], before: int, after: int, collection: str, filters: Filters
    ) -> list[tuple[str, StoredPassage]]:
        check_filters(filters)
        asked = [one for one in dict.fromkeys(ids) if is_storable(one)]
        found = None
        if is_storable(collection):
            async with self._db.transaction(self._scope) as conn:
                found = await read_passages(conn, collection, asked, before=before, after=after, filters=filters)
        if found is None and collection != DEFAULT_COLLECTION:
            raise UnknownCollection(collection)
        return found or []
