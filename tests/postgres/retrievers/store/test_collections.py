"""Collections: made once, found by name within the tenant, refused for another model, dropped whole."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from drafting import SPEC, draft, make_collection, traces

from retrievers.errors import EmbeddingMismatch, InvalidArgument, StorageError, UnknownCollection
from retrievers.scope import Scope
from retrievers.store import indexing
from retrievers.store.collections import drop_collection, ensure_collection, find_collection, get_collection, list_collections
from retrievers.store.documents import DocumentStore
from retrievers.store.search import Query, find_passages
from retrievers.text.analysis import ANALYSER
from retrievers.types import VectorChoice


async def test_a_collection_keeps_what_its_model_needs(database, scope):
    made = await ensure_collection(database, scope, "papers", SPEC, ANALYSER)
    assert (made.name, made.embedding, made.analyser) == ("papers", SPEC, ANALYSER)
    assert (made.fusion, made.weights, made.no_answer, made.chunk_count, made.token_count) == ("absolute", None, 0.6, 0, 0)
    assert await get_collection(database, scope, "papers") == made


async def test_ensuring_again_returns_the_same_one(database, scope):
    first = await make_collection(database, scope)
    assert await make_collection(database, scope) == first


async def test_eight_at_once_make_one(database, scope):
    made = await asyncio.gather(*(make_collection(database, scope) for _ in range(8)))
    assert len({collection.coll for collection in made}) == 1
    assert len(await list_collections(database, scope)) == 1


async def test_collections_are_listed_by_name(database, scope):
    for name in ("b", "a", "c-1"):
        await make_collection(database, scope, name)
    assert [collection.name for collection in await list_collections(database, scope)] == ["a", "b", "c-1"]
    assert await list_collections(database, Scope.operator("nobody-yet")) == []


@pytest.mark.rule("F14", "emb-models")
@pytest.mark.parametrize("other", [replace(SPEC, model="other-8"), replace(SPEC, model="draft-16", dims=16)])
async def test_another_model_is_refused_with_what_to_do(database, scope, other):
    """F14, emb-models: of the same size or of another, the collection keeps the model it was built with."""
    await make_collection(database, scope)
    with pytest.raises(
        EmbeddingMismatch,
        match=r"'default' was built with the embedding model 'draft-8' \(8 dimensions\).*`tadori reindex --collection default`.*or set "
        "TADORI_EMBEDDING_MODEL back to 'draft-8'",
    ):
        await ensure_collection(database, scope, "default", other, ANALYSER)


async def test_a_collection_keeps_the_analyser_it_was_made_with(database, scope):
    made = await ensure_collection(database, scope, "default", SPEC, "tadori-2")
    assert await ensure_collection(database, scope, "default", SPEC, "tadori-2+sudachi") == made
    assert made.analyser == "tadori-2"


async def test_two_models_have_two_spaces(database, scope):
    one = await ensure_collection(database, scope, "one", SPEC, ANALYSER)
    other = await ensure_collection(database, scope, "other", replace(SPEC, model="draft-16", dims=16), ANALYSER)
    assert one.space != other.space


@pytest.mark.rule("S3")
async def test_unknown_and_foreign_collections_give_one_text(database, scope):
    """S3: nobody learns from an error what another tenant has."""
    stranger = Scope.operator(f"{scope.tenant}-stranger")
    await make_collection(database, scope, "secret")
    await make_collection(database, stranger, "own")
    with pytest.raises(UnknownCollection) as foreign:
        await get_collection(database, stranger, "secret")
    with pytest.raises(UnknownCollection) as unknown:
        await get_collection(database, stranger, "nothing")
    assert str(foreign.value).replace("secret", "nothing") == str(unknown.value)
    assert await find_collection(database, stranger, "secret") is None


@pytest.mark.rule("S3")
async def test_a_foreign_collection_object_opens_nothing(database, scope):
    """S3: whoever holds another tenant's collection object neither reads nor writes with it, and is told that it is unknown."""
    stranger = Scope.operator(f"{scope.tenant}-stranger")
    await make_collection(database, stranger, "own")
    foreign, store = await make_collection(database, scope, "secret"), DocumentStore(database)
    await store.put(scope, foreign, [draft("a", "one paragraph")])
    for attempt in (
        lambda: store.put(stranger, foreign, [draft("b", "two")]),
        lambda: store.adopt(stranger, foreign, [draft("b", "one paragraph")]),
        lambda: store.delete(stranger, foreign, ["a"]),
        lambda: store.set_readers(stranger, foreign, ["a"], ["public"]),
        lambda: store.record_failure(stranger, foreign, "a", "load", "broken"),
        lambda: store.states(stranger, foreign, ["a"]),
        lambda: store.sources(stranger, foreign),
    ):
        with pytest.raises(UnknownCollection, match="there is no collection 'secret' here"):
            await attempt()
    assert await store.sources(scope, foreign) == ["a"]


