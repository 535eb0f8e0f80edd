"""Whatever is typed where a search takes text, it is only text: as SQL, tsquery, LIKE, regular expression, array, JSON or format."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seeding import Text, seed

from retrievers.errors import InvalidArgument, UnknownCollection
from retrievers.store.documents import DocumentStore
from retrievers.text.analysers import SUDACHI, analyser
from retrievers.text.clean import clean
from retrievers.types import Filters

WORDS = r"""
' " '' \ \' $$ $1 % %s %(tid)s %% _ { } {vectors} {} [ ] ( ) ; -- /* */ null & | ! :* <-> !! (?i) .* [[:alpha:]] \d ^ + ? {1,99999}
::int array[1] '{1,2}' {"a":1} 🦊 𠮷 ﾄﾙｸ ＸＲ－４２００ pump トルク 部署 검색 ราคา 0x80070005 --no-cache-dir 1e308
"""
SPACED = (" or 1=1", "union select", "drop table tadori.chunk", "a & b", "\n", "\t", "\r", "\x0b", "\x1b[31m", "\u2028")
UNSEEN = ("\u202e", "\ufeff", "\u3099", "\0", "\ud800")
PIECES = (*WORDS.split(), *SPACED, *UNSEEN)
"""What has a meaning somewhere between a keyboard and an index."""

hostile = st.lists(st.sampled_from(PIECES), max_size=6).map("".join) | st.text(st.characters(exclude_categories=()), max_size=30)
PAGES = [
    Text("pump", "pump with a torque of 12Nm, 部署, トルク", metadata={"product": "pump", "%s": "{}"}),
    Text("valve", "valve; drop table, ORA-00942", metadata={"'": '"'}),
]
FUZZED = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
async def stored(database, scope):
    await seed(database, scope, PAGES)


@pytest.mark.rule("S15", "F8")
@FUZZED
@given(hostile, hostile, hostile, st.sampled_from(["hybrid", "lexical", "vector"]), st.sampled_from(["absolute", "rrf", "weighted"]))
async def test_a_query_and_a_filter_are_only_text(stored, search, query, key, value, mode, fusion):
    """S15, F8: passages or none, and for a filter that no stored text can meet an error that says so."""
    found = await search.search(query, mode=mode, fusion=fusion)
    assert {passage["document"] for passage in found["passages"]} <= {"pump", "valve"}
    hints = await search.hints(query)
    assert all(word["df"] in (0, 1, 2) for word in hints["words"])
    filters = Filters(((key, value),))
    if any(clean(text).text != text for text in (key, value)):
        with pytest.raises(InvalidArgument, match="holds a character that no stored text has"):
            await search.search("pump valve", mode=mode, filters=filters)
        return
    filtered = await search.search("pump valve", mode=mode, filters=filters)
    assert {passage["document"] for passage in filtered["passages"]} == {page.source for page in PAGES if page.metadata.get(key) == value}


@pytest.mark.rule("S15", "S3")
@FUZZED
@given(hostile)
async def test_a_collections_name_is_only_text(stored, search, name):
    """S15, S3: one that does not exist is unknown, whatever it looks like."""
    if name != "default":
        with pytest.raises(UnknownCollection):
            await search.search("pump", collection=name)
        with pytest.raises(UnknownCollection):
            await search.hints("pump", collection=name)


@pytest.mark.rule("S15", "F8")
@FUZZED
@given(st.lists(hostile, min_size=1, max_size=4))
async def test_a_source_is_only_text(database, scope, search, names):
    """S15, F8: nothing is deleted but what is named, and asking for it is no error."""
    collection = await seed(database, scope, PAGES)
    store = DocumentStore(database)
    names = [name for name in names if name not in ("pump", "valve")]  # these are stored
    assert set(await store.states(scope, collection, names)) == set()
    assert (await store.delete(scope, collection, names)).deleted == 0
    assert await store.sources(scope, collection) == ["pump", "valve"]


@pytest.mark.rule("S15", "lexical-query")
@FUZZED
@given(hostile)
def test_every_analyser_takes_every_text(text):
    """S15, lexical-query: its words can be stored, and those of a query are among those of the same document."""
    full = analyser(SUDACHI)
    words = full.words(text)
    assert set(full.query_words(text)) <= set(words)
    for word in words:
        assert word.encode()
        assert "\0" not in word
        assert not any(char.isspace() for char in word)
