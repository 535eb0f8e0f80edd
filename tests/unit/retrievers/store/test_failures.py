"""What a user reads when the database fails: the place and the reason, never the password."""

import psycopg
import pytest

from retrievers.errors import ConfigurationError, DatabaseUnavailable, StorageError
from retrievers.store.failures import describe_dsn, parse_dsn, redact, translated


@pytest.mark.parametrize(
    ("dsn", "shown"),
    [
        ("postgresql://reader:hunter2@db.example.org:6432/books", "postgresql://reader@db.example.org:6432/books"),
        ("host=db.example.org user=reader password=hunter2 dbname=books", "postgresql://reader@db.example.org/books"),
        ("postgresql://db.example.org/books?user=reader&password=hunter2", "postgresql://reader@db.example.org/books"),
        ("postgresql:///books", "postgresql:///books"),
        ("postgresql://reader:hunt@er2@db.example.org/books", "postgresql://reader@db.example.org/books"),
    ],
)
def test_an_address_is_shown_without_its_password(dsn: str, shown: str) -> None:
    assert describe_dsn(dsn) == shown


@pytest.mark.parametrize("dsn", ["postgresql://reader:hunter2@[books", "host=db password=hunter2 nonsense", "hunter2"])
def test_an_address_that_cannot_be_read_is_refused_and_not_repeated(dsn: str) -> None:
    with pytest.raises(ConfigurationError, match="write postgresql://USER:PASSWORD@HOST:PORT/DATABASE") as raised:
        parse_dsn(dsn)
    assert "hunter2" not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


def test_what_a_driver_quotes_is_cleaned() -> None:
    dsn = "postgresql://reader:hunter2@db.example.org/books"
    split = "postgresql://reader:hunt@er2@db.example.org/books"

    assert redact("connection with hunter2 failed", dsn) == "connection with *** failed"
    assert redact('could not translate host name "er2@db.example.org"', split) == 'could not translate host name "db.example.org"'


def failing(error: psycopg.Error) -> None:
    with translated("the database 'books'", None):
        raise error


def test_a_lost_connection_a_slow_statement_and_a_full_disk_are_told_apart() -> None:
    with pytest.raises(DatabaseUnavailable, match="the database 'books' cannot be reached: the connection is lost; try again"):
        failing(psycopg.OperationalError("the connection is lost"))
    with pytest.raises(DatabaseUnavailable, match="cannot be reached: going down"):
        failing(psycopg.errors.AdminShutdown("going down"))
    with pytest.raises(DatabaseUnavailable, match="took too long and the statement was cancelled"):
        failing(psycopg.errors.QueryCanceled("canceling statement due to statement timeout"))
    with pytest.raises(StorageError, match="could not do what was asked: No space left on device; put that right") as raised:
        failing(psycopg.errors.DiskFull("No space left on device"))
    assert not isinstance(raised.value, DatabaseUnavailable)


def test_mistakes_in_our_own_sql_are_not_hidden() -> None:
    with pytest.raises(psycopg.errors.UndefinedColumn):
        failing(psycopg.errors.UndefinedColumn("no such column"))
