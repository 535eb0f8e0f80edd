"""Tells where a question could be meant of several documents alike; nodes/choices.py tells which of them a reply names.

Shared ground of clarify; pure and without a model.
"""

import re
import unicodedata
from collections.abc import Sequence

from nodes.disagreement import Statement, alike, statements
from nodes.state import RagState
from retrievers.text.analysis import analyse, query_words
from retrievers.types import Passage

MARGIN = 0.08
"""Of the absolute score: what twin passages differ by because of their lengths and titles. One that is further off is not as good."""

MOST = 5
"""More documents are no choice any more, but a list."""

_ASKS_HOW = re.compile(r"\bhow\s+(?:long|much|many|often|far|high|big|old|fast)\b", re.IGNORECASE)
"""No answer to "How long is the warranty?" has the word "long"."""

BELOW = 0.02
"""Under the threshold: a twin of what was kept falls short of it by its title's or its sentence's length."""


def just_below(state: RagState) -> list[Passage]:
    """Passages that fell short of the threshold by little and stand under the same heading as one that was kept, in another document.

    They can only be asked about: none reaches an answer unless the user names its document. A model's verdict stands.
    """
    decided = {passage["id"] for passage in state.kept} | {verdict["id"] for verdict in state.judged}
    documents, places = (
        {passage["document"] for passage in state.kept},
        {_last(passage) for passage in state.kept if passage["heading_path"]},
    )
    return [
        passage
        for passage in state.passages
        if passage["id"] not in decided
        and passage["document"] not in documents
        and passage["heading_path"]
        and _last(passage) in places
        and (passage["absolute"] or 0.0) >= (state.no_answer or 0.0) - BELOW
    ]


def competing(question: str, passages: Sequence[Passage]) -> list[Passage]:
    """The best passage of each document that could be meant, best first; empty where the question is clear.

    They are about equally good, stand under the same heading or say the same in other words for another thing, give different answers,
    and no word of the question names one of them rather than the others.
    """
    best = _best_of_each_document(passages)
    said = {statement["document"]: statement for statement in statements(_ASKS_HOW.sub(" ", question), best)}
    if not best or best[0]["document"] not in said:
        return []
    first = best[0]
    rivals = [
        other
        for other in best[1:]
        if other["document"] in said and _compete(first, other, said[first["document"]], said[other["document"]])
    ]
    found = [first, *rivals][:MOST]
    return found if rivals and not _named(question, found) else []


def _best_of_each_document(passages: Sequence[Passage]) -> list[Passage]:
    """Without web pages, whose readers choose by the source shown, and without what has no score."""
    scored = [passage for passage in passages if passage["origin"] != "web" and passage["absolute"] is not None]
    best: dict[str, Passage] = {}
    for passage in sorted(scored, key=lambda passage: -(passage["absolute"] or 0.0)):
        best.setdefault(passage["document"], passage)
    return list(best.values())


def _compete(first: Passage, other: Passage, one: Statement, two: Statement) -> bool:
    near = (first["absolute"] or 0.0) - (other["absolute"] or 0.0) <= MARGIN
    same_place = bool(first["heading_path"] and other["heading_path"]) and _last(first) == _last(other)
    return near and (same_place or alike(one, two)) and _folded(one["text"]) != _folded(two["text"])


def _last(passage: Passage) -> str:
    return _folded(passage["heading_path"][-1])


def _named(question: str, found: Sequence[Passage]) -> bool:
    """Whether the question has a word of some documents' names that the others' do not have."""
    names: list[set[str]] = [set(analyse(f"{passage['title']}\n{passage['document']}")) for passage in found]
    distinguishing = set().union(*names) - names[0].intersection(*names)
    return not distinguishing.isdisjoint(query_words(question))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
