"""Which servers are refused, and what their administrators are told."""

from dataclasses import replace

import pytest

from retrievers.errors import DatabaseUnsupported
from retrievers.store.server import ServerFacts, check_versions, role_sql

_FIT = ServerFacts(
    server_version="16.4",
    server_version_num=160004,
    vector_installed="0.8.0",
    vector_available="0.8.0",
    vector_schema="public",
    vector_usable=True,
    login="books",
    app_role_exists=True,
    app_role_unsafe=False,
)


@pytest.mark.parametrize(("version", "number"), [("15.0", 150000), ("16.4", 160004), ("18.6", 180006)])
def test_postgresql_15_and_later_is_taken(version: str, number: int) -> None:
    check_versions(replace(_FIT, server_version=version, server_version_num=number))


def test_postgresql_14_is_refused() -> None:
    with pytest.raises(DatabaseUnsupported, match=r"the server is PostgreSQL '14\.13', and tadori needs 15 or later: upgrade it"):
        check_versions(replace(_FIT, server_version="14.13", server_version_num=140013))


@pytest.mark.parametrize("version", ["0.8.0", "0.8", "0.10.1", "1.0"])
def test_pgvector_0_8_and_later_is_taken(version: str) -> None:
    check_versions(replace(_FIT, vector_installed=version))


@pytest.mark.parametrize(
    ("installed", "available", "advice"),
    [
        ("0.7.4", "0.7.4", "upgrade it there (a package such as postgresql-16-pgvector)"),
        (None, "0.5.0", "upgrade it there (a package such as postgresql-16-pgvector)"),
        ("0.7.4", "0.8.1", "run `alter extension vector update` in it"),
        (None, None, "install it there (a package such as postgresql-16-pgvector)"),
    ],
)
def test_an_old_or_missing_pgvector_is_refused_with_the_way_out(installed: str | None, available: str | None, advice: str) -> None:
    with pytest.raises(DatabaseUnsupported) as raised:
        check_versions(replace(_FIT, vector_installed=installed, vector_available=available))

    assert advice in str(raised.value)
    assert "or unset TADORI_DATABASE_URL to use the embedded database" in str(raised.value)


def test_the_grant_is_written_for_the_servers_version_and_any_login() -> None:
    assert role_sql("books", 150004) == 'grant tadori_app to "books"'
    assert role_sql('a"b', 160000) == 'grant tadori_app to "a""b" with set true'
