"""Makes passages of web pages, with the score that they would about have in a collection.

Shared ground of web_search and the agent.
"""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from retrievers.errors import ProviderError
from retrievers.fusion import absolute
from retrievers.text.analysis import analyse, query_words
from retrievers.text.language import language_of
from retrievers.types import Embedder, Passage, WebPage

_K1 = 1.2
"""BM25's, as the collections have it."""


def as_passage(page: WebPage, embedder: Embedder) -> Passage:
    """The page without a score, its id made from its address and text. Blocks for the tokenizer, a millisecond a page."""
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


async def scored(question: str, passages: list[Passage], embedder: Embedder) -> list[Passage]:
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
