"""How PostgreSQL runs the statement at 10,000 chunks, as tadori_app with the policies on."""

import numpy as np
import pytest
from crowd import DIMS, crowd, unit
from plans import executed, scans

from retrievers.scope import Scope
from retrievers.store import search as store_search
from retrievers.store.collections import find_collection
from retrievers.types import Filters, VectorChoice

SCOPE = Scope.operator("planned")
ROWS = 10_050


@pytest.fixture
async def collection(database):
    """A crowd just above the exact limit, stored once for the session."""
    return await planned(database, SCOPE, "hnsw")


async def planned(database, scope, kind):
    rng = np.random.default_rng(3)
    rows = unit(rng.normal(size=(ROWS, DIMS)))
    marks = [{"pct": str(number % 100)} for number in range(ROWS)]
    found = await find_collection(database, scope, "default")
    return found or await crowd(database, scope, rows, marks, choice=VectorChoice(kind))


async def plan(database, collection, *, scope=SCOPE, mode="hybrid", filters=None, words=("row", "third")):
    """The nodes that were executed, flat."""
    vector = None if mode == "lexical" else unit(np.ones(DIMS))
    query = store_search.Query(words, vector, 10, mode, "absolute", filters=filters or Filters())
    return await executed(database, scope, collection, query)


@pytest.mark.rule("pg-schema", "pg-hybrid")
async def test_postings_are_read_from_the_index_alone(database, collection):
    """pg-schema, pg-hybrid: postings are read index-only, visiting no heap page, for the operator and for a member, filtered or not."""
    for scope in (SCOPE, Scope.member("planned")):
        for filters in (None, Filters((("pct", "3"),))):
            nodes = await plan(database, collection, scope=scope, filters=filters)
            read = [node for node in nodes if node.get("Relation Name") == "posting"]
            assert {(node["Node Type"], node["Index Name"]) for node in read} == {("Index Only Scan", "posting_pkey")}
            assert sum(node["Heap Fetches"] for node in read) == 0


@pytest.mark.rule("pg-index")
async def test_the_vector_index_is_used_above_the_exact_limit(database, collection):
    """pg-index: with more than 10,000 visible rows the nearest come from HNSW, and no scan compares them all."""
    nodes = await plan(database, collection, mode="vector")
    assert scans(nodes, "vector_").count(("Index Scan", f"vector_{collection.space}_hnsw")) == 1
    assert not [
        node for node in nodes if node["Node Type"] in ("Seq Scan", "Bitmap Heap Scan") and node["Relation Name"].startswith("vector_")
    ]


@pytest.mark.rule("pg-index")
@pytest.mark.parametrize(
    ("kind", "walked"),
    [("ivfflat", ("vector_{space}", "vector_{space}_ivfflat_401")), ("binary", ("vector_{space}_bits", "vector_{space}_hnsw"))],
)
async def test_the_index_of_another_kind_is_used_just_so(database, kind, walked):
    """pg-index: the lists of IVFFlat, and HNSW over the codes, whose shortlist is compared by key; no scan reads all vectors or codes."""
    scope = Scope.operator(f"planned-{kind}")
    collection = await planned(database, scope, kind)
    relation, index = (name.format(space=collection.space) for name in walked)
    nodes = await plan(database, collection, scope=scope, mode="vector")
    assert [node["Index Name"] for node in nodes if node.get("Relation Name") == relation].count(index) == 1
    assert {kind for kind, _ in scans(nodes, "vector_")} <= {"Index Scan", "Index Only Scan"}


@pytest.mark.rule("pg-index")
async def test_exact_search_compares_every_row(database):
    """pg-index: kind exact has no index to ask, whatever the limit says."""
    scope = Scope.operator("planned-exact")
    collection = await planned(database, scope, "exact")
    nodes = await plan(database, collection, scope=scope, mode="vector")
    read = [node for node in nodes if node.get("Relation Name") == f"vector_{collection.space}"]
    assert max(node["Actual Rows"] for node in read) == ROWS


@pytest.mark.rule("pg-index", "pg-meta")
async def test_a_narrow_filter_compares_its_rows_and_leaves_the_index_alone(database, collection):
    """pg-index, pg-meta: 100 rows that pass are compared one by one, fetched by key."""
    nodes = await plan(database, collection, mode="vector", filters=Filters((("pct", "3"),)))
    assert ("Index Scan", f"vector_{collection.space}_hnsw") not in scans(nodes, "vector_")


@pytest.mark.rule("pg-meta")
async def test_a_filter_goes_from_labels_to_chunks_by_indexes_alone(database, collection):
    """pg-meta: neither a document's metadata nor a chunk's row is read to know what passes; for a member as for the operator."""
    for scope in (SCOPE, Scope.member("planned")):
        nodes = await plan(database, collection, scope=scope, filters=Filters((("pct", "3"),)))
        assert ("Index Only Scan", "document_label_pkey") in scans(nodes, "document_label")
        assert max(node["Actual Rows"] for node in nodes if node.get("Relation Name") == "document") <= 1


@pytest.mark.rule("pg-index")
async def test_up_to_the_limit_every_row_is_compared(database, collection, monkeypatch):
    """pg-index: one row fewer than the limit, and the answer is exact."""
    monkeypatch.setattr(store_search, "EXACT_ROWS", ROWS)
    nodes = await plan(database, collection, mode="vector")
    assert ("Index Scan", f"vector_{collection.space}_hnsw") not in scans(nodes, "vector_")


async def test_an_arm_that_is_not_asked_for_is_not_run(database, collection):
    assert scans(await plan(database, collection, mode="lexical"), "vector_") == []
    assert scans(await plan(database, collection, mode="vector"), "posting") == []
