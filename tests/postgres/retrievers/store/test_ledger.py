"""Turns and model calls are added, summed and never changed, each tenant's apart."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import psycopg
import pytest

from retrievers.ledger import ModelCall, Price, Turn
from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.ledger import Ledger

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def call(step: str, tokens: tuple[int, int] = (100, 10), cost: float | None = None, *, failed: bool = False) -> ModelCall:
    return {
        "step": step,
        "model": "openai:m",
        "failed": failed,
        "input_tokens": tokens[0],
        "output_tokens": tokens[1],
        "cost_usd": cost,
        "ms": 20.0,
    }


@pytest.fixture
def ledger(database: Database, scope: Scope) -> Ledger:
    return Ledger(database, scope)


@pytest.mark.rule("ledger", "gate")
async def test_calls_are_summed_by_step_and_turns_by_status(ledger: Ledger) -> None:
    """ledger, gate: tokens and cost of every call, and how many turns needed no documents."""
    first = Turn(uuid4(), NOW, "answered", 900.0, [call("grade", cost=0.25), call("generate", (300, 50), cost=0.5)])
    second = Turn(uuid4(), NOW, "no_evidence", 400.0, [call("grade", cost=0.25), call("rewrite", (0, 0), failed=True)])
    await ledger.append([first, second, Turn(uuid4(), NOW, "direct", 1.0)])
    usages = await ledger.usages(None)
    assert usages["turns"] == {"answered": 1, "direct": 1, "no_evidence": 1}
    rows = [(s["step"], s["calls"], s["failed"], s["input_tokens"], s["output_tokens"], s["cost_usd"]) for s in usages["steps"]]
    assert rows == [("generate", 1, 0, 300, 50, 0.5), ("grade", 2, 0, 200, 20, 0.5), ("rewrite", 1, 1, 0, 0, None)]


@pytest.mark.rule("ledger")
async def test_a_cost_that_is_unknown_for_one_call_is_unknown_for_the_sum(ledger: Ledger) -> None:
    """ledger: half a cost would look like the whole one."""
    await ledger.append([Turn(uuid4(), NOW, "answered", 1.0, [call("grade", cost=0.25), call("grade")])])
    assert (await ledger.usages(None))["steps"][0]["cost_usd"] is None


@pytest.mark.rule("ledger")
async def test_a_turn_that_is_added_again_counts_once(ledger: Ledger) -> None:
    """ledger: a write whose end was not heard of may be repeated."""
    turn = Turn(uuid4(), NOW, "answered", 1.0, [call("grade")])
    await ledger.append([turn])
    await ledger.append([turn])
    usages = await ledger.usages(None)
    assert (usages["turns"], usages["steps"][0]["calls"]) == ({"answered": 1}, 1)


async def test_only_turns_since_a_moment_are_summed(ledger: Ledger) -> None:
    await ledger.append([Turn(uuid4(), NOW - timedelta(days=2), "answered", 1.0, [call("grade")]), Turn(uuid4(), NOW, "partial", 1.0)])
    assert await ledger.usages(NOW - timedelta(days=1)) == {"turns": {"partial": 1}, "steps": []}


@pytest.mark.rule("ledger", "S5")
async def test_no_other_tenant_sees_it_and_nobody_changes_it(database: Database, ledger: Ledger, scope: Scope, tenant: str) -> None:
    """ledger, S5: appended, and nothing else; the role has no right to update or delete."""
    await ledger.append([Turn(uuid4(), NOW, "answered", 1.0, [call("grade")])])
    assert await Ledger(database, Scope.operator(f"{tenant}-other")).usages(None) == {"turns": {}, "steps": []}
    for change in ("update tadori.ledger set cost_usd = 0", "delete from tadori.turn"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            async with database.transaction(scope) as conn:
                await conn.execute(change.encode())


def test_a_price_is_for_a_million_tokens() -> None:
    assert Price(0.15, 0.60).of(2_000_000, 500_000) == pytest.approx(0.60)
