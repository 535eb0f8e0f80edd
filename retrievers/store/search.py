"""Runs the search statements of one collection: passages by words and meaning, and what the collection says about a query.

Between retrievers/hybrid.py, which embeds and reranks, and retrievers/sql/hybrid.sql, which does the work.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, LiteralString

from psycopg import AsyncConnection
from psycopg.rows import dict_row
from psycopg.sql import SQL, Composed, Identifier

from retrievers.fusion import APART_LIFT, DEFAULT_WEIGHTS, EPSILON, NEAR_CHUNKS, NEAR_PASSAGE, NEAR_QUERY, RRF_K, WINDOW_WEIGHT, fetch_count
from retrievers.store.filtering import by_label, eligible, filter_parameters, passes
from retrievers.store.nearest import prepare_index, shortlist, vector_arm
from retrievers.store.spaces import vector_table, window_table
from retrievers.store.sql import statement
from retrievers.text.language import Language
from retrievers.types import NO_FILTERS, Collection, CorpusHints, EmbeddingSpec, Filters, Fusion, Mode, Passage, Vector

K1 = 1.2
"""How fast a word's repeats stop counting; with B the usual values, and no better ones were found."""

B = 0.75
"""How much a long chunk is held to be merely wordy, 0-1."""

EXACT_ROWS = 10_000
"""Up to so many visible rows comparing each is exact and faster than an index shared by all tenants (measured)."""

EXACT_FILTERED = 5_000
"""The same for the rows left by a filter, which are fetched one by one by key (measured)."""

RESCORED, RESCORED_FACTOR = 500, 2
"""Chunks that are scored with the words left unread too: at least, and for each candidate wanted. With .3 postings read for each chunk,
500 gave the exact ten best for 99.4 % of the questions and more on four collections of 1,000 to 5,000 chunks, 100 for 92 % and more."""

HINT_CHUNKS = 20
"""Chunks whose titles and headings are looked through for a hint: enough for a handful of distinct ones."""


@dataclass(frozen=True)
class Query:
    """One search, analysed and embedded. `words` are free of repeats; `vector` is None in mode lexical; `weights` are lexical, vector.

    `limit` is how many passages come back where that is not `k`: the arms hand over the candidates of `k` results all the same.
    `only` are the chunks that are searched, by id; None means all. `apart` are the languages in whose passages the words are not looked
    for, since their script is another. `unread` are words by number, of common_words.py. `technical`: it holds a code.
    """

    words: tuple[str, ...]
    vector: Vector | None
    k: int
    mode: Mode
    fusion: Fusion
    weights: tuple[float, float] = DEFAULT_WEIGHTS
    filters: Filters = NO_FILTERS
    limit: int | None = None
    only: tuple[str, ...] | None = None
    apart: tuple[Language, ...] = ()
    unread: tuple[int, ...] = ()
    technical: bool = False


async def find_passages(conn: AsyncConnection[Any], collection: Collection, query: Query) -> list[Passage]:
    """At most `query.k` passages that the transaction's reader may see, best first, ties by id; empty when nothing matched."""
    values = _parameters(collection, query)
    values["indexed"] = await prepare_index(conn, collection, candidates_wanted(collection, query))
    async with conn.cursor(row_factory=dict_row) as cursor:
        # Not prepared: a generic plan for arrays of unknown length is many times slower.
        labels = by_label(query.filters, query.only)
        named, pairs = query.only is not None, len(query.filters.metadata)
        text = _hybrid(collection.space, collection.embedding, pairs, named, in_part=bool(query.unread), by_label=labels)
        await cursor.execute(text, values, prepare=False)
        return [_passage(row) for row in await cursor.fetchall()]


async def find_hints(
    conn: AsyncConnection[Any], collection: Collection, words: tuple[str, ...], unread: tuple[int, ...] = ()
) -> CorpusHints:
    """The query's words with their counts, rarest first, and the titles and headings of the chunks that score best by the words read."""
    values = {"tid": collection.tid, "coll": collection.coll, "words": list(words), "chunks": HINT_CHUNKS, "k1": K1, "b": B}
    values["unread"] = list(unread)
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(statement("word_counts.sql"), values, prepare=False)
        counts = await cursor.fetchall()
        await cursor.execute(_near_headings(), values, prepare=False)
        headings = [row["heading"] for row in await cursor.fetchall()]
    return {"words": [{"word": row["word"], "df": row["df"]} for row in counts], "headings": headings}


