"""Locks on files: who may hold them together, and that the dead hold nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from retrievers.errors import DatabaseUnavailable
from retrievers.store.locks import FileLock

_HOLDER = """
import sys
from pathlib import Path
from retrievers.store.locks import FileLock
lock = FileLock(Path(sys.argv[1]))
print(lock.try_acquire(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.lock"


def test_a_shared_lock_is_held_by_many_and_shuts_out_the_one_who_wants_it_alone(path: Path) -> None:
    one, two, alone = FileLock(path), FileLock(path), FileLock(path)

    assert one.try_acquire(shared=True)
    assert two.try_acquire(shared=True)
    assert not alone.try_acquire()
    one.release()
    two.release()
    assert alone.try_acquire()


def test_whoever_waits_too_long_learns_which_lock_is_held(path: Path) -> None:
    holder = FileLock(path)
    holder.acquire(timeout_s=1)

    with pytest.raises(DatabaseUnavailable, match=r"has been starting or stopping the database for 0 s \(lock '.*some.lock'\)"):
        FileLock(path).acquire(timeout_s=0.05)


def test_a_killed_holder_holds_nothing(path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", _HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert not FileLock(path).try_acquire()
        holder.kill()

    assert FileLock(path).try_acquire()
