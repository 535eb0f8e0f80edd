"""Looks on the web, once, when the documents hold nothing that helps.

Follows grade or an ended rewrite, leads back to grade: a web page is no more trusted than any other passage. Calls the very tool
that an agent would bind.
"""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from nodes.context import Clock
from nodes.knobs import Knobs
from nodes.state import RagState, RagUpdate
from retrievers.errors import ConfigurationError, ProviderError
from retrievers.fusion import absolute
from retrievers.text.analysis import analyse, query_words
from retrievers.text.language import language_of
from retrievers.types import Embedder, Passage, WebPage

WEB_RESULTS = 5
"""As many as an answer's prompt takes."""

_K1 = 1.2
"""BM25's, as the collections have it."""


async def web_search(state: RagState, runtime: Runtime[Knobs], *, tool: BaseTool | None, embedder: Embedder) -> RagUpdate:
    """Searches for the user's own question; without a tool only says that none is configured. A web that fails is a degradation."""
    clock = Clock("web_search")
    tried: RagUpdate = {"web_tries": state.web_tries + 1, "passages": []}
    if tool is None:
        event = clock.event("decision", "not_configured", "no web search is configured")
        return {**tried, "web_outcome": "not_configured", "trail": [event]}
    arguments = {"query": state.standalone, "limit": WEB_RESULTS}
    try:
        message = await tool.ainvoke({"type": "tool_call", "name": tool.name, "id": "web_search", "args": arguments})
    except (ProviderError, ConfigurationError) as exc:
        event, degraded = clock.fallback(str(exc), "answer from the documents alone")
        return {**tried, "web_outcome": "failed", "trail": [event], "degraded": [degraded]}
    pages: list[WebPage] = [page for page in message.artifact if page["text"].strip()]
    passages = await _scored(state.standalone, [_passage(page, embedder) for page in pages], embedder)
    event = clock.event(
        "search", f"{len(passages)} pages", f"searched the web for {state.standalone!r}", urls=[page["url"] for page in pages]
    )
    return {**tried, "passages": passages, "web_outcome": None if passages else "nothing", "trail": [event]}


def _passage(page: WebPage, embedder: Embedder) -> Passage:
    text = page["text"].strip()
    return {
        "id": sha256(f"{page['url']}\0{text}".encode("utf-8", "replace")).hexdigest()[:24],
        "document": page["url"],
        "title": page["title"],
        "heading_path": [],
        "page": None,
        "url": page["url"],
        "origin": "web",
        "content_type": "text",
        "language": language_of(text),
        "text": text,
        "start": 0,
        "end": len(text),
        "token_count": embedder.count_tokens(text),
        "metadata": {},
        "score": page["score"] or 0.0,
        "absolute": None,
        "scores": {"bm25": None, "cosine": None, "fused": page["score"] or 0.0},
        "ranks": {"lexical": None, "vector": None},
        "factors": {},
    }


async def _scored(question: str, passages: list[Passage], embedder: Embedder) -> list[Passage]:
    """The passages with an estimate of `absolute`, best first; without one, in the provider's order, when the embedder fails.

    The estimate is the collection's score for a passage of average length, every word of the question being equally rare:
    what the collection would say is not known for a text that is not in it.
    """
    if not passages:
        return []
    try:
        query = await embedder.embed_query(question)
        rows = await embedder.embed_passages([f"{passage['title']}\n{passage['text']}" for passage in passages])
    except ProviderError:
        return passages
    words, weight = query_words(question), embedder.spec.absolute_weight
    for passage, row in zip(passages, rows, strict=True):
        cosine = float(row @ query)
        passage["absolute"] = round(absolute(_saturation(words, passage), 1.0, cosine, weight), 4)
        passage["scores"]["cosine"] = round(cosine, 4)
    return sorted(passages, key=lambda passage: -(passage["absolute"] or 0.0))


def _saturation(words: Sequence[str], passage: Passage) -> float:
    """BM25 over its maximum, for equal idf and average length: the mean of tf / (tf + k1)."""
    counts = Counter(analyse(f"{passage['title']}\n{passage['text']}"))
    return sum(counts[word] / (counts[word] + _K1) for word in words) / len(words) if words else 0.0
