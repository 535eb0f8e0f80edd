"""Gathers every model call of a graph's run and writes the turn to the ledger when it ends, through whatever door it was asked.

A callback handler that graphs/wiring.py binds to the graphs: no step has to think of it, and none can leave a call out.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from nodes.replies import usage_of
from retrievers.errors import StorageError
from retrievers.ledger import MODEL, ModelCall, Price, Turn, TurnStore

WRITE_S = 2.0
"""An answer that is ready does not wait longer for its entry in the ledger."""

_UNWRITTEN = 1000
_FREE = frozenset({"direct", "failed"})
_LOG = logging.getLogger("tadori.ledger")


@dataclass
class _Call:
    started: float
    step: str
    model: str
    asked: list[BaseMessage]


@dataclass
class _Run:
    turn: Turn
    root: UUID
    started: float = field(default_factory=time.perf_counter)
    calls: dict[UUID, _Call] = field(default_factory=dict)


class TurnLedger(AsyncCallbackHandler):
    """Writes each turn once, at its end. What cannot be written is logged, kept and tried again with the next turn.

    A turn that cost nothing and looked for nothing waits for the next one too: a greeting must not start a database. It is lost
    where the process ends before.
    """

    def __init__(self, store: TurnStore, prices: Mapping[str, Price]) -> None:
        self._store = store
        self._prices = prices
        self._runs: dict[UUID, _Run] = {}
        self._unwritten: deque[Turn] = deque(maxlen=_UNWRITTEN)

    async def on_chain_start(
        self, serialized: dict[str, Any], inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """The first run of a turn is the graph's own; those below it belong to it."""
        within = self._runs.get(parent_run_id) if parent_run_id else None
        self._runs[run_id] = within or _Run(Turn(run_id, datetime.now(UTC)), run_id)

    async def on_tool_start(
        self, serialized: dict[str, Any], input_str: str, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """A tool may ask a model: the reranker does."""
        if parent_run_id in self._runs:
            self._runs[run_id] = self._runs[parent_run_id]

    async def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """LangGraph names the step in the metadata, our adapter the model."""
        run, said = self._runs.get(parent_run_id) if parent_run_id else None, metadata or {}
        if run is not None:
            model = said.get(MODEL) or f"{said.get('ls_provider', 'unknown')}:{said.get('ls_model_name', 'unknown')}"
            self._runs[run_id] = run
            run.calls[run_id] = _Call(time.perf_counter(), said.get("langgraph_node", ""), model, messages[0])

    async def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """With the tokens that the model counted, or an estimate."""
        generation = response.generations[0][0] if response.generations and response.generations[0] else None
        message = generation.message if isinstance(generation, ChatGeneration) else None
        self._called(run_id, message if isinstance(message, AIMessage) else None)

    async def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """A call that failed, or that was given up."""
        self._called(run_id, None)

    async def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """The end of the graph's own run is the end of the turn."""
        await self._ended(run_id, outputs if isinstance(outputs, dict) else {})

    async def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """A run that ends in an exception is written as well: its calls were paid for."""
        await self._ended(run_id, {})

    async def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Nothing to keep."""
        self._runs.pop(run_id, None)

    async def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Nothing to keep."""
        self._runs.pop(run_id, None)

    def _called(self, run_id: UUID, message: AIMessage | None) -> None:
        run = self._runs.pop(run_id, None)
        call = run.calls.pop(run_id, None) if run else None
        if run is None or call is None:
            return
        usage, price = usage_of(message, call.asked) if message else None, self._prices.get(call.model)
        tokens = (usage["input_tokens"], usage["output_tokens"]) if usage else (0, 0)
        entry: ModelCall = {
            "step": call.step,
            "model": call.model,
            "failed": message is None,
            "input_tokens": tokens[0],
            "output_tokens": tokens[1],
            "cost_usd": price.of(*tokens) if price else None,
            "ms": round((time.perf_counter() - call.started) * 1000, 1),
        }
        run.turn.calls.append(entry)

    async def _ended(self, run_id: UUID, output: dict[str, Any]) -> None:
        run = self._runs.pop(run_id, None)
        if run is None or run.root != run_id:
            return
        # A call that was cancelled is not told of any more, nor is a step that was.
        for given_up in list(run.calls):
            self._called(given_up, None)
        for left in [other for other, its in self._runs.items() if its is run]:
            del self._runs[left]
        turn = run.turn
        turn.ms = round((time.perf_counter() - run.started) * 1000, 1)
        # A turn that waits for the user ends without an answer; one that failed says so in its answer.
        turn.status = str(output["status"]) if output.get("answer") and "status" in output else ("needs_input" if output else "failed")
        self._unwritten.append(turn)
        if turn.calls or turn.status not in _FREE:
            await self._write()

    async def _write(self) -> None:
        waiting = list(self._unwritten)
        try:
            async with asyncio.timeout(WRITE_S):
                await self._store.append(waiting)
        except (StorageError, TimeoutError) as exc:
            _LOG.warning("%d turns are not in the ledger yet: %s", len(waiting), str(exc) or f"not written within {WRITE_S:g} s")
            return
        written = {turn.id for turn in waiting}
        self._unwritten = deque((turn for turn in self._unwritten if turn.id not in written), maxlen=_UNWRITTEN)