@pytest.mark.rule("F8", "S15")
@pytest.mark.parametrize("name", ["default'; drop table tadori.chunk; --", "a\0b", "\ud800", "", "%s"])
async def test_a_name_that_is_none_finds_nothing(database, scope, name):
    """F8, S15: it is bound, not pasted; what cannot be in the database is not looked up."""
    assert await find_collection(database, scope, name) is None
    with pytest.raises(InvalidArgument, match="is not a name"):
        await ensure_collection(database, scope, name, SPEC, ANALYSER)


async def test_dropping_leaves_nothing(database, scope):
    collection = await make_collection(database, scope)
    await DocumentStore(database).put(
        scope, collection, [draft("a", "first words", "second words"), draft("b", "first words", "second words")]
    )
    assert min((await traces(database, scope, collection)).values()) > 0
    assert await drop_collection(database, scope, "default")
    assert set((await traces(database, scope, collection)).values()) == {0}
    assert not await drop_collection(database, scope, "default")


async def test_a_dropped_collection_is_unknown_to_who_still_holds_it(database, scope):
    collection = await make_collection(database, scope)
    await drop_collection(database, scope, "default")
    await make_collection(database, scope)
    with pytest.raises(UnknownCollection):
        await DocumentStore(database).put(scope, collection, [draft("a", "one")])


async def test_only_the_operator_makes_and_drops(database, scope):
    member = Scope.member(scope.tenant)
    await make_collection(database, scope)
    with pytest.raises(StorageError, match="is written by its operator alone"):
        await make_collection(database, member, "mine")
    with pytest.raises(StorageError, match="is written by its operator alone"):
        await drop_collection(database, member, "default")
    assert (await get_collection(database, member, "default")).name == "default"


@pytest.mark.rule("pg-index")
async def test_how_vectors_are_kept_is_chosen_with_the_collection(database, scope):
    """pg-index: HNSW over halfvec unless something else is asked for; whoever asks for nothing gets what is there."""
    plain = await make_collection(database, scope)
    chosen = await ensure_collection(database, scope, "chosen", SPEC, ANALYSER, VectorChoice("binary", "vector"))
    assert (plain.embedding.index_kind, plain.embedding.column_type) == ("hnsw", "halfvec")
    assert (chosen.embedding.index_kind, chosen.embedding.column_type) == ("binary", "vector")
    assert plain.space != chosen.space
    assert await make_collection(database, scope, "chosen") == chosen
    assert await ensure_collection(database, scope, "chosen", SPEC, ANALYSER, VectorChoice(vector_type="vector")) == chosen


@pytest.mark.rule("pg-index")
@pytest.mark.parametrize("choice", [VectorChoice("ivfflat"), VectorChoice(vector_type="vector"), VectorChoice("exact", "halfvec")])
async def test_another_choice_for_a_collection_is_refused_with_what_to_do(database, scope, choice):
    """pg-index: its vectors stay as they are, and the message says how to get others."""
    await make_collection(database, scope)
    with pytest.raises(
        InvalidArgument, match=r"'default' has index hnsw over type halfvec, not .*leave the choice out, or ingest into a new"
    ):
        await ensure_collection(database, scope, "default", SPEC, ANALYSER, choice)


@pytest.mark.parametrize(
    ("choice", "message"), [(VectorChoice("flat"), "use hnsw, ivfflat, binary, exact"), (VectorChoice(None, "bit"), "use halfvec")]
)
async def test_a_choice_that_is_none_is_refused(database, scope, choice, message):
    with pytest.raises(InvalidArgument, match=message):
        await ensure_collection(database, scope, "default", SPEC, ANALYSER, choice)


@pytest.mark.rule("pg-index")
@pytest.mark.parametrize("kind", ["exact", "binary"])
async def test_vectors_too_wide_for_an_index_are_stored_and_found(database, scope, kind, monkeypatch):
    """pg-index: above 4,000 dimensions, where only these two kinds go, the nearest is the nearest; half precision is chosen by itself."""
    monkeypatch.setattr(indexing, "FIRST_CHUNKS", 3)
    rng = np.random.default_rng(5)
    vectors = rng.normal(size=(5, 5000)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    wide = replace(SPEC, model="draft-5000", dims=5000, column_type="vector")
    collection = await ensure_collection(database, scope, "default", wide, ANALYSER, VectorChoice(kind))
    documents = [draft(f"d{number}", f"text {number}") for number in range(5)]
    ready = [replace(each, chunks=(replace(each.chunks[0], vector=vector),)) for each, vector in zip(documents, vectors, strict=True)]
    await DocumentStore(database).put(scope, collection, ready)
    async with database.transaction(scope) as conn:
        passages = await find_passages(conn, collection, Query((), vectors[3], 2, "vector", "absolute"))
    assert collection.embedding.column_type == "halfvec"
    assert passages[0]["document"] == "d3"
    assert passages[0]["scores"]["cosine"] == pytest.approx(1, abs=1e-3)
