"""Filters and readers: they hold inside each arm, before its limit, on every path, and nothing a caller writes reaches the SQL text."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from crowd import DIMS, crowd, unit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seeding import Text, seed

from retrievers.errors import InvalidArgument, UnknownCollection
from retrievers.hybrid import HybridSearch
from retrievers.providers.fakes import HashEmbedder
from retrievers.scope import Scope
from retrievers.store import search as store_search
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.types import Filters

JANUARY, JUNE = datetime(2026, 1, 10, tzinfo=UTC), datetime(2026, 6, 10, tzinfo=UTC)
PAGES = [
    Text("old", "pump manual, first edition", metadata={"product": "pump", "year": 2024, "tags": ["manual", "pdf"]}, modified=JANUARY),
    Text(
        "new", "pump manual, second edition", metadata={"product": "pump", "year": 2026, "tags": ["manual"], "draft": True}, modified=JUNE
    ),
    Text("valve", "valve manual", metadata={"product": "valve", "url": "https://example.org/valve"}, modified=JUNE),
    Text("undated", "pump note"),
]
MODES = ("hybrid", "lexical", "vector")


async def sources(search, query="pump manual note", **given):
    return {passage["document"] for passage in (await search.search(query, k=200, **given))["passages"]}


def where(**metadata):
    return Filters(tuple(metadata.items()))


@pytest.mark.rule("pg-meta")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (where(product="pump"), {"old", "new"}),
        (where(product="pump", year="2026"), {"new"}),
        (where(draft="true"), {"new"}),
        (where(tags="pdf"), {"old"}),
        (Filters((("tags", "manual"), ("tags", "pdf"))), {"old"}),
        (where(product="pum"), set()),
        (where(nothing="pump"), set()),
        (Filters(since=JUNE), {"new", "valve"}),
        (Filters(until=JUNE), {"old"}),
        (Filters(since=JANUARY, until=JUNE + timedelta(seconds=1)), {"old", "new", "valve"}),
        (Filters((("product", "pump"),), since=JUNE), {"new"}),
    ],
)
async def test_a_filter_keeps_what_meets_it(database, scope, search, mode, filters, expected):
    """pg-meta: text, number and truth values compare as text, a list by membership; all conditions hold; no date fails both bounds."""
    await seed(database, scope, PAGES)
    assert await sources(search, mode=mode, filters=filters) == expected


@pytest.mark.rule("F8", "S15")
@pytest.mark.parametrize(
    "text", ["author' = 'a' OR '1'='1' --", "x'); DROP", "english'; --", "%s", "%(tid)s", "{vectors}", "\\", '"', "$1", "[0]"]
)
async def test_a_hostile_key_or_value_is_only_text(database, scope, search, text):
    """F8, S15: keys and values are bound; each matches only the document that really has it."""
    hostile = Text("hostile", "pump of another kind", metadata={text: text})
    await seed(database, scope, [*PAGES, hostile])
    assert await sources(search, filters=Filters(((text, text),))) == {"hostile"}
    assert await sources(search, filters=Filters(((text, "pump"),))) == set()
    assert await sources(search, filters=Filters((("product", text),))) == set()


@pytest.mark.rule("F8")
@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
async def test_a_character_that_cannot_be_stored_is_refused(database, scope, search, text):
    """F8: a NUL or a lone surrogate in a filter is an error that names it, not an error of the database."""
    await seed(database, scope, PAGES)
    with pytest.raises(InvalidArgument, match="filter"):
        await search.search("pump", filters=Filters(((text, "x"),)))


@pytest.mark.rule("S15")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=40), st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12))
async def test_no_query_and_no_filter_is_an_sql_error(search, database, scope, query, part):
    """S15: whatever is typed comes back as passages, or as none."""
    await seed(database, scope, PAGES)
    for mode in MODES:
        await search.search(query, mode=mode)
    try:
        await search.search("pump", filters=Filters(((part, part),)))
    except InvalidArgument:
        assert "\r" in part or any(char in part for char in "\x0b\x0c\x85\u2028\u2029\ufeff")


@pytest.mark.rule("F9", "S2")
@pytest.mark.parametrize("mode", MODES)
async def test_a_reader_finds_only_what_is_readable(database, scope, search, embedder, mode, tenant):
    """F9, S2: on every path a member sees public, tenant, and the documents of its groups and itself; the operator sees all."""
    pages = [Text(reader, f"pump for {reader}", readers=(reader,)) for reader in ("public", "tenant", "group:sales", "user:ann")]
    await seed(database, scope, pages)
    cache = EmbeddingCache(database)
    seen = {
        "ann": HybridSearch(database, embedder, cache, Scope.member(tenant, user="ann")),
        "bob": HybridSearch(database, embedder, cache, Scope.member(tenant, user="bob", groups=("sales",))),
        "guest": HybridSearch(database, embedder, cache, Scope(tenant, ("public",))),
        "nobody": HybridSearch(database, embedder, cache, Scope(tenant, ())),
    }
    assert await sources(search, "pump", mode=mode) == {"public", "tenant", "group:sales", "user:ann"}
    assert {name: await sources(one, "pump", mode=mode) for name, one in seen.items()} == {
        "ann": {"public", "tenant", "user:ann"},
        "bob": {"public", "tenant", "group:sales"},
        "guest": {"public"},
        "nobody": set(),
    }


@pytest.mark.rule("F9", "S1")
async def test_another_tenants_text_is_never_found(database, scope, search, embedder):
    """F9, S1: the same text under two tenants; no mode, filter or hint brings the other's."""
    other = Scope.operator(f"{scope.tenant}-other")
    await seed(database, scope, [Text("mine", "pump canary", title="Mine")])
    await seed(database, other, [Text("theirs", "pump canary", title="Theirs"), Text("secret", "pump canary secret", title="Secret")])
    for mode in MODES:
        assert await sources(search, "pump canary secret", mode=mode) == {"mine"}
    hints = await search.hints("pump canary secret")
    assert hints["headings"] == ["Mine"]
    assert {word["word"]: word["df"] for word in hints["words"]} == {"secret": 0, "canari": 1, "pump": 1}


