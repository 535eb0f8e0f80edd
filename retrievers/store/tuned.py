"""Stores how a collection ranks and where its threshold lies, once `tadori tune` has found it better.

Beside collections.py, which reads it back; used by retrievers/trial.py.
"""

from dataclasses import asdict

from psycopg.types.json import Jsonb

from retrievers.errors import CollectionRebuilt
from retrievers.ranking import Ranking
from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.sql import statement
from retrievers.store.writing import writing
from retrievers.types import Collection, Setting

_UNTUNED = ("derived", "half_life_days")
"""Fields that follow what is shipped unless somebody set them otherwise."""


async def store_setting(db: Database, scope: Scope, collection: Collection, setting: Setting) -> None:
    """Give the collection this setting, in one transaction under its lock.

    `collection` is as it was when tuning began: where its setting is another by now, CollectionRebuilt is raised and nothing stored, since
    what was compared with is gone. Raises StorageError for anyone but the operator, UnknownCollection where it is gone.
    """
    values = {
        "tid": collection.tid,
        "coll": collection.coll,
        "fusion": setting.fusion,
        "weights": list(setting.weights) if setting.weights else None,
        "no_answer": setting.no_answer,
        "ranking": Jsonb(_plain(setting.ranking)),
        "old_fusion": collection.fusion,
        "old_weights": list(collection.weights) if collection.weights else None,
        "old_no_answer": collection.no_answer,
    }
    async with writing(db, scope, collection) as conn:
        changed = await conn.execute(statement("store_setting.sql"), values)
        if changed.rowcount == 0:
            raise CollectionRebuilt(collection.name)


def _plain(ranking: Ranking) -> dict[str, object]:
    shipped = asdict(Ranking())
    return {name: value for name, value in asdict(ranking).items() if name not in _UNTUNED or value != shipped[name]}
