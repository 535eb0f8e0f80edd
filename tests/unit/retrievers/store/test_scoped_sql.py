"""No way to tenants' rows but Database.transaction, read from the source of the whole product."""

import ast
import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[4]
_SOURCES = sorted(path for floor in ("retrievers", "nodes", "graphs") for path in (_ROOT / floor).rglob("*.py"))

# Who opens connections: the transactions themselves, and two vendors' classes, which get the role and the tenant at login.
_CONNECTING = {"retrievers/store/database.py", "retrievers/store/pools.py", "retrievers/store/threads.py", "retrievers/pgvector_store.py"}
_OPENERS = {
    "connect",
    "AsyncConnectionPool",
    "ConnectionPool",
    "create_async_engine",
    "create_engine",
    "from_conn_string",
    "from_connection_string",
}
_DRIVERS = {"psycopg", "psycopg_pool", "AsyncConnection", "Connection", "PGEngine", "AsyncPostgresSaver"}

# Who works as the owner: definitions, looking at the catalogue, and `analyze`, which the role may not run.
_OWNING = {
    "retrievers/store/spaces.py",
    "retrievers/store/indexing.py",
    "retrievers/store/threads.py",
    "retrievers/store/health.py",
    "retrievers/store/statistics.py",
}
_OWNERS_TABLES = {"embedding_space", "migration"}
_DEFINITIONS = {"view_space.sql"}  # the text of a view that runs with the rights of whoever asks it
_LOGGING_IN = {"retrievers/store/threads.py", "retrievers/pgvector_store.py"}


def calls(path: Path) -> list[tuple[str, str]]:
    """Every call of a file as (what it is called on, its name)."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                found.append((ast.unparse(node.func.value), node.func.attr))
            elif isinstance(node.func, ast.Name):
                found.append(("", node.func.id))
            elif isinstance(node.func, ast.Subscript):
                found.append(("", ast.unparse(node.func.value)))
    return found


def files_that(*, on: set[str] | None, names: set[str]) -> set[str]:
    """The files with a call of one of the names, on one of the objects where that is given."""
    return {
        path.relative_to(_ROOT).as_posix()
        for path in _SOURCES
        for owner, name in calls(path)
        if name in names and (on is None or owner == "" or owner.split(".")[0].split("[")[0] in on)
    }


@pytest.mark.rule("S5")
def test_only_the_database_and_two_vendors_classes_open_connections() -> None:
    """S5: a connection that somebody opens by hand has no tenant, and would be the owner's."""
    assert files_that(on=_DRIVERS, names=_OPENERS) == _CONNECTING


@pytest.mark.rule("S5")
def test_only_definitions_are_made_as_the_owner() -> None:
    """S5: the owner passes no policy's test of tenant, so no module that reads or writes rows may borrow its connection."""
    assert files_that(on=None, names={"owner"}) == _OWNING
    assert files_that(on=None, names={"login"}) == _LOGGING_IN


@pytest.mark.rule("S5")
def test_no_statement_of_the_owner_touches_a_tenants_rows() -> None:
    """S5: whoever borrows the owner's connection names no table of tenants, `analyze` apart."""
    named = {(path, table) for path in sorted(_OWNING) for text in owners_texts(_ROOT / path) for table in tables_touched(text)}

    assert {table for _, table in named} == _OWNERS_TABLES


def owners_texts(path: Path) -> list[str]:
    """The SQL, files included, of the functions that borrow the owner's connection and of those of the module that they call."""
    functions = {
        node.name: node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    reached = {name for name, function in functions.items() if ".owner(" in ast.unparse(function)}
    while more := {called for name in reached for called in functions if f"{called}(" in ast.unparse(functions[name])} - reached:
        reached |= more
    owners = [functions[name] for name in reached if "db.transaction(" not in ast.unparse(functions[name])]
    return [sql_text(node.value) for function in owners for node in ast.walk(function) if is_text(node)]


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def sql_text(text: str) -> str:
    """The text itself, or that of the file that it names."""
    names_a_file = text.endswith(".sql") and text not in _DEFINITIONS
    return (_ROOT / "retrievers" / "sql" / text).read_text("utf-8") if names_a_file else text


def tables_touched(text: str) -> list[str]:
    return re.findall(r"\b(?:from|join|into|update)\s+(?:only\s+)?tadori\.(\w+)", text, re.IGNORECASE)


def test_the_reader_of_sources_sees_what_it_should() -> None:
    assert tables_touched("delete from tadori.chunk where x; insert into tadori.term (a) select 1 from tadori.content c") == [
        "chunk",
        "term",
        "content",
    ]
