"""How many calls one provider gets at once, and the pause that it asked all of them for.

Used by the one retry layer (faults.py) and by a stream, which keeps its turn until it ends.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from weakref import WeakKeyDictionary

AT_ONCE = 8
"""Calls to one provider at a time: more only fills its queue, or meets its rate limit."""

_JITTER_S = 0.1


@dataclass
class _Pause:
    """When a provider wants to be asked again, on the monotonic clock."""

    until: float = 0.0


class Limiter:
    """Turns of one provider within one event loop, first come, first served. A rate limit that one call met holds back the others too."""

    def __init__(self, at_once: int, pause: "_Pause | None" = None) -> None:
        self._turns = asyncio.Semaphore(at_once)
        self._pause = pause or _Pause()

    def within_turn(self) -> "Limiter":
        """For the tries of one who holds a turn: the same pauses, and turns of their own."""
        return Limiter(1, self._pause)

    def paused_s(self) -> float:
        """Seconds until the provider wants to be asked again; 0 for now."""
        return max(0.0, self._pause.until - time.monotonic())

    def pause(self, seconds: float) -> None:
        """No new turn begins for so long; a longer pause that runs already stays."""
        self._pause.until = max(self._pause.until, time.monotonic() + seconds)

    @asynccontextmanager
    async def turn(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> AsyncIterator[None]:
        """Wait for a turn and hold it."""
        async with self._turns:
            # Those that waited do not all come at the same moment.
            if (pause := self.paused_s()) > 0:
                await sleep(pause + _JITTER_S * random.random())  # noqa: S311  (spreads calls, hides nothing)
            yield


# A semaphore belongs to the event loop that first waits on it, and a notebook or a server has more than one.
_LIMITERS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Limiter]] = WeakKeyDictionary()


def limiter_for(address: str, at_once: int = AT_ONCE) -> Limiter:
    """The limiter of that address in the running loop, the same for all who ask there; the first one sets the number."""
    return _LIMITERS.setdefault(asyncio.get_running_loop(), {}).setdefault(address, Limiter(at_once))
