"""File locks that the kernel gives back when their holder dies, however it dies.

Used by embedded.py alone; nothing here knows of PostgreSQL.
"""

import fcntl
import os
import time
from pathlib import Path

from retrievers.errors import DatabaseUnavailable

_POLL_S = 0.02  # a lock is held for as long as a start or a stop takes, 0.1-2 s: shorter only burns time


class FileLock:
    """One hold on one lock file (flock): shared by many or exclusive to one; the file itself stays for good.

    The descriptor is not inherited unless it is passed on; a child that gets it holds the lock too, until both have closed it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None

    @property
    def fd(self) -> int:
        """The open descriptor, to pass on to a child; only while held."""
        assert self._fd is not None
        return self._fd

    @property
    def held(self) -> bool:
        return self._fd is not None

    def try_acquire(self, *, shared: bool = False) -> bool:
        """Take it if nobody's hold forbids that; False otherwise, at once."""
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        except BaseException:
            os.close(fd)
            raise
        self._fd = fd
        return True

    def acquire(self, *, timeout_s: float) -> None:
        """Take it alone, waiting at most `timeout_s`; raises DatabaseUnavailable."""
        deadline = time.monotonic() + timeout_s
        while not self.try_acquire():
            if time.monotonic() > deadline:
                raise DatabaseUnavailable(
                    f"another process has been starting or stopping the database for {timeout_s:.0f} s (lock {str(self._path)!r}): "
                    "wait for it, or end that process"
                )
            time.sleep(_POLL_S)

    def release(self) -> None:
        """Give it back; harmless when not held."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
