"""Collections: made once for one embedding model and one analyser, found by name within the tenant.

Used by ingestion, the searches and the composition root; documents.py fills what is made here.
"""

from dataclasses import fields, replace
from typing import Any, get_args

from psycopg.rows import dict_row

from retrievers.errors import EmbeddingMismatch, InvalidArgument, StorageError, UnknownCollection
from retrievers.ranking import Ranking
from retrievers.scope import Scope, check_name
from retrievers.store.database import Database
from retrievers.store.pools import Connection
from retrievers.store.rows import is_storable
from retrievers.store.spaces import column_type, ensure_space
from retrievers.store.sql import statement
from retrievers.store.writing import require_operator, writing
from retrievers.types import NO_CHOICE, Collection, EmbeddingSpec, IndexKind, VectorChoice, VectorType


async def ensure_collection(
    db: Database, scope: Scope, name: str, spec: EmbeddingSpec, analyser: str, choice: VectorChoice = NO_CHOICE
) -> Collection:
    """Return the collection, making it and its tenant first where they are new; safe for several at once.

    `analyser` is for a new one; one that is there keeps its own. Raises EmbeddingMismatch when it was built with another model,
    InvalidArgument when its vectors are stored or indexed in another way than was chosen, or the kind cannot take the model's dimensions.
    """
    check_name("collection", name)
    require_operator(scope)
    _check_names(choice)
    chosen = replace(spec, column_type=choice.vector_type or spec.column_type, index_kind=choice.index or spec.index_kind)
    found = await find_collection(db, scope, name) or await _create(db, scope, name, chosen, analyser)
    _check(found, spec)
    _check_choice(found, choice)
    return found


async def find_collection(db: Database, scope: Scope, name: str) -> Collection | None:
    """The tenant's collection of that name, or None; another tenant's is None too."""
    if not is_storable(name):
        return None
    async with db.transaction(scope) as conn:
        return next(iter(await _read(conn, name)), None)


async def get_collection(db: Database, scope: Scope, name: str) -> Collection:
    """The tenant's collection of that name; raises UnknownCollection, with one text for unknown and foreign ones."""
    found = await find_collection(db, scope, name)
    if found is None:
        raise UnknownCollection(name)
    return found


async def list_collections(db: Database, scope: Scope) -> list[Collection]:
    """The tenant's collections by name; empty for a tenant that has stored nothing."""
    async with db.transaction(scope) as conn:
        return await _read(conn, None)


async def drop_collection(db: Database, scope: Scope, name: str) -> bool:
    """Delete the collection with all that is in it; False where there is none."""
    require_operator(scope)
    collection = await find_collection(db, scope, name)
    if collection is None:
        return False
    try:
        async with writing(db, scope, collection) as conn:
            await conn.execute(statement("drop_collection.sql"), {"tid": collection.tid, "coll": collection.coll})
    except UnknownCollection:  # another process dropped it in between
        return False
    return True


async def _create(db: Database, scope: Scope, name: str, spec: EmbeddingSpec, analyser: str) -> Collection:
    space = await ensure_space(db, spec)
    values = {
        "name": name,
        "space": space,
        "analyser": analyser,
        "no_answer": spec.no_answer,
        "max_tokens": spec.max_tokens,
        "absolute_weight": spec.absolute_weight,
        "unrelated": spec.unrelated,
        "calibrated": spec.calibrated,
    }
    async with db.transaction(scope) as conn:
        await conn.execute(statement("add_tenant.sql"), {"name": scope.tenant})
        await conn.execute(statement("add_collection.sql"), values)
        return (await _read(conn, name))[0]


async def _read(conn: Connection, name: str | None) -> list[Collection]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(statement("find_collections.sql"), {"name": name})
        return [_collection(row) for row in await cursor.fetchall()]


def _collection(row: dict[str, Any]) -> Collection:
    spec = EmbeddingSpec(**{field.name: row[field.name] for field in fields(EmbeddingSpec) if field.name in row})
    return Collection(
        tid=row["tid"],
        coll=row["coll"],
        name=row["name"],
        embedding=spec,
        space=row["space"],
        analyser=row["analyser"],
        fusion=row["fusion"],
        weights=tuple(row["weights"]) if row["weights"] else None,
        no_answer=row["no_answer"],
        ranking=_ranking(row["name"], row["ranking"]),
        chunk_count=row["chunk_count"],
        token_count=row["token_count"],
    )


def _ranking(name: str, stored: dict[str, Any]) -> Ranking:
    answer = stored.get("answer")
    try:
        return Ranking(**{**stored, "answer": tuple(answer) if answer else None})
    except (TypeError, ValueError) as exc:
        raise StorageError(f"the ranking stored with collection {name!r} cannot be used ({exc}): correct it in tadori.collection") from exc


def _check(collection: Collection, spec: EmbeddingSpec) -> None:
    built = collection.embedding
    if (built.model, built.dims) != (spec.model, spec.dims):
        raise EmbeddingMismatch.of(collection.name, (built.model, built.dims), (spec.model, spec.dims))


def _check_names(choice: VectorChoice) -> None:
    for name, given, known in (("index", choice.index, IndexKind), ("vector type", choice.vector_type, VectorType)):
        if given is not None and given not in get_args(known):
            raise InvalidArgument(f"{name} {given!r} is not known: use {', '.join(get_args(known))}")


def _check_choice(collection: Collection, choice: VectorChoice) -> None:
    built = collection.embedding
    wanted = replace(built, column_type=choice.vector_type or built.column_type, index_kind=choice.index or built.index_kind)
    if (column_type(wanted), wanted.index_kind) != (built.column_type, built.index_kind):
        raise InvalidArgument(
            f"collection {collection.name!r} has index {built.index_kind} over type {built.column_type}, not {wanted.index_kind} over "
            f"{column_type(wanted)}: both are chosen when a collection is made, so leave the choice out, or ingest into a new collection "
            "with --collection NAME"
        )
