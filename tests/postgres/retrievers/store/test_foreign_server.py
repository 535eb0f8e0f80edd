"""A server that somebody else runs: Debian's PostgreSQL 15, which has no pgvector, and servers that are too old."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from retrievers.errors import DatabaseUnsupported
from retrievers.store.database import Database
from retrievers.store.server_user import server_user

_DEBIAN = Path("/usr/lib/postgresql/15/bin")

pytestmark = pytest.mark.skipif(not (_DEBIAN / "initdb").exists(), reason="needs Debian's package postgresql-15")


@pytest.fixture(scope="module")
def debian_dsn() -> Iterator[str]:
    """A running PostgreSQL 15 as Debian packages it, on a socket in a folder of its own, with a password."""
    user = server_user()
    folder = Path(tempfile.mkdtemp(prefix="td15-"))
    user.own(folder)
    password = folder / "password"
    password.write_text("hunter2\n")
    password.chmod(0o600)
    user.own(password)
    code, said = user.run(
        [
            str(_DEBIAN / "initdb"),
            "-D",
            str(folder / "data"),
            "-U",
            "books",
            "-A",
            "scram-sha-256",
            f"--pwfile={password}",
            "-E",
            "UTF8",
            "-N",
        ],
        timeout_s=120,
    )
    assert code == 0, said
    log = os.open(folder / "log", os.O_CREAT | os.O_WRONLY, 0o600)
    command = [
        str(_DEBIAN / "postgres"),
        "-D",
        str(folder / "data"),
        "-k",
        str(folder),
        "-c",
        "listen_addresses=",
        "-c",
        "shared_buffers=16MB",
    ]
    server = user.spawn(command, output=log)
    os.close(log)
    yield make_conninfo(host=str(folder), user="books", password="hunter2", dbname="postgres")
    server.terminate()
    try:
        server.wait(30)
    except subprocess.TimeoutExpired:
        server.kill()
    shutil.rmtree(folder)


def wait_until_ready(dsn: str) -> None:
    for _ in range(300):
        try:
            psycopg.connect(dsn).close()
        except psycopg.OperationalError:
            continue
        return
    raise AssertionError("the server does not start")


async def test_a_server_without_pgvector_is_refused_with_what_to_install(debian_dsn: str, home: Path) -> None:
    wait_until_ready(debian_dsn)

    with pytest.raises(DatabaseUnsupported) as raised:
        await Database(debian_dsn, home=home).prepare()

    assert str(raised.value).startswith("the server (PostgreSQL '15.")
    assert "does not have the extension pgvector, and tadori needs 0.8 or later" in str(raised.value)
    assert "install it there (a package such as postgresql-15-pgvector), or unset TADORI_DATABASE_URL to use the embedded" in str(
        raised.value
    )
    assert "hunter2" not in str(raised.value)


async def test_nothing_is_made_on_a_server_that_is_refused(debian_dsn: str, home: Path) -> None:
    wait_until_ready(debian_dsn)
    with pytest.raises(DatabaseUnsupported):
        await Database(debian_dsn, home=home).prepare()

    with psycopg.connect(debian_dsn) as conn:
        schemas = conn.execute("select count(*) from pg_namespace where nspname = 'tadori'").fetchone()
        roles = conn.execute("select count(*) from pg_roles where rolname = 'tadori_app'").fetchone()
    assert (schemas, roles) == ((0,), (0,))
    assert not (home / "database").exists(), "no embedded database is started beside a server that was given"
