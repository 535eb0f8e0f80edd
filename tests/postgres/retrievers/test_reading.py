"""Reading stored passages by id: their order, their neighbours, what stands around them, and who may."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ingesting import ingestion, statuses, write
from seeding import Text, seed

from retrievers.errors import InvalidArgument, UnknownCollection
from retrievers.passages import part_ids
from retrievers.reading import StoreReader
from retrievers.scope import Scope
from retrievers.types import Filters

GUIDE = """# Pump guide

The guide is for the crew.

## Seals

Replace the seal every year.

### Grease

Use lithium grease.

### Torque

Tighten to 12 Nm.

## Motor

Oil the motor.
"""


@pytest.fixture
def reader(database, scope, embedder):
    return StoreReader(database, embedder, scope)


@pytest.fixture
async def guide(database, scope, search, tmp_path):
    """The ids of the guide's five chunks, in order."""
    await ingest(database, scope, tmp_path, GUIDE)
    return await ids_of(search)


async def ingest(database, scope, folder, text, readers=("tenant",)):
    report = await ingestion(database).ingest(scope, "default", [write(folder, {"guide.md": text})], readers=readers)
    assert statuses(report) == {"guide.md": "added"}


async def ids_of(search):
    found = await search.search("crew seal grease torque motor", k=200)
    return [passage["id"] for passage in sorted(found["passages"], key=lambda passage: passage["start"])]


@pytest.mark.rule("disclosure")
async def test_passages_come_in_the_order_of_their_ids_each_once(reader, guide):
    """disclosure: the full layer, by ids, order kept; an unknown id is named."""
    found = await reader.read([guide[2], "nothing", guide[0], guide[2]])
    assert [passage["text"] for passage in found["passages"]] == ["Use lithium grease.", "The guide is for the crew."]
    assert found["unknown"] == ["nothing"]
    best = found["passages"][0]
    assert (best["document"], best["title"], best["heading_path"]) == ("guide.md", "Pump guide", ["Seals", "Grease"])
    assert GUIDE[best["start"] : best["end"]] == "Use lithium grease."


@pytest.mark.rule("disclosure")
async def test_neighbours_come_in_the_order_of_the_document(reader, guide):
    """disclosure: the middle layer, three before and three after where there are so many."""
    assert [passage["id"] for passage in (await reader.neighbours(guide[2]))["passages"]] == guide
    assert [passage["id"] for passage in (await reader.neighbours(guide[0], before=3, after=1))["passages"]] == guide[:2]
    assert await reader.neighbours("nothing") == {"passages": [], "unknown": ["nothing"]}


@pytest.mark.rule("F9", "S1")
async def test_a_foreign_passage_is_as_unknown_as_one_that_never_was(database, reader, guide, tenant, embedder):
    """F9, S1: on every way of reading; the answer to another tenant's id is that to a made-up one."""
    foreign = StoreReader(database, embedder, Scope.operator(f"{tenant}-next-door"))
    await seed(database, Scope.operator(f"{tenant}-next-door"), [Text("own", "Their own text.")])
    assert await foreign.read([guide[0]]) == {"passages": [], "unknown": [guide[0]]}
    assert await foreign.neighbours(guide[0]) == {"passages": [], "unknown": [guide[0]]}


@pytest.mark.rule("F9", "S1", "S2")
async def test_widening_reads_nothing_that_the_reader_may_not_see(database, reader, guide, search, tenant, embedder):
    """F9, S1, S2: a passage of somebody else's comes back as it was given; the owner's grows."""
    hit = (await search.search("lithium grease", k=1))["passages"]
    for scope in (Scope.operator(f"{tenant}-next-door"), Scope(tenant, ("public",))):
        assert await StoreReader(database, embedder, scope).widen(hit, each=100, total=1000) == hit
    assert part_ids((await reader.widen(hit, each=100, total=1000))[0]) == guide[1:4]


