"""A chat model's stream, guarded as a plain call is: a deadline, a turn, tries until it has begun, and an end that is known to be one.

Used by chat.py; knows nothing of an SDK.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

from langchain_core.outputs import ChatGenerationChunk

from retrievers.errors import ProviderError, ProviderReplyInvalid, ProviderUnavailable
from retrievers.providers.faults import late, retrying
from retrievers.providers.limiting import Limiter

Pieces = AsyncIterator[ChatGenerationChunk]
Guard = Callable[[Callable[[], Awaitable[Any]]], Awaitable[Any]]
"""Awaits the call and raises what goes wrong in it as ProviderError."""


async def streamed(
    who: str, start: Callable[[], Pieces], *, guard: Guard, limiter: Limiter, timeout_s: float, says_when_done: bool
) -> AsyncGenerator[ChatGenerationChunk, None]:
    """The pieces of `start()`, which is tried again until the first one that says something has come.

    Raises ProviderUnavailable for a stream that is late or breaks off; with `says_when_done` also for one that ends without having said
    that it is done, and ProviderReplyInvalid for one that is none. The turn is held to the end, through the waits between the tries.
    """
    deadline = time.monotonic() + timeout_s
    async with AsyncExitStack() as held:
        try:
            async with asyncio.timeout(timeout_s):
                await held.enter_async_context(limiter.turn())
        except TimeoutError as exc:
            raise late(who, timeout_s) from exc
        left_s = max(0.0, deadline - time.monotonic())
        begun, rest = await retrying(who, lambda: guard(lambda: _begin(start())), timeout_s=left_s, limiter=limiter.within_turn())
        held.push_async_callback(_close, rest)
        done = any(_is_last(piece) for piece in begun)
        for piece in begun:
            yield piece
        while (next_piece := await _next(who, rest, guard, deadline, timeout_s)) is not None:
            done = done or _is_last(next_piece)
            yield next_piece
        if not begun:
            raise ProviderReplyInvalid(f"{who} answered in a form that cannot be read (no stream): try another model")
        if says_when_done and not done:
            raise _broken_off(who, "the connection was closed")


async def _begin(pieces: Pieces) -> tuple[Sequence[ChatGenerationChunk], Pieces]:
    """The pieces up to the first that says something, and the rest."""
    begun: list[ChatGenerationChunk] = []
    async for piece in pieces:
        begun.append(piece)
        if piece.message.content or getattr(piece.message, "tool_call_chunks", None):
            break
    return begun, pieces


async def _close(rest: Pieces) -> None:
    """Lets go of the connection of a stream that nobody reads to its end."""
    if isinstance(rest, AsyncGenerator):
        await rest.aclose()


async def _next(who: str, rest: Pieces, guard: Guard, deadline: float, timeout_s: float) -> ChatGenerationChunk | None:
    """The next piece in what is left of the time, None at the end."""

    async def piece() -> ChatGenerationChunk | None:
        return await anext(rest, None)

    try:
        # Around each piece and not around all: between two of them the task is the consumer's.
        async with asyncio.timeout(deadline - time.monotonic()):
            found: ChatGenerationChunk | None = await guard(piece)
            return found
    except TimeoutError as exc:
        raise late(who, timeout_s) from exc
    except ProviderError as exc:
        raise _broken_off(who, str(exc)) from exc


def _broken_off(who: str, cause: str) -> ProviderUnavailable:
    return ProviderUnavailable(f"{who} broke off in the middle of its answer ({cause}): try again")


def _is_last(piece: ChatGenerationChunk) -> bool:
    said = {**(piece.generation_info or {}), **piece.message.response_metadata}
    return bool(said.get("finish_reason") or said.get("stop_reason")) or getattr(piece.message, "chunk_position", None) == "last"
