"""The audit: silent over what the store made, and by name over every kind of damage."""

import pytest
from drafting import draft, make_collection, rows
from graphing import Told, build, named

from retrievers.errors import StorageError
from retrievers.scope import Scope
from retrievers.store.audit import audit
from retrievers.store.documents import DocumentStore

DAMAGE = [
    ("update tadori.term set df = df + 1 where word = 'pear'", ["word 'pear': 3 chunks are counted, 2 hold it"]),
    ("update tadori.collection set token_count = 0", ["collection: 2 chunks of 0 words are counted, there are 2 of 6"]),
    ("update tadori.collection set chunk_count = 9", ["collection: 9 chunks of 6 words are counted, there are 2 of 6"]),
    ("update tadori.posting set tf = 5 where tf = 2", ["its length is 4, its postings count 7 words"]),
    ("update tadori.posting set dl = 3 where dl = 2", ["its length is 2, its postings say 3 to 3"]),
    ("update tadori.chunk set terms = terms[2:] where ordinal = 0", ["its list of words is not that of its postings"]),
    ("update tadori.chunk set body = 'forged' where ordinal = 0", ["its text is not what stands at 0 to 21"]),
    ("delete from tadori.{vectors} where chunk = (select min(chunk) from tadori.chunk)", ["it has no vector"]),
    ("update tadori.document set content = null", ["its hash is", "no document has it"]),
    (
        "insert into tadori.term (tid, coll, word, df) select tid, coll, 'unused', 0 from tadori.collection",
        ["word 'unused': it is kept although"],
    ),
    (
        "insert into tadori.posting select tid, coll, term, 0, 1, 4, audience from tadori.posting where tf = 2",
        ["there is no such chunk", "word 'red'"],
    ),
    (
        "insert into tadori.posting select tid, coll, 0, chunk, 1, 4, audience from tadori.posting where tf = 2",
        ["there is no such word", "list of words", "count 5"],
    ),
    (
        "update tadori.chunk set words = words[2:] where ordinal = 0",
        ["its words in order are not its list of words, or 3 where its length is 4"],
    ),
    ("update tadori.chunk set words = words[1:3] || words[3] where ordinal = 0", ["its words in order are not its list of words"]),
    ("delete from tadori.{windows} where place = 0", ["it has 1 windows, and the last is number 1"]),
    ("update tadori.{windows} set place = place + 4", ["it has 2 windows, and the last is number 5"]),
    ("update tadori.{windows} set coll = coll + 1", ["its windows have collections {"]),
    ("delete from tadori.document_label", ["document 'a.txt': its labels are not those of its metadata"]),
    ("update tadori.document_label set label = label + 1", ["document 'a.txt': its labels are not those of its metadata"]),
    ("update tadori.mention set coll = coll + 1", ["its mentions have collection", "is not among its mentions"]),
    ("delete from tadori.mention where key = 'red'", ["something is said of 'red', which is not among its mentions"]),
    ("delete from tadori.extraction", ["it has mentions, but nobody has read it"]),
    ("update tadori.extraction set title = 'Plums'", ["it was read under the title 'Plums', and has ''"]),
]
METADATA = {"year": 2026, "shelf": ["fruit", "stone fruit"]}


@pytest.fixture
async def collection(database, scope):
    made = await make_collection(database, scope)
    await DocumentStore(database).put(
        scope, made, [draft("a.txt", "red apples, red pears", "green pears", windowed=True, metadata=METADATA)]
    )
    said = named("red", "pears", relations=[("red", "colours", "pears")], aliases=[("red", "pears")])
    await build(database, scope, made, Told({"red apples, red pears": said}))
    return made


def _named(damage, space):
    return damage.format(vectors=f"vector_{space}", windows=f"vector_{space}_windows")


async def test_what_the_store_made_is_sound(database, scope, collection):
    assert await audit(database, scope, collection) == []


@pytest.mark.rule("R8", "R12")
@pytest.mark.parametrize(("damage", "named"), DAMAGE)
async def test_damage_is_named(database, scope, collection, damage, named):
    """R8, R12: an audit that could not fail would show nothing."""
    await rows(database, scope, _named(damage, collection.space) + " returning 1")
    differences = await audit(database, scope, collection)
    for part in named:
        assert any(part in difference for difference in differences), differences


@pytest.mark.rule("S2")
@pytest.mark.parametrize(
    ("table", "named"),
    [
        ("content", ["its readers are {public}, those of its documents together {tenant}", "its text"]),
        ("document", ["its readers are {tenant}, those of its documents together {public}"]),
        ("chunk", ["its text", "its vector has collection"]),
        ("posting", ["its postings"]),
        ("vector", ["its vector has collection"]),
        ("windows", ["its windows have collections"]),
        ("mention", ["its mentions have collection"]),
        ("relation", ["its relations have collection"]),
        ("alias", ["its aliases have collection"]),
        ("extraction", ["its extractions have collection"]),
        ("document_label", ["its labels are not those of its metadata and its readers"]),
    ],
)
async def test_an_audience_that_differs_in_one_arm_is_named(database, scope, collection, table, named):
    """S2: a revoked reader left in a single arm would still find the text there."""
    await rows(database, scope, "insert into tadori.audience (tid, readers) values (%s, '{public}') returning 1", collection.tid)
    name = {"vector": f"vector_{collection.space}", "windows": f"vector_{collection.space}_windows"}.get(table, table)
    change = f"update tadori.{name} set audience = (select audience from tadori.audience where readers = '{{public}}') returning 1"
    await rows(database, scope, change)
    differences = await audit(database, scope, collection)
    for part in named:
        assert any(part in difference for difference in differences), differences


@pytest.mark.rule("R12")
async def test_windows_of_another_collections_chunk_are_named(database, scope, collection):
    """R12: the foreign key holds windows to a chunk, and to nothing of ours."""
    other = await make_collection(database, scope, "other")
    await DocumentStore(database).put(scope, other, [draft("b.txt", "blue plums, blue grapes", windowed=True)])
    await rows(database, scope, f"update tadori.vector_{other.space}_windows set coll = {collection.coll} returning 1")
    differences = await audit(database, scope, collection)
    assert len(differences) == 1
    assert differences[0].startswith("windows of chunk number ")


async def test_only_the_operator_audits(database, scope, collection):
    with pytest.raises(StorageError, match="operator alone"):
        await audit(database, Scope.member(scope.tenant), collection)