@pytest.mark.rule("S2")
async def test_what_may_not_be_read_is_unknown(database, scope, search, tenant, embedder, tmp_path):
    """S2: the member of the group reads, the member without it is told what anyone is told of an unknown id."""
    await ingest(database, scope, tmp_path, GUIDE, readers=("group:crew",))
    (first, *_) = await ids_of(search)
    crew = StoreReader(database, embedder, Scope.member(tenant, groups=["crew"]))
    other = StoreReader(database, embedder, Scope.member(tenant, user="eve"))
    assert len((await crew.read([first]))["passages"]) == 1
    assert await other.read([first]) == {"passages": [], "unknown": [first]}
    assert (await other.neighbours(first))["unknown"] == [first]


@pytest.mark.rule("F9")
async def test_a_filter_holds_for_reading_too(database, scope, reader, search, tmp_path):
    """F9: a metadata filter is not lost on the way from the search to the passage."""
    await ingest(database, scope, tmp_path, f"---\nyear: 2019\n---\n{GUIDE}")
    (first, *_) = await ids_of(search)
    assert (await reader.read([first], filters=Filters((("year", "2019"),))))["unknown"] == []
    assert (await reader.read([first], filters=Filters((("year", "2026"),))))["unknown"] == [first]
    assert (await reader.neighbours(first, filters=Filters((("year", "2026"),))))["passages"] == []


@pytest.mark.rule("S3", "store-contract")
@pytest.mark.parametrize("name", ["plans", "x\0y", "'; drop table tadori.chunk; --", ""])
async def test_an_unknown_collection_is_an_error_and_not_an_unknown_passage(reader, guide, name):
    """S3, store-contract: unknown and foreign collections give the same error as a search does."""
    with pytest.raises(UnknownCollection):
        await reader.read([guide[0]], collection=name)
    with pytest.raises(UnknownCollection):
        await reader.neighbours(guide[0], collection=name)


async def test_a_fresh_tenant_knows_no_passage(reader):
    assert await reader.read(["anything"]) == {"passages": [], "unknown": ["anything"]}


@pytest.mark.parametrize(("given", "message"), [({"before": 11}, "before is 11"), ({"after": -1}, "after is -1")])
async def test_what_cannot_be_meant_is_refused(reader, given, message):
    with pytest.raises(InvalidArgument, match=message):
        await reader.neighbours("x", **given)
    with pytest.raises(InvalidArgument, match="51 ids"):
        await reader.read([str(number) for number in range(51)])


@pytest.mark.rule("S15")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ids=st.lists(st.text(max_size=30) | st.sampled_from(["%", "_", "{}", "null", "'", "\\", "\0", "\ud800", "a" * 5000]), max_size=5))
async def test_no_id_is_anything_but_unknown(database, scope, embedder, ids):
    """S15: whatever an id is made of, it reaches the statement as a value or not at all."""
    reader = StoreReader(database, embedder, scope)
    assert await reader.read(ids) == {"passages": [], "unknown": list(dict.fromkeys(ids))}


@pytest.mark.rule("core-context")
async def test_widening_is_one_statement_for_any_number_of_passages(database, reader, guide, search, monkeypatch):
    """core-context: a turn pays for its context once."""
    hits = (await search.search("crew seal grease torque motor", k=5))["passages"]
    opened = []
    real = database.transaction
    monkeypatch.setattr(database, "transaction", lambda scope: opened.append(scope) or real(scope))
    (whole,) = await reader.widen(hits, each=1000, total=6000)
    assert (len(hits), len(opened), part_ids(whole)) == (5, 1, guide)
    assert whole["text"] == GUIDE.removeprefix("# Pump guide\n\n").rstrip()


async def test_a_chunk_that_is_gone_by_now_is_handed_back_as_it_was(database, scope, reader, guide, search):
    hits = (await search.search("lithium grease", k=1))["passages"]
    gone = [{**hits[0], "id": "0" * 24}]
    assert await reader.widen(gone, each=100, total=1000) == gone
