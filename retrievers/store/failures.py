"""Turns what psycopg raises when the database is lost, late or full into our errors, once, and never shows a password.

Used by database.py around every connection and transaction.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import conninfo_to_dict

from retrievers.errors import ConfigurationError, DatabaseUnavailable, StorageError

_ADVICE = "check that it runs and that TADORI_DATABASE_URL leads to it"
_LOST = ("08", "57P", "53300", "28")  # connection exceptions, shutdowns, too many connections, refused logins


def parse_dsn(dsn: str) -> dict[str, str]:
    """The connection parameters; raises ConfigurationError, which does not repeat the text: a password may stand in it."""
    try:
        return {name: str(value) for name, value in conninfo_to_dict(dsn).items() if value is not None}
    except psycopg.ProgrammingError:
        raise ConfigurationError(
            "the database address is not understood: write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, "
            "with special characters in the password percent-encoded"
        ) from None


def describe_dsn(dsn: str) -> str:
    """Where a dsn leads, without its password: `postgresql://user@host:port/database`."""
    parts = parse_dsn(dsn)
    host = parts.get("host", "").rsplit("@", 1)[-1]  # an unescaped @ in a password ends up in the host
    port = f":{parts['port']}" if "port" in parts else ""
    user = f"{parts['user']}@" if "user" in parts else ""
    return f"postgresql://{user}{host}{port}/{parts.get('dbname', '')}"


def redact(text: str, dsn: str) -> str:
    """`text` without any secret of the dsn that a driver may have quoted."""
    parts = parse_dsn(dsn)
    host = parts.get("host", "")
    text = text.replace(host, host.rsplit("@", 1)[-1]) if "@" in host else text
    password = parts.get("password", "")
    return text.replace(password, "***") if password else text


def is_lost(exc: psycopg.OperationalError) -> bool:
    """Whether the connection is gone or could not be made, as opposed to a statement that failed on a living one."""
    return exc.sqlstate is None or exc.sqlstate.startswith(_LOST)


@contextmanager
def translated(where: str, dsn: str | None) -> Iterator[None]:
    """Raise DatabaseUnavailable for a lost connection or a statement that took too long, StorageError for a server out of means."""
    try:
        yield
    except psycopg.errors.QueryCanceled as exc:
        raise DatabaseUnavailable(f"{where} took too long and the statement was cancelled: try again, or look for what loads it") from exc
    except psycopg.OperationalError as exc:
        reason = exc.diag.message_primary or str(exc).strip().replace("\n", "; ")
        reason = redact(reason, dsn) if dsn else reason
        if is_lost(exc):
            raise DatabaseUnavailable(f"{where} cannot be reached: {reason}; {_ADVICE if dsn else 'try again'}") from exc
        raise StorageError(f"{where} could not do what was asked: {reason}; put that right and try again") from exc
