"""Real servers that fail are asked again at once here; the waits themselves are tested in tests/unit."""

import pytest

from retrievers.providers import faults


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr(faults, "_FIRST_WAIT_S", 0.01)
