"""The walk over a stored graph: what it leads to, how that is told, and what it never shows."""

import pytest
from seeding import Text, seed

from retrievers.hybrid import HybridSearch
from retrievers.ingest.graph import GraphBuilder
from retrievers.knowledge import GraphSearch
from retrievers.providers.names_rules import RuleExtractor
from retrievers.scope import Scope
from retrievers.store.documents import DocumentStore
from retrievers.store.embedding_cache import EmbeddingCache
from retrievers.store.graph import GraphStore
from retrievers.types import Filters

QUESTION = "In which town was the director of The Salt Road born?"
FILM = Text("film", "The Salt Road is a slow film about a ferry. It was directed by Ada Fenn.", title="The Salt Road")
BORN = Text("life", "Ada Fenn was born in Oxmere and kept bees there.", title="Ada Fenn")
NOISE = [Text(f"note-{number}", f"Note {number}: a town.") for number in range(12)]


async def build(database, scope, collection):
    return await GraphBuilder(GraphStore(database), RuleExtractor()).build(scope, collection)


@pytest.fixture
def walking(database, scope, embedder):
    """The walk of the test's tenant, as its operator."""
    return GraphSearch(database, embedder, EmbeddingCache(database), scope)


@pytest.fixture
async def films(database, scope, embedder):
    """A collection whose question takes two of its documents."""
    collection = await seed(database, scope, [FILM, BORN, *NOISE])
    await build(database, scope, collection)
    return collection


def named(result, document):
    return next(passage for passage in result["passages"] if passage["document"] == document)


@pytest.mark.rule("kg")
async def test_the_walk_leads_from_the_film_to_its_director(walking, search, films):
    """kg: the second passage shares a name with the first, and few words with the question."""
    plain, walked = await search.search(QUESTION), await walking.search(QUESTION)
    assert [passage["document"] for passage in walked["passages"][:2]] == ["film", "life"]
    assert named(walked, "life")["score"] > named(plain, "life")["score"]


@pytest.mark.rule("kg", "provenance")
async def test_a_passage_that_was_reached_says_by_which_name_and_from_where(walking, films):
    """kg, provenance: the path names the entity and the passage that it starts from."""
    found = await walking.search(QUESTION)
    film, life = named(found, "film"), named(found, "life")
    assert life["path"] == [{"entity": "Ada Fenn", "id": film["id"], "document": "film", "title": "The Salt Road"}]
    assert life["absolute"] < life["lifted"] < film["absolute"]


@pytest.mark.rule("kg")
async def test_the_walk_never_lifts_a_passage_above_the_one_that_it_starts_from(walking, search, films):
    """kg: what the search ranks first stays first."""
    for question in (QUESTION, "Who directed The Salt Road?", "Is there a town?"):
        first = (await search.search(question))["passages"][0]
        assert (await walking.search(question))["passages"][0]["id"] == first["id"]


@pytest.mark.rule("kg")
async def test_the_subjects_of_a_comparison_are_both_there(database, scope, embedder, walking):
    """kg: what the question names by its title is where the walk begins."""
    lives = [Text("fenn", "She keeps bees.", title="Ada Fenn"), Text("moss", "He mends nets.", title="Tobias Moss")]
    collection = await seed(database, scope, [*lives, *(Text(f"n{n}", f"Who is older is a question of age {n}.") for n in range(12))])
    await build(database, scope, collection)
    found = await walking.search("Who is older, Ada Fenn or Tobias Moss?", k=5)
    assert {"fenn", "moss"} <= {passage["document"] for passage in found["passages"]}


@pytest.mark.rule("kg")
async def test_without_a_graph_the_walk_finds_what_the_search_finds(database, scope, embedder, walking, search):
    """kg: nothing was read yet."""
    await seed(database, scope, [FILM, BORN, *NOISE])
    plain, walked = (await search.search(QUESTION))["passages"], (await walking.search(QUESTION))["passages"]
    assert [passage["id"] for passage in walked] == [passage["id"] for passage in plain]
    assert not any("path" in passage for passage in walked)


