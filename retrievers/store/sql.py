"""Reads the statements that lie as files in retrievers/sql.

Used by everything that talks to the database.
"""

from functools import cache
from importlib.resources import files


@cache
def statement(name: str) -> str:
    """The text of retrievers/sql/`name`; values reach it as parameters alone, names through psycopg.sql.Identifier."""
    return files("retrievers").joinpath("sql", name).read_text("utf-8")
