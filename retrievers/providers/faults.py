"""What goes wrong at a provider, in our words, and the one retry layer.

Used by every adapter of this folder; SDKs are told not to retry. How many calls a provider gets at once: limiting.py.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from retrievers.errors import ProviderError, ProviderRateLimited, ProviderRejected, ProviderUnavailable
from retrievers.providers.limiting import Limiter, limiter_for

T = TypeVar("T")

ATTEMPTS = 3
"""The first call and two more: a provider that fails three times within a minute is down."""

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 20.0
"""Waiting longer than this helps nobody who sits in front of an answer: the failure is reported instead."""

_DETAIL_CHARS = 200
_CREDENTIAL_STATUS = (401, 403)


def is_transient(exc: BaseException) -> bool:
    """Whether the same call may succeed later: refused, timed out, 429, 5xx. Nothing else is ever retried."""
    return isinstance(exc, ProviderError) and exc.transient


def from_status(who: str, status: int, detail: str, headers: Mapping[str, str] | None = None) -> ProviderError:
    """The error for an HTTP status that is not a success.

    The provider's own text is left out where it may repeat the key (401, 403).
    """
    if status in _CREDENTIAL_STATUS:
        return ProviderRejected(f"{who} refused the key ({status}): set one that it accepts", status=status)
    wait = retry_after_s(headers or {})
    said = f": {' '.join(detail.split())[:_DETAIL_CHARS]}" if detail.strip() else ""
    if status == 429:
        return ProviderRateLimited(f"{who} is over its rate limit (429){said}; try again later", retry_after_s=wait, status=status)
    if status in (408, 425) or status >= 500:
        return ProviderUnavailable(f"{who} failed ({status}){said}; try again later", retry_after_s=wait, status=status)
    return ProviderRejected(f"{who} rejected the request ({status}){said}", status=status)


def unreachable(who: str, exc: BaseException) -> ProviderUnavailable:
    """The error for a connection that could not be made or broke."""
    said = " ".join(str(exc).split())[:_DETAIL_CHARS] or type(exc).__name__
    return ProviderUnavailable(f"{who} cannot be reached ({said}): check its address and that it runs")


def late(who: str, timeout_s: float) -> ProviderUnavailable:
    """The error for a call that took too long."""
    return ProviderUnavailable(f"{who} did not answer within {round(timeout_s, 2):g} s: try again later, or use a faster one")


def retry_after_s(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """Seconds to wait by `Retry-After`, a number or a date (RFC 9110, 10.2.3); None where it is absent or unreadable."""
    value = next((text for name, text in headers.items() if name.lower() == "retry-after"), "").strip()
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


async def retrying(
    who: str,
    call: Callable[[], Awaitable[T]],
    *,
    timeout_s: float,
    attempts: int = ATTEMPTS,
    limiter: Limiter | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> T:
    """The result of `call`, tried again while its failure is transient and `timeout_s` for all tries together lasts.

    Each try takes a turn of the `limiter`, by default the one of `who`; waiting for it is part of the time. Waits as long as the provider
    asks, else twice as long each time, with jitter so that many clients do not come back at once. Raises the last ProviderError; a call
    that outlives the time becomes ProviderUnavailable.
    """
    deadline, limiter = time.monotonic() + timeout_s, limiter or limiter_for(who)
    for attempt in range(1, attempts + 1):
        # Not where the time is over and there is no pause: that is late, not limited.
        if (paused := limiter.paused_s()) > max(0.0, deadline - time.monotonic()):
            raise ProviderRateLimited(f"{who} is over its rate limit (429) for another {paused:.0f} s; try again later", status=429)
        try:
            async with asyncio.timeout(deadline - time.monotonic()):
                async with limiter.turn(sleep):
                    return await call()
        except TimeoutError as exc:
            raise late(who, timeout_s) from exc
        except ProviderError as exc:
            wait = _wait_s(exc, attempt)
            if isinstance(exc, ProviderRateLimited) and exc.retry_after_s is not None:
                limiter.pause(exc.retry_after_s)
            if attempt == attempts or not exc.transient or wait > _LONGEST_WAIT_S or time.monotonic() + wait >= deadline:
                raise
            await sleep(wait)
    raise AssertionError("unreachable: the last attempt returns or raises")


def _wait_s(exc: ProviderError, attempt: int) -> float:
    jitter = random.random()  # noqa: S311  (spreads clients, hides nothing)
    if exc.retry_after_s is not None:
        return exc.retry_after_s + 0.1 * jitter
    return float(_FIRST_WAIT_S * 2 ** (attempt - 1) * (0.5 + jitter))