@pytest.mark.rule("kg")
async def test_a_deleted_document_leads_nowhere(database, scope, walking, films):
    """kg: with it goes what only it contributed."""
    await DocumentStore(database).delete(scope, films, ["film"])
    assert not any(
        passage.get("path")
        for passage in (await walking.search("Where was the director born?"))["passages"]
        if passage["document"] == "life"
    )


@pytest.mark.rule("kg", "S1", "pg-meta")
async def test_a_hidden_document_is_no_step_of_a_walk(database, scope, embedder):
    """kg, S1, pg-meta: who may not read the film is not led by it, nor told its title."""
    film = Text("film", FILM.text, title=FILM.title, readers=("group:archive",))
    collection = await seed(database, scope, [film, BORN, *NOISE])
    await build(database, scope, collection)
    member = GraphSearch(database, embedder, EmbeddingCache(database), Scope.member(scope.tenant))
    found = await member.search(QUESTION, k=20)
    assert "film" not in {passage["document"] for passage in found["passages"]}
    assert all(hop["document"] != "film" for passage in found["passages"] for hop in passage.get("path", ()))


@pytest.mark.rule("kg", "S1")
async def test_another_tenants_graph_is_not_walked(database, embedder, films):
    """kg, S1: it has no such collection, and nothing leads into it."""
    other = GraphSearch(database, embedder, EmbeddingCache(database), Scope.operator("somebody-else"))
    assert (await other.search(QUESTION))["passages"] == []


@pytest.mark.rule("kg", "pg-meta")
async def test_a_filter_holds_for_what_the_walk_leads_to(database, scope, embedder, walking):
    """kg, pg-meta: no passage comes from outside the filter."""
    texts = [Text(text.source, text.text, title=text.title, metadata={"shelf": shelf}) for text, shelf in ((FILM, "a"), (BORN, "b"))]
    collection = await seed(database, scope, [*texts, *NOISE])
    await build(database, scope, collection)
    found = await walking.search(QUESTION, filters=Filters((("shelf", "a"),)))
    assert [passage["document"] for passage in found["passages"]] == ["film"]


@pytest.mark.rule("kg")
async def test_names_that_a_person_merged_are_one_step(database, scope, embedder, walking):
    """kg: and told apart again they are none."""
    life = Text("life", "A. F. was born in Oxmere and kept bees there.", title="Bees of Oxmere")
    alias = Text("alias", "Oxmere Bees sold honey to Fenn Pictures.", title="Honey")
    collection = await seed(database, scope, [FILM, life, alias, *NOISE])
    await build(database, scope, collection)
    graph = GraphStore(database)
    before = named(await walking.search(QUESTION, k=20), "alias")
    await graph.merge(scope, collection, "Ada Fenn", "Fenn Pictures")
    merged = named(await walking.search(QUESTION, k=20), "alias")
    await graph.split(scope, collection, "Ada Fenn", "Fenn Pictures")
    after = named(await walking.search(QUESTION, k=20), "alias")
    assert [("path" in passage) for passage in (before, merged, after)] == [False, True, False]


@pytest.mark.rule("kg", "S7")
async def test_a_name_that_is_an_order_is_a_name(database, scope, embedder, walking):
    """kg, S7: what a document calls a thing reaches no statement and no prompt as anything but data."""
    odd = "Robert'); drop table tadori.mention; --"
    collection = await seed(database, scope, [Text("odd", f"The Salt Road was lent by {odd} Fenn.", title=odd), FILM, *NOISE])
    await build(database, scope, collection)
    assert len((await walking.search(f"Who is {odd}?", k=5))["passages"]) == 5
    assert len((await walking.search("100% of _ and \\ or \0?", k=5))["passages"]) <= 5


@pytest.mark.parametrize("mode", ["lexical", "vector"])
async def test_in_a_mode_of_one_arm_it_is_the_search(walking, search, films, mode):
    walked, plain = (await walking.search(QUESTION, mode=mode))["passages"], (await search.search(QUESTION, mode=mode))["passages"]
    assert [passage["id"] for passage in walked] == [passage["id"] for passage in plain]


async def test_it_is_a_search_of_the_hybrid_kind(walking):
    """So that every door that takes one takes it."""
    assert isinstance(walking, HybridSearch)