def _parameters(collection: Collection, query: Query) -> dict[str, object]:
    return {
        "tid": collection.tid,
        "coll": collection.coll,
        "words": list(query.words),
        "embedding": None if query.vector is None else _literal(query.vector),
        "lexical": query.mode != "vector",
        "vector": query.mode != "lexical",
        **filter_parameters(query.filters, query.only),
        "fusion": query.fusion,
        "fetch": candidates_wanted(collection, query),
        "k": query.limit or query.k,
        "k1": K1,
        "b": B,
        **_absolute_parameters(collection),
        "apart": list(query.apart),
        "rrf_k": float(RRF_K),
        "lexical_weight": query.weights[0],
        "vector_weight": query.weights[1],
        "epsilon": EPSILON,
        "exact_rows": EXACT_ROWS,
        "exact_filtered": EXACT_FILTERED,
        "shortlist": shortlist(candidates_wanted(collection, query)),
        "unread": list(query.unread),
        "rescored": max(RESCORED, RESCORED_FACTOR * candidates_wanted(collection, query)),
    }


def candidates_wanted(collection: Collection, query: Query) -> int:
    """How many candidates each arm brings."""
    usual = fetch_count(query.fusion, query.k)
    return usual if collection.ranking.fetch is None else max(collection.ranking.fetch, query.k)


def _absolute_parameters(collection: Collection) -> dict[str, object]:
    ranking = collection.ranking
    weight = collection.embedding.absolute_weight if ranking.lexical is None else ranking.lexical
    return {
        "absolute_weight": weight,
        "near_weight": ranking.near * weight,
        "window_weight": WINDOW_WEIGHT,
        "near_query": NEAR_QUERY,
        "near_passage": NEAR_PASSAGE,
        "near_chunks": NEAR_CHUNKS,
        "apart_lift": APART_LIFT * weight,
    }


def _literal(vector: Vector) -> str:
    return "[" + ",".join(map(repr, vector.tolist())) + "]"


def _passage(row: Mapping[str, Any]) -> Passage:
    return {
        "id": row["id"],
        "document": row["document"],
        "title": row["title"],
        "heading_path": row["heading_path"],
        "page": row["page"],
        "url": row["url"],
        "origin": row["origin"],
        "content_type": row["content_type"],
        "language": row["language"],
        "text": row["text"],
        "start": row["start"],
        "end": row["end"],
        "token_count": row["token_count"],
        "metadata": row["metadata"],
        "score": row["score"],
        "absolute": row["absolute"],
        "scores": {"bm25": row["bm25"], "cosine": row["cosine"], "fused": row["score"], "near": row["near"]},
        "ranks": {"lexical": row["lexical_rank"], "vector": row["vector_rank"]},
        "factors": {},
        "modified": row["modified"].isoformat() if row["modified"] else None,
    }


@cache
def _hybrid(space: int, spec: EmbeddingSpec, pairs: int, named: bool, *, in_part: bool = False, by_label: bool = False) -> Composed:
    """The statement for a filter of so many pairs, and perhaps of named chunks; `in_part` reads no postings of some words.

    What a caller writes is bound: only the number of parameters depends on it.
    """
    table = {"vectors": vector_table(space), "windows": window_table(space), "type": Identifier(spec.column_type)}
    arms = {
        "corpus_words": SQL(_part("corpus_words.sql")).format(),
        "lexical_arm": SQL(_part("lexical_arm_in_part.sql" if in_part else "lexical_arm.sql")).format(),
        "vector_arm": vector_arm(space, spec),
    }
    chosen = eligible(pairs, named, by_label=by_label)
    return SQL(statement("hybrid.sql")).format(passes=passes(pairs, named), eligible=chosen, **table, **arms)


@cache
def _near_headings() -> Composed:
    return SQL(statement("near_headings.sql")).format(corpus_words=SQL(_part("corpus_words.sql")))


def _part(file: LiteralString) -> LiteralString:
    """A part of a statement without the newline at its end."""
    return statement(file).rstrip("\n")
