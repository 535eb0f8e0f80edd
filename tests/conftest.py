"""What all tests share: one embedded server for the whole run, in a home of its own, and a fresh tenant for each test."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest

from retrievers.scope import Scope
from retrievers.store.database import Database
from retrievers.store.embedded import EmbeddedServer

_NUMBERS = count(1)


def short_home() -> Path:
    """A new folder that a system user may enter and whose path leaves room for a socket: pytest's own is closed to it as root."""
    folder = Path(tempfile.mkdtemp(prefix="td-"))
    folder.chmod(0o711)
    return folder


@pytest.fixture(scope="session")
def server_home() -> Iterator[Path]:
    """The home of the session's embedded server, which runs until the session ends."""
    home = short_home()
    yield home
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def server_dsn(server_home: Path) -> Iterator[str]:
    """The dsn of the session's embedded server, as its owner."""
    server = EmbeddedServer(server_home)
    yield server.start()
    server.stop()


@pytest.fixture
def home() -> Iterator[Path]:
    """A home of this test alone, without a server."""
    folder = short_home()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def database(server_home: Path, server_dsn: str) -> AsyncIterator[Database]:
    """The session's database, migrated."""
    db = Database(None, home=server_home)
    await db.prepare()
    yield db
    await db.close()


@pytest.fixture
def tenant() -> str:
    """A tenant that no other test has."""
    return f"t{next(_NUMBERS)}"


@pytest.fixture
def scope(tenant: str) -> Scope:
    """The operator of that tenant."""
    return Scope.operator(tenant)
