"""Words too common to look up: none below the threshold, said above it, and still counted in whatever is found."""

import logging

import bm25s
import pytest
from seeding import Text, seed

from retrievers.hybrid import HybridSearch
from retrievers.store.common_words import Budget, find_common
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.text.analysis import analyse, query_words
from retrievers.types import Filters

logging.getLogger("bm25s").setLevel(logging.WARNING)

RARE = {f"rare-{number}": f"Valve {number} of the server opens {'slowly ' * number}." for number in range(12)}
RARE["gasket"] = "The server room has a gasket, and the server is cooled by water from the cellar."
TEXTS = RARE | {f"common-{number}": f"server note {'water ' * (number % 3)}{number}" for number in range(40)}
NARROW = Budget(exact_chunks=10, postings=20)
"""Read in part from eleven chunks on, at most twenty postings."""


def reference(query):
    """BM25 by bm25s of every text, all words counted."""
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75, dtype="float64")
    index.index([analyse(text) for text in TEXTS.values()], show_progress=False)
    scores = 2.2 * index.get_scores([word for word in query_words(query) if word in index.vocab_dict])
    return dict(zip(TEXTS, map(float, scores), strict=True))


@pytest.fixture
async def collection(database, scope):
    texts = [Text(source, text, metadata={"half": str(number % 2)}) for number, (source, text) in enumerate(TEXTS.items())]
    return await seed(database, scope, texts)


@pytest.fixture
def searching(database, scope, embedder):
    return lambda budget: HybridSearch(database, embedder, EmbeddingCache(database), scope, budget=budget)


async def found(search, query, **given):
    result = await search.search(query, mode="lexical", **given)
    return {passage["document"]: passage["scores"]["bm25"] for passage in result["passages"]}, result["degraded"]


async def words_left_out(database, scope, collection, query, budget, least=1):
    async with database.transaction(scope) as conn:
        return [word.word for word in await find_common(conn, collection, query_words(query), least, budget)]


@pytest.mark.rule("lexical-query")
async def test_everything_is_read_up_to_the_threshold(database, scope, collection, searching):
    """lexical-query: 53 chunks are exact whatever the budget, and the shipped threshold is half a million."""
    assert await words_left_out(database, scope, collection, "server valve water", Budget(exact_chunks=53, postings=1)) == []
    assert await words_left_out(database, scope, collection, "server valve water", Budget(exact_chunks=52, postings=1)) == [
        "water",
        "server",
    ]
    assert Budget().exact_chunks == 500_000
    hits, degraded = await found(searching(Budget()), "server valve", k=200)
    assert hits == pytest.approx(reference("server valve"), abs=1e-5)
    assert degraded == []


@pytest.mark.rule("lexical-query")
async def test_the_commonest_words_are_left_out_but_never_all(database, scope, collection):
    """lexical-query: the rarest is always read, and more until there are candidates enough."""
    assert await words_left_out(database, scope, collection, "server", NARROW) == []
    assert await words_left_out(database, scope, collection, "server note", NARROW) == ["server"]
    assert await words_left_out(database, scope, collection, "server valve note", NARROW) == ["note", "server"]
    assert await words_left_out(database, scope, collection, "server valve note", NARROW, least=13) == ["server"]
    assert await words_left_out(database, scope, collection, "server unheard", NARROW) == []


@pytest.mark.rule("lexical-query", "T18")
async def test_a_word_left_out_counts_in_what_the_others_found(collection, searching):
    """lexical-query, T18: scores and order are those of bm25s over all words; the result names the word."""
    hits, degraded = await found(searching(NARROW), "server valve gasket", k=10)
    expected = reference("server valve gasket")
    assert list(hits) == sorted(expected, key=lambda source: -expected[source])[:10]
    assert hits == pytest.approx({source: expected[source] for source in hits}, abs=1e-5)
    assert degraded == [
        ("too many passages hold the words 'server' to look all of them up", "one that holds none of the other words may be missed")
    ]


@pytest.mark.rule("lexical-query", "core-hybrid")
async def test_a_word_left_out_counts_in_what_meaning_found(collection, searching):
    """lexical-query, core-hybrid: in mode hybrid every candidate of the vector arm has its whole BM25."""
    result = await searching(NARROW).search("server valve gasket", k=10)
    bm25 = {passage["document"]: passage["scores"]["bm25"] for passage in result["passages"]}
    expected = reference("server valve gasket")
    assert result["degraded"]
    assert bm25 == pytest.approx({source: expected[source] for source in bm25}, abs=1e-5)
    assert len(bm25) == 10


@pytest.mark.rule("lexical-query", "T9", "pg-meta")
async def test_under_a_narrow_filter_nothing_is_missed(collection, searching):
    """lexical-query, T9, pg-meta: all words are looked up in each chunk that passes, also where none holds a rare one."""
    expected = reference("server valve gasket")
    for half in "01":
        hits, degraded = await found(searching(NARROW), "server valve gasket", k=10, filters=Filters((("half", half),)))
        passing = [expected[source] for number, source in enumerate(TEXTS) if str(number % 2) == half]
        assert degraded
        assert list(hits.values()) == pytest.approx(sorted(passing, reverse=True)[:10], abs=1e-5)


@pytest.mark.rule("lexical-query")
async def test_hints_read_no_more_than_a_search(database, scope, searching):
    """lexical-query: headings come from the passages of rarer words; every word is counted."""
    titled = [Text(f"gate-{number}", f"valve server gate {number}", title="Valves") for number in range(25)]
    await seed(database, scope, [*titled, *(Text(f"rack-{number}", f"server rack {number}", title="Racks") for number in range(40))])
    hints = await searching(Budget(exact_chunks=10, postings=30)).hints("server valve")
    assert hints == {"words": [{"word": "valv", "df": 25}, {"word": "server", "df": 65}], "headings": ["Valves"]}
    assert (await searching(Budget()).hints("server"))["headings"] == ["Racks"]
