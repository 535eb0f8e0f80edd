"""Embedding spaces: one table per model, made once, by whoever comes first."""

import asyncio
from itertools import count

import pytest
from psycopg import sql

from retrievers.errors import InvalidArgument
from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.spaces import column_type, ensure_space, pgvector_view, vector_table
from retrievers.types import EmbeddingSpec

_NUMBERS = count(1)


def spec(dims: int = 8, **changes: object) -> EmbeddingSpec:
    """A model that no other test has."""
    return EmbeddingSpec(f"model-{next(_NUMBERS)}", dims, 512, 0.3, 0.6, **changes)  # type: ignore[arg-type]


async def column(db: Database, query: str, *parameters: object) -> list[object]:
    async with db.owner() as conn:
        return [row[0] for row in await (await conn.execute(query, parameters)).fetchall()]


@pytest.mark.rule("emb-models")
async def test_a_model_keeps_its_space_and_another_gets_another(database: Database) -> None:
    """emb-models: the model and its dimensions are stored with the vectors; a new model is built beside the old one."""
    first, second = spec(), spec()

    space = await ensure_space(database, first)

    assert await ensure_space(database, first) == space
    assert await ensure_space(database, second) != space


async def test_several_who_bring_the_same_new_model_make_one_space(database: Database) -> None:
    new = spec()

    spaces = await asyncio.gather(*(ensure_space(database, new) for _ in range(6)))

    assert len(set(spaces)) == 1


@pytest.mark.rule("pg-schema", "pg-index")
async def test_a_space_has_its_indexes_and_falls_with_its_chunks(database: Database) -> None:
    """pg-schema, pg-index: HNSW over halfvec with m 16 and ef_construction 64 beside the exact path, and a cascade from the chunk."""
    space = await ensure_space(database, spec())
    table = f"vector_{space}"

    indexes = await column(database, "select indexdef from pg_indexes where tablename = %s order by indexname", table)
    deletes = await column(
        database, "select confdeltype::text from pg_constraint where contype = 'f' and conrelid = ('tadori.' || %s)::regclass", table
    )

    assert indexes == [
        f"CREATE INDEX {table}_audience ON tadori.{table} USING btree (tid, coll, audience)",
        f"CREATE INDEX {table}_hnsw ON tadori.{table} USING hnsw (embedding halfvec_cosine_ops) WITH (m='16', ef_construction='64')",
        f"CREATE UNIQUE INDEX {table}_pkey ON tadori.{table} USING btree (tid, chunk)",
    ]
    assert deletes == ["c"]


@pytest.mark.rule("pg-index")
async def test_above_two_thousand_dimensions_half_precision_is_chosen(database: Database) -> None:
    """pg-index: single precision could not be indexed there."""
    wide, narrow = spec(2500, column_type="vector"), spec(2000, column_type="vector")

    assert (column_type(wide), column_type(narrow)) == ("halfvec", "vector")
    types = [
        await column(database, "select format_type(atttypid, atttypmod) from pg_attribute where attrelid = ('tadori.' || %s)::regclass "
                               "and attname = 'embedding'", f"vector_{await ensure_space(database, each)}")
        for each in (wide, narrow)
    ]  # fmt: skip
    assert types == [["halfvec(2500)"], ["vector(2000)"]]


async def test_a_row_of_the_widest_vectors_fits_its_page(database: Database, scope: Scope) -> None:
    space = await ensure_space(database, spec(4000))

    async with database.transaction(scope) as conn:
        await conn.execute("insert into tadori.tenant (name) values (%s)", (scope.tenant,))
        await conn.execute("insert into tadori.audience (tid, readers) values (tadori.current_tid(), '{tenant}')")
        await conn.execute("set constraints all deferred")
        row = await (
            await conn.execute(
                sql.SQL("select pg_column_size(row(1, 1, 1, 1, (select array_agg(0.1) from generate_series(1, {}))::halfvec))").format(
                    sql.Literal(4000)
                )
            )
        ).fetchone()
    assert row is not None
    assert row[0] < 8160
    assert space > 0


async def test_more_dimensions_than_can_be_indexed_are_refused(database: Database) -> None:
    with pytest.raises(
        InvalidArgument, match="has 4001 dimensions, and index hnsw takes 1 to 4000: choose another model, or index binary or"
    ):
        await ensure_space(database, spec(4001))
    with pytest.raises(InvalidArgument, match=r"has 16001 dimensions, and index exact takes 1 to 16000: choose another model$"):
        await ensure_space(database, spec(16_001, index_kind="exact"))


def test_names_are_made_of_the_number_alone() -> None:
    assert vector_table(7) == sql.Identifier("vector_7")
    assert pgvector_view(7) == "pgvector_7"
