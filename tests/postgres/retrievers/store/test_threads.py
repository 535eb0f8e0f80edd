"""Threads: kept by LangGraph's saver, readable by their own tenant alone, whatever id another asks for."""

import asyncio
from typing import Any

import psycopg
import pytest
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from postgres.conftest import administer
from typing_extensions import TypedDict

from retrievers.errors import InvalidArgument
from retrievers.store.database import Database
from retrievers.store.threads import open_threads, thread_key


class State(TypedDict):
    secret: str
    turns: int


async def count_turn(state: State) -> dict[str, int]:
    return {"turns": state.get("turns", 0) + 1}


async def say(saver: AsyncPostgresSaver, key: str, secret: str) -> dict[str, Any]:
    """One turn of a graph on the thread."""
    graph = StateGraph(State)
    graph.add_node("count_turn", count_turn)
    graph.add_edge(START, "count_turn")
    graph.add_edge("count_turn", END)
    return await graph.compile(checkpointer=saver).ainvoke({"secret": secret}, config(key))


def config(key: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": key}}


async def secrets(saver: AsyncPostgresSaver, key: str | None) -> list[str]:
    """What the saver gives out for a thread, or for any."""
    found = [item async for item in saver.alist(config(key) if key else None)]
    return [item.checkpoint["channel_values"]["secret"] for item in found if "secret" in item.checkpoint["channel_values"]]


async def test_a_thread_is_still_there_when_the_database_is_opened_again(database: Database, tenant: str) -> None:
    key = thread_key(tenant, "mine")
    async with open_threads(database, tenant) as saver:
        assert (await say(saver, key, "tea"))["turns"] == 1
    await database.close()

    async with open_threads(database, tenant) as saver:
        assert (await say(saver, key, "coffee"))["turns"] == 2


@pytest.mark.rule("S1", "F9")
async def test_another_tenant_reads_a_thread_under_no_id(database: Database, tenant: str) -> None:
    """S1, F9: the neighbour asks for the very key, for everything, and for names that SQL or the prefix could misread."""
    key = thread_key(tenant, "mine")
    async with open_threads(database, tenant) as saver:
        await say(saver, key, "tea")
        assert "tea" in await secrets(saver, key)

    async with open_threads(database, f"{tenant}-x") as stranger:
        for guess in (key, None, "mine", f"{tenant}-x/../{tenant}/mine", f"{key}' or '1'='1", f"{tenant}%", ""):
            assert await secrets(stranger, guess) == []
            if guess:
                assert await stranger.aget_tuple(config(guess)) is None


@pytest.mark.rule("S1")
async def test_another_tenant_can_neither_write_to_a_thread_nor_delete_it(database: Database, tenant: str) -> None:
    """S1: the policies check what is written too."""
    key = thread_key(tenant, "mine")
    async with open_threads(database, tenant) as saver:
        await say(saver, key, "tea")

    async with open_threads(database, f"{tenant}-x") as stranger:
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            await say(stranger, key, "poison")
        await stranger.adelete_thread(key)

    async with open_threads(database, tenant) as saver:
        assert "tea" in await secrets(saver, key)


async def test_the_tables_are_made_once_by_several_at_once(empty_dsn: str, home: object) -> None:
    databases = [Database(empty_dsn, home=home) for _ in range(4)]  # type: ignore[arg-type]

    async def use(db: Database, number: int) -> int:
        async with open_threads(db, "shared") as saver:
            return int((await say(saver, thread_key("shared", f"t{number}"), "x"))["turns"])

    assert await asyncio.gather(*(use(db, number) for number, db in enumerate(databases))) == [1, 1, 1, 1]
    for db in databases:
        await db.close()


async def test_tables_whose_guard_was_not_reached_are_guarded_by_the_next(database: Database, tenant: str) -> None:
    async with open_threads(database, tenant):
        pass
    administer(await database.login(), "alter table tadori_threads.checkpoints disable row level security")

    async with open_threads(database, tenant):
        pass

    async with database.owner() as conn:
        found = await (
            await conn.execute("select relrowsecurity from pg_class where oid = 'tadori_threads.checkpoints'::regclass")
        ).fetchone()
    assert found == (True,)


async def test_a_saver_survives_the_loss_of_its_connections(database: Database, tenant: str) -> None:
    async with open_threads(database, tenant) as saver:
        await say(saver, thread_key(tenant, "mine"), "tea")
        administer(
            await database.login(),
            "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'",
        )
        assert (await say(saver, thread_key(tenant, "mine"), "coffee"))["turns"] == 2


async def test_an_owner_who_is_no_superuser_can_keep_threads(owned_database: Database, tenant: str) -> None:
    for turn in (1, 2):
        async with open_threads(owned_database, tenant) as saver:
            assert (await say(saver, thread_key(tenant, "mine"), "tea"))["turns"] == turn


@pytest.mark.parametrize("thread", ["", "a/b", "a b", "a\n", "x" * 201, "a'b", "../a"])
def test_a_thread_must_be_a_name(thread: str) -> None:
    with pytest.raises(InvalidArgument, match="is not a name: use 1-200 letters, digits"):
        thread_key("acme", thread)


@pytest.mark.parametrize("thread", ["1", "会議-2026", "user@example.org:42", "a.b_c+d"])
def test_a_thread_may_be_any_name(thread: str) -> None:
    assert thread_key("acme", thread) == f"acme/{thread}"
