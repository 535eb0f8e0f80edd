"""A real redis-server on a socket of its own, where Debian's package is installed."""

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest


class RedisServer:
    """Runs while the `with` block does; keeps nothing on disk. `stop` ends it early, `password` is asked of clients."""

    def __init__(self, password: str | None = None) -> None:
        program = shutil.which("redis-server")
        if program is None:
            pytest.skip("redis-server is not installed (Debian: redis-server)")
        self._folder = Path(tempfile.mkdtemp(prefix="rd-"))
        self.socket = self._folder / "s"
        secret = ["--requirepass", password] if password else []
        self._command = [program, "--port", "0", "--unixsocket", str(self.socket), "--save", "", "--appendonly", "no", *secret]
        self.url = f"unix://{self.socket}" if password is None else f"unix://:{password}@{self.socket}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen([*self._command, "--dir", str(self._folder)], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while not self.socket.exists():
            assert time.monotonic() < deadline, "redis-server did not start"
            time.sleep(0.02)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(20)
            self._process = None
        self.socket.unlink(missing_ok=True)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)
