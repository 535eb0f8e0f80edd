"""Tells where a question could be meant of several documents alike, and which of them a user's reply names.

Shared ground of clarify; pure and without a model.
"""

import re
import unicodedata
from collections.abc import Sequence

from typing_extensions import TypedDict

from nodes.disagreement import Statement, alike, statements
from retrievers.text.analysis import analyse, query_words
from retrievers.types import Passage


class Option(TypedDict):
    """A document that could be meant. A Passage is one."""

    document: str
    title: str


MARGIN = 0.08
"""Of the absolute score: what twin passages differ by because of their lengths and titles. One that is further off is not as good."""

MOST = 5
"""More documents are no choice any more, but a list."""

_EVERYTHING = frozenset("all both any either whatever 全部 全て すべて 両方 どちらも どれでも どちらでも 都 全部都 모두".split())  # noqa: SIM905
_NUMBER = re.compile(r"(?:no\.?|number|option)?\s*[#(（]?\s*(\d{1,2})\s*[)）.]?\s*(?:番目?|号)?")
_NAME_CHARS = 2


def competing(question: str, passages: Sequence[Passage]) -> list[Passage]:
    """The best passage of each document that could be meant, best first; empty where the question is clear.

    They are about equally good, stand under the same heading or say the same in other words for another thing, give different answers,
    and no word of the question names one of them rather than the others.
    """
    best = _best_of_each_document(passages)
    said = {statement["document"]: statement for statement in statements(question, best)}
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


def chosen(reply: object, options: Sequence[Option]) -> list[str] | None:
    """The documents that the reply names: by number from 1, by document, by title or a part of one; all for "all"; None for none.

    A reply may be a mapping with one of them under `document`, `title` or `answer`.
    """
    if isinstance(reply, dict):
        reply = next((reply[key] for key in ("document", "title", "answer") if key in reply), "")
    if isinstance(reply, bool) or not isinstance(reply, str | int):
        return None
    text = _folded(str(reply)).strip(" .。!！?？\"'“”「」")
    if text in _EVERYTHING:
        return [option["document"] for option in options]
    exact = [option["document"] for option in options if text in (_folded(option["document"]), _folded(option["title"]))]
    return exact or _by_number(text, options) or _by_part(text, options)


def _by_number(text: str, options: Sequence[Option]) -> list[str] | None:
    found = _NUMBER.fullmatch(text)
    number = int(found[1]) if found else 0
    return [options[number - 1]["document"]] if 1 <= number <= len(options) else None


def _by_part(text: str, options: Sequence[Option]) -> list[str] | None:
    """The one option whose title or document has the text in it, or stands in the text; two such are no choice."""
    names = [(option["document"], [_folded(option["document"]), _folded(option["title"])]) for option in options]
    found = [document for document, own in names if any(_is_part(text, name) for name in own)]
    return found if len(found) == 1 else None


def _is_part(text: str, name: str) -> bool:
    return len(text) >= _NAME_CHARS and len(name) >= _NAME_CHARS and (text in name or name in text)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
