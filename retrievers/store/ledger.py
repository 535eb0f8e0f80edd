"""Keeps turns and their model calls in PostgreSQL, each tenant's apart; the role may add and read, and nothing else.

The TurnStore of the composition root.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from retrievers.ledger import StepUsage, Turn, Usages
from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.sql import statement


class Ledger:
    """The ledger of the scope's tenant."""

    def __init__(self, db: Database, scope: Scope) -> None:
        self._db = db
        self._scope = scope

    async def append(self, turns: Sequence[Turn]) -> None:
        """Adding a turn again changes nothing, so that a write whose end was not heard of may be repeated."""
        entries = [{"id": str(turn.id), "at": turn.at.isoformat(), "status": turn.status, "ms": turn.ms} for turn in turns]
        calls = [{"turn": str(turn.id), "call": number, **call} for turn in turns for number, call in enumerate(turn.calls)]
        async with self._db.transaction(self._scope) as conn:
            await conn.execute(statement("add_tenant.sql"), {"name": self._scope.tenant})
            await conn.execute(statement("add_turns.sql"), {"turns": Jsonb(entries)})
            if calls:
                await conn.execute(statement("add_calls.sql"), {"calls": Jsonb(calls)})

    async def usages(self, since: datetime | None) -> Usages:
        """Turns by status, most first; steps by tokens, most first."""
        async with self._db.transaction(self._scope) as conn:
            turns = await (await conn.execute(statement("turns_by_status.sql"), {"since": since})).fetchall()
            async with conn.cursor(row_factory=dict_row) as cursor:
                await cursor.execute(statement("usage_by_step.sql"), {"since": since})
                steps = [
                    {**row, "input_tokens": int(row["input_tokens"]), "output_tokens": int(row["output_tokens"])}
                    for row in await cursor.fetchall()
                ]
        return {"turns": dict(turns), "steps": cast(list[StepUsage], steps)}
