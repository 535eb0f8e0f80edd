"""Failures are named, and retried in one layer."""

import asyncio
from datetime import UTC, datetime

import pytest

from retrievers.errors import ProviderRateLimited, ProviderRejected, ProviderUnavailable
from retrievers.providers.faults import from_status, is_transient, retry_after_s, retrying


@pytest.mark.parametrize(
    ("status", "error", "transient"),
    [
        (400, ProviderRejected, False),
        (401, ProviderRejected, False),
        (403, ProviderRejected, False),
        (432, ProviderRejected, False),
        (408, ProviderUnavailable, True),
        (429, ProviderRateLimited, True),
        (500, ProviderUnavailable, True),
        (503, ProviderUnavailable, True),
    ],
)
def test_each_status_has_its_error_and_is_retried_only_where_that_helps(status, error, transient):
    exc = from_status("model", status, "detail")
    assert type(exc) is error
    assert is_transient(exc) is transient
    assert exc.status == status


def test_other_errors_are_never_retried():
    assert not is_transient(ValueError("x"))


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Mon, 30 Nov 2026 12:00:10 GMT", 10.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(value, seconds):
    assert retry_after_s({"Retry-After": value}, now=datetime(2026, 11, 30, 12, tzinfo=UTC)) == seconds


async def waits_of(*failures, timeout_s=60.0):
    """What `retrying` waited for, and how it ended, when the call fails like this and then succeeds."""
    waits: list[float] = []
    pending = list(failures)

    async def call():
        if pending:
            raise pending.pop(0)
        return "done"

    async def sleep(seconds):
        waits.append(seconds)

    try:
        return waits, await retrying("model", call, timeout_s=timeout_s, sleep=sleep)
    except ProviderUnavailable as exc:
        return waits, exc


@pytest.mark.rule("F27")
async def test_waits_double_with_jitter():
    """F27: no two clients come back at the same moment."""
    waits, result = await waits_of(ProviderUnavailable("a"), ProviderUnavailable("b"))
    assert result == "done"
    assert 0.25 <= waits[0] <= 0.75
    assert 0.5 <= waits[1] <= 1.5


@pytest.mark.rule("F27")
async def test_the_servers_own_wait_is_kept():
    """F27: Retry-After 2 means two seconds, not half of one."""
    waits, _ = await waits_of(ProviderUnavailable("a", retry_after_s=2.0))
    assert 2.0 <= waits[0] <= 2.1


async def test_three_failures_are_the_end():
    waits, result = await waits_of(*[ProviderUnavailable(name) for name in "abc"])
    assert len(waits) == 2
    assert str(result) == "c"


async def test_a_wait_beyond_the_time_is_not_begun():
    waits, result = await waits_of(ProviderUnavailable("a", retry_after_s=5.0), timeout_s=1.0)
    assert waits == []
    assert str(result) == "a"


@pytest.mark.rule("F27")
async def test_a_call_whose_time_is_over_before_it_begins_is_late_and_not_rate_limited():
    """F27: who waited for a turn until the end met no limit."""

    async def slow():
        await asyncio.sleep(5)

    with pytest.raises(ProviderUnavailable, match="did not answer within"):
        await retrying("a provider nobody asked", slow, timeout_s=-0.001)