@pytest.mark.rule("F9", "S3")
async def test_a_foreign_collection_is_as_unknown_as_one_that_is_not_there(database, scope, search):
    """S3, F9: one error text for both, never an empty result."""
    await seed(database, Scope.operator(f"{scope.tenant}-other"), PAGES, collection="plans")
    texts = []
    for name in ("plans", "nowhere"):
        with pytest.raises(UnknownCollection) as caught:
            await search.search("pump", collection=name)
        texts.append(str(caught.value).replace(name, "NAME"))
    assert texts[0] == texts[1]


@pytest.mark.rule("pg-meta")
async def test_a_text_with_two_sources_shows_the_first_that_passes(database, scope, search, embedder, tenant):
    """pg-meta: one stored text, two documents; the filter and the reader choose which of them is shown."""
    twins = [
        Text("first", "pump manual", metadata={"lang": "en"}, readers=("group:sales",)),
        Text("second", "pump manual", metadata={"lang": "de"}, readers=("tenant",)),
    ]
    await seed(database, scope, twins)
    member = HybridSearch(database, embedder, EmbeddingCache(database), Scope.member(tenant))
    assert await sources(search, "pump") == {"first"}
    assert await sources(search, "pump", filters=where(lang="de")) == {"second"}
    assert await sources(member, "pump") == {"second"}
    assert await sources(member, "pump", filters=where(lang="en")) == set()


async def test_an_address_is_shown_from_the_metadata_or_the_source(database, scope, search):
    web = Text("https://example.org/pump", "pump page")
    await seed(database, scope, [*PAGES, web])
    found = await search.search("pump valve page", k=200)
    assert {passage["document"]: passage["url"] for passage in found["passages"]} == {
        "valve": "https://example.org/valve",
        "https://example.org/pump": "https://example.org/pump",
        "old": None,
        "new": None,
        "undated": None,
    }


class Fixed(HashEmbedder):
    """Gives every query the same vector."""

    def __init__(self, vector):
        super().__init__(DIMS)
        self._vector = vector

    async def embed_query(self, text):
        return self._vector


@pytest.fixture(scope="module")
def far_rows():
    """10,020 unit vectors near one direction, but 20 of them on the other side; and that direction."""
    rng = np.random.default_rng(7)
    direction = unit(rng.normal(size=DIMS))
    rows = unit(direction + 0.4 * unit(rng.normal(size=(10_020, DIMS))))
    rows[10_000:] = unit(-direction + 0.4 * unit(rng.normal(size=(20, DIMS))))
    return rows, direction


