"""Each kind of vector index: full results for every tenant at every limit, its index really used, its parts kept right through changes."""

import numpy as np
import pytest
from crowd import crowd, unit

from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store import indexing
from retrievers.store import search as store_search
from retrievers.store.collections import find_collection
from retrievers.store.search import Query, find_passages
from retrievers.types import VectorChoice

DIMS = 128
SPEC = HashEmbedder(DIMS).spec
KINDS = ("hnsw", "ivfflat", "binary", "exact")
SHARES = {"share-001": 1, "share-01": 10, "share-1": 100, "share-10": 1_000, "share-39": 3_869, "share-50": 5_000}
"""The tenants of a space of 10,000 rows, by percent: with the 20 rows of `far`."""
FAR = 20


@pytest.fixture(scope="module")
def rows():
    """Unit vectors as a model makes them: near one direction, in forty subjects; the 20 of `far` on the other side. And that direction."""
    rng = np.random.default_rng(11)
    direction = unit(rng.normal(size=DIMS))
    subjects = unit(direction + 0.6 * unit(rng.normal(size=(40, DIMS))))
    made = {
        name: unit(subjects[rng.integers(40, size=count)] + 0.5 * unit(rng.normal(size=(count, DIMS)))) for name, count in SHARES.items()
    }
    return made | {"far": unit(-direction + 0.4 * unit(rng.normal(size=(FAR, DIMS)))), "direction": direction}


@pytest.fixture
async def filled(database, rows, monkeypatch):
    """A function from a kind to its space's collections by tenant, stored once for the session, indexed however few rows there are."""

    async def fill(kind):
        monkeypatch.setattr(indexing, "FIRST_CHUNKS", 1)
        found = {}
        for name in ("far", *SHARES):
            scope = Scope.operator(f"{name}-{kind}")
            found[name] = await find_collection(database, scope, "default")
            if found[name] is None:
                count = len(rows[name])
                found[name] = await crowd(
                    database, scope, rows[name], [{}] * count, spec=SPEC, choice=VectorChoice(kind), settled=name == "share-50"
                )
        return found

    return fill


def ask_the_index(monkeypatch):
    monkeypatch.setattr(store_search, "EXACT_ROWS", 0)
    monkeypatch.setattr(store_search, "EXACT_FILTERED", 0)


async def ask(database, kind, name, collection, vector, k):
    """The documents and cosines that the tenant's member finds."""
    async with database.transaction(Scope.member(f"{name}-{kind}")) as conn:
        passages = await find_passages(conn, collection, Query((), vector, k, "vector", "absolute"))
    return [passage["document"] for passage in passages], [passage["scores"]["cosine"] for passage in passages]


def best(rows, vector, k):
    """The k nearest rows, exactly, in the half precision that they are stored in and the query is compared in."""
    stored, asked = rows.astype(np.float16).astype(np.float64), vector.astype(np.float16).astype(np.float64)
    cosine = stored @ asked / np.linalg.norm(stored, axis=1)
    return {f"row-{number}" for number in np.argsort(-cosine, kind="stable")[:k]}


@pytest.mark.rule("F7", "pg-index")
@pytest.mark.parametrize("kind", KINDS)
async def test_a_tenant_with_20_far_rows_of_10000_gets_them_at_any_limit(database, filled, rows, monkeypatch, kind):
    """F7, pg-index: every limit from 1 to 200 brings min(limit, 20) rows, the nearest ones; also where the index is asked."""
    collection = (await filled(kind))["far"]
    for asked, limits in (("as it is", range(1, 201)), ("by the index", (1, 2, 9, 10, 19, 20, 21, 100, 200))):
        if asked == "by the index":
            ask_the_index(monkeypatch)
        for k in limits:
            documents, cosines = await ask(database, kind, "far", collection, rows["direction"], k)
            expected = best(rows["far"], rows["direction"], k)
            assert len(documents) == min(k, FAR), (asked, k)
            assert len(expected & set(documents)) >= 0.95 * len(expected), (asked, k)
            assert cosines == sorted(cosines, reverse=True)


@pytest.mark.rule("S6", "pg-index")
@pytest.mark.parametrize("kind", KINDS)
async def test_a_tenant_of_any_share_gets_full_results(database, filled, rows, monkeypatch, kind):
    """S6, pg-index: from 50 to 0.01 % of the rows, min(k, visible) of them and recall of at least .95, with the index asked every time.

    Signs order the 200th of these made-up neighbours coarsely: .90 there, where the product would compare so few rows one by one.
    """
    collections = await filled(kind)
    ask_the_index(monkeypatch)
    rng = np.random.default_rng(12)
    for name, collection in collections.items():
        queries = unit(rows[name][rng.integers(len(rows[name]), size=8)] + 0.3 * unit(rng.normal(size=(8, DIMS))))
        for k in (1, 10, 50, 200):
            hits = expected_hits = 0
            for vector in queries[: 8 if k <= 10 else 4]:
                documents, _ = await ask(database, kind, name, collection, vector, k)
                expected = best(rows[name], vector, k)
                assert len(documents) == len(set(documents)) == min(k, len(rows[name])), (name, k)
                hits, expected_hits = hits + len(expected & set(documents)), expected_hits + len(expected)
            assert hits >= 0.95 * expected_hits, (name, k, hits / expected_hits)
