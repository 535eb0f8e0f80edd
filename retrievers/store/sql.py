"""Reads the statements that lie as files in retrievers/sql.

Used by everything that talks to the database.
"""

from functools import cache
from importlib.resources import files
from typing import LiteralString, cast


@cache
def statement(name: str) -> LiteralString:
    """The text of retrievers/sql/`name`; it ships with the program, which is why it counts as literal."""
    return cast(LiteralString, files("retrievers").joinpath("sql", name).read_text("utf-8"))