@pytest.fixture
async def crowded(database, far_rows):
    """The crowd, stored once for the module: rows 10,000 and up are the far ones."""
    rows, direction = far_rows
    scope = Scope.operator("crowded")
    search = HybridSearch(database, Fixed(direction), EmbeddingCache(database), scope)
    if not (await search.search("row", k=1))["passages"]:
        marks = [
            {"side": "far" if number >= 10_000 else "near", "half": str(number % 2), "pct": str(number % 100)}
            for number in range(len(rows))
        ]
        await crowd(database, scope, rows, marks)
    return search


def best(rows, direction, chosen, k):
    """The k nearest of the chosen rows, exactly, in the half precision they are stored in."""
    stored = rows.astype(np.float16).astype(np.float64)
    cosine = stored @ direction / np.linalg.norm(stored, axis=1)
    return [f"row-{number}" for number in sorted(chosen, key=lambda number: (-cosine[number], number))[:k]]


@pytest.mark.rule("F7", "T9", "S6")
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("side", "chosen"),
    [({"side": "far"}, range(10_000, 10_020)), ({"pct": "3"}, range(3, 10_020, 100)), ({"half": "1"}, range(1, 10_020, 2))],
)
async def test_a_filter_never_costs_rows(crowded, far_rows, monkeypatch, exact, side, chosen):
    """F7, T9, S6: with 0.2, 1 or 50 % of the rows left, k rows come where k exist, recall at least .95, exactly and by the index."""
    if not exact:
        monkeypatch.setattr(store_search, "EXACT_ROWS", 0)
        monkeypatch.setattr(store_search, "EXACT_FILTERED", 0)
    for k in (1, 10, 20, 200):
        found = await crowded.search("row", k=k, mode="vector", filters=where(**side))
        expected = best(*far_rows, chosen, k)
        got = [passage["document"] for passage in found["passages"]]
        assert len(got) == min(k, len(chosen))
        assert len(set(got) & set(expected)) >= 0.95 * len(expected)
        cosines = [passage["scores"]["cosine"] for passage in found["passages"]]
        assert cosines == sorted(cosines, reverse=True)


@pytest.mark.rule("T9", "pg-hybrid")
async def test_the_lexical_arm_filters_before_its_limit(crowded):
    """T9, pg-hybrid: every row scores alike by words, so that a filter after the limit would leave none of the far ones."""
    for mode in ("lexical", "hybrid"):
        found = await crowded.search("row", k=20, mode=mode, filters=where(side="far"))
        assert {passage["document"] for passage in found["passages"]} == {f"row-{number}" for number in range(10_000, 10_020)}


@pytest.mark.rule("F7", "S6")
async def test_a_small_tenant_in_a_large_index_gets_its_rows(database, crowded, far_rows):
    """F7, S6: 10,000 rows of one tenant near the query, 20 of another far from it; the other finds its 20."""
    rows, direction = far_rows
    scope = Scope.operator("small")
    search = HybridSearch(database, Fixed(direction), EmbeddingCache(database), scope)
    if not (await search.search("row", k=1))["passages"]:
        await crowd(database, scope, rows[10_000:], [{}] * 20)
    found = await search.search("row", k=10, mode="vector")
    assert [passage["document"] for passage in found["passages"]] == [
        f"row-{int(name.removeprefix('row-')) - 10_000}" for name in best(rows, direction, range(10_000, 10_020), 10)
    ]


@pytest.mark.rule("F7")
async def test_an_unfiltered_search_through_the_index_finds_the_nearest(crowded, far_rows, monkeypatch):
    """F7: above the exact limit the index answers, re-sorted, with recall of at least .95 at any k."""
    monkeypatch.setattr(store_search, "EXACT_ROWS", 0)
    monkeypatch.setattr(store_search, "EXACT_FILTERED", 0)
    for k in (1, 10, 200):
        found = await crowded.search("row", k=k, mode="vector")
        expected = best(*far_rows, range(10_020), k)
        assert len(found["passages"]) == k
        assert len({passage["document"] for passage in found["passages"]} & set(expected)) >= 0.95 * k
