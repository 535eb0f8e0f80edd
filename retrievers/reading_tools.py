"""Reading in layers, as LangChain tools: short hits first, then what stands around one, then whole passages.

Beside retrievers/tools.py, for agents that must watch their context. Each is one reader's; where they look is injected by the caller.
"""

import asyncio
from collections.abc import Callable, Sequence

from langchain_core.tools import BaseTool
from pydantic import Field
from typing_extensions import TypedDict

from retrievers.passages import ANYWHERE, Bounds, PassageReader, Reading, StoredPassage, unknown_passage
from retrievers.text.analysis import query_words
from retrievers.text.snippets import snippet
from retrievers.tooling import Arguments, Injected, full_text, make_tool, numbered, place_of
from retrievers.tools import NOTHING_FOUND, found
from retrievers.types import Passage, PassageSearch, Scores

COMPACT_TOOL = "search_compact"
NEIGHBOURS_TOOL = "read_neighbours"
PASSAGES_TOOL = "read_passages"

Count = Callable[[str], int]
"""Tokens of a text by the embedder's own tokenizer; blocks."""


class CompactHit(TypedDict):
    """A hit in about 50 tokens; `token_count` is what its whole text costs."""

    id: str
    document: str
    snippet: str
    score: float
    absolute: float | None
    scores: Scores
    token_count: int


class Tokens(TypedDict):
    """Of the compact message, and of the same hits as search_documents shows them."""

    compact: int
    full: int
    saved: int


class CompactResult(TypedDict):
    """`hits` best first. `no_answer` is the threshold on `absolute`; `degraded` as in SearchResult."""

    hits: list[CompactHit]
    tokens: Tokens
    no_answer: float
    chunk_count: int
    degraded: list[tuple[str, str]]


class ReadResult(Reading):
    """What was read, and the tokens of the message."""

    tokens: int


class CompactArguments(Arguments):
    """A model fills in `query` and `k`."""

    query: str = Field(description="What to look for: a question or keywords, in the language of the documents.")
    k: int = Field(10, ge=1, le=100, description="How many hits to list.")
    bounds: Injected = None


class NeighboursArguments(Arguments):
    """A model fills in the id, and how far to read."""

    id: str = Field(description="The id of a passage, as a search has shown it.")
    before: int = Field(3, ge=0, le=10, description="How many passages before it.")
    after: int = Field(3, ge=0, le=10, description="How many passages after it.")
    bounds: Injected = None


class PassagesArguments(Arguments):
    """A model fills in the ids."""

    ids: list[str] = Field(min_length=1, max_length=50, description="The ids of passages, as a search has shown them.")
    bounds: Injected = None


def reading_tools(
    search: PassageSearch, reader: PassageReader, count: Count, within: Bounds = ANYWHERE
) -> tuple[BaseTool, BaseTool, BaseTool]:
    """search_compact, read_neighbours, read_passages. Errors are raised, an unknown id is named in the message.

    `within` is where they look unless a call injects other bounds.
    """
    return compact_tool(search, count, within), neighbours_tool(reader, count, within), passages_tool(reader, count, within)


def compact_tool(search: PassageSearch, count: Count, within: Bounds = ANYWHERE) -> BaseTool:
    """`search_compact`: the artifact is a CompactResult."""

    async def search_compact(query: str, k: int = 10, bounds: Injected = None) -> tuple[str, CompactResult]:
        result = await found(search, query, k, bounds or within)
        words = query_words(query)
        hits = [_hit(passage, words) for passage in result["passages"]]
        message = "\n".join(f"[{number}] {_line(hit)}" for number, hit in enumerate(hits, 1)) or NOTHING_FOUND
        full = numbered([full_text(passage) for passage in result["passages"]], NOTHING_FOUND)
        tokens = await asyncio.to_thread(_saved, message, full, count)
        compact: CompactResult = {
            "hits": hits,
            "tokens": tokens,
            "no_answer": result["no_answer"],
            "chunk_count": result["chunk_count"],
            "degraded": result["degraded"],
        }
        told = f"\n{tokens['compact']} tokens, {tokens['full']} in full: {tokens['saved']} saved." if hits else ""
        return message + told, compact

    description = (
        "Search the documents and list the hits in short: id, score with its parts, tokens of the whole passage, a few words. "
        "Read the promising ones with read_passages or read_neighbours."
    )
    return make_tool(COMPACT_TOOL, description, search_compact, CompactArguments)


def neighbours_tool(reader: PassageReader, count: Count, within: Bounds = ANYWHERE) -> BaseTool:
    """`read_neighbours`: the artifact is a ReadResult. Chunks overlap; the message says what they share once."""

    async def read_neighbours(id: str, before: int = 3, after: int = 3, bounds: Injected = None) -> tuple[str, ReadResult]:
        where = bounds or within
        reading = await reader.neighbours(id, before=before, after=after, collection=where.collection, filters=where.filters)
        return await _told(reading, _without_overlap(reading["passages"]), count)

    description = "Read a passage together with those before and after it in the same document, in the document's order."
    return make_tool(NEIGHBOURS_TOOL, description, read_neighbours, NeighboursArguments)


def passages_tool(reader: PassageReader, count: Count, within: Bounds = ANYWHERE) -> BaseTool:
    """`read_passages`: the artifact is a ReadResult, in the order of the ids."""

    async def read_passages(ids: list[str], bounds: Injected = None) -> tuple[str, ReadResult]:
        where = bounds or within
        reading = await reader.read(ids, collection=where.collection, filters=where.filters)
        return await _told(reading, [passage["text"] for passage in reading["passages"]], count)

    description = "Read whole passages by their ids, in the order in which you name them."
    return make_tool(PASSAGES_TOOL, description, read_passages, PassagesArguments)


def _hit(passage: Passage, words: Sequence[str]) -> CompactHit:
    return {
        "id": passage["id"],
        "document": passage["document"],
        "snippet": snippet(passage["text"], words),
        "score": passage["score"],
        "absolute": passage["absolute"],
        "scores": passage["scores"],
        "token_count": passage["token_count"],
    }


def _line(hit: CompactHit) -> str:
    """The parts of the score are bm25 (b) and cosine (c); one that an arm did not give is left out."""
    bm25, cosine = hit["scores"]["bm25"], hit["scores"]["cosine"]
    parts = [f"b{bm25:.1f}" if bm25 is not None else "", f"c{cosine:.2f}" if cosine is not None else ""]
    score = " ".join(part for part in (f"{hit['score']:.2f}", *parts) if part)
    return f"{hit['id']} {score} {hit['token_count']}t {hit['snippet']}"


def _saved(message: str, full: str, count: Count) -> Tokens:
    compact, whole = count(message), count(full)
    return {"compact": compact, "full": whole, "saved": whole - compact}


def _without_overlap(passages: Sequence[StoredPassage]) -> list[str]:
    """The texts of consecutive chunks of one document, each from where the one before it ended."""
    texts, end = [], 0
    for passage in passages:
        texts.append(passage["text"][max(0, end - passage["start"]) :])
        end = max(end, passage["end"])
    return texts


async def _told(reading: Reading, texts: Sequence[str], count: Count) -> tuple[str, ReadResult]:
    entries = [f"{passage['id']} {place_of(passage)}\n{text.strip()}" for passage, text in zip(reading["passages"], texts, strict=True)]
    message = "\n\n".join([*entries, *(unknown_passage(name) for name in reading["unknown"])])
    tokens = await asyncio.to_thread(count, message)
    return message, {**reading, "tokens": tokens}
