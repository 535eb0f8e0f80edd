"""Runs coroutines for callers that cannot await: one event loop in a thread of its own, for the life of the process.

Used by the synchronous entry points of the retriever and the tools; everything of ours is async underneath.
"""

import asyncio
from collections.abc import Coroutine
from functools import cache
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result, or its exception. Blocks the calling thread, so from a running event loop await the async entry instead.

    Always the same loop: the database keeps one pool for each loop, and a new loop for each call would open a pool for each call.
    """
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="tadori-blocking", daemon=True).start()
    return loop
