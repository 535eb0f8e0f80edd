"""Tells which of several documents a user's reply names: by number, place in the list, name, or the words that tell the names apart.

Shared ground of clarify; pure and without a model.
"""

import re
import unicodedata
from collections.abc import Sequence

from typing_extensions import TypedDict

from retrievers.text.analysis import analyse, query_words
from retrievers.text.terms import content_terms


class Option(TypedDict):
    """A document that could be meant. A Passage is one."""

    document: str
    title: str


_EVERYTHING = re.compile(
    r"(?:(?:all|both|any|either|whatever|each)(?:\s+(?:of\s+(?:them|these|those)|(?:the\s+)?(?:documents?|ones?|manuals?)))?|them\s+(?:all|both)"
    r"|全部都|都|모두|(?:全部|全て|すべて|両方|両者|双方|どちらも|どれも|どれでも|どちらでも)(?:とも)?)"
)
_NOTHING = re.compile(
    r"(?:neither|none|no|nope)(?:\s+(?:one|of\s+(?:them|these|those|the\s+(?:two|documents?))))?|(?:something|another|a\s+different)\s*(?:else|one|document)?"
    r"|(?:どちら|どれ|いずれ|両方)(?:でも|も)?(?:ない|ありません|違う|違います|違いま)|別の(?:文書|もの|資料)|いいえ"
)
_NUMBER = re.compile(r"(?:no\.?|number|option)?\s*[#(（]?\s*(\d{1,2})\s*[)）.]?\s*(?:番目?|号|つ目|件目)?")
_PLACES = {
    word: place
    for place, words in {
        0: "first 1st former upper 最初 前者 初め 一番目 一つ目 上",
        1: "second 2nd 二番目 二つ目",
        2: "third 3rd 三番目 三つ目",
        3: "fourth 4th 四番目 四つ目",
        4: "fifth 5th 五番目 五つ目",
        -1: "last latter lower 最後 後者 下",
    }.items()
    for word in words.split()
}
_PLACE = re.compile(r"(?:the\s+)?(" + "|".join(_PLACES) + r")(?:\s+(?:one|document|doc|file|manual|option))?(?:の(?:もの|文書|資料|やつ))?")
_AROUND = re.compile(
    r"^(?:(?:i\s+(?:mean|meant|want)|it'?s|that'?s|yes|ok(?:ay)?|for|about|from|the\s+one\s+(?:for|about|of|from))\b[\s,:]*)+"
    r"|[\s,]*\b(?:please|thanks|thank\s+you)$|(?:の(?:方|ほう|やつ|もの))?(?:で(?:お願い(?:します|いたします)?|す|いい(?:です)?)|をお願い(?:します)?|お願い(?:します)?|です|ください|だ|を|で)?$"
)
"""What a person says around a choice."""

_NAME_CHARS = 2
_OTHER_WORDS = 2
"""A reply that names a document has few words beside the name; one with more is a question of its own."""


def chosen(reply: object, options: Sequence[Option]) -> list[str] | None:
    """The documents that the reply names, in the order of the options; all for "both", an empty list for "neither"; None for none.

    It may say a number from 1 or a place in the list, a document, a title or a part of one, or words that only some of the names have.
    A reply may be a mapping with one of them under `document`, `title` or `answer`.
    """
    if isinstance(reply, dict):
        reply = next((reply[key] for key in ("document", "title", "answer") if key in reply), "")
    if isinstance(reply, bool) or not isinstance(reply, str | int):
        return None
    whole = _folded(str(reply)).strip(_MARKS)
    text = _AROUND.sub("", _AROUND.sub("", whole)).strip(_MARKS) or whole
    if _NOTHING.fullmatch(text) or _NOTHING.fullmatch(whole):
        return []
    if _EVERYTHING.fullmatch(text) or _EVERYTHING.fullmatch(whole):
        return [option["document"] for option in options]
    exact = [option["document"] for option in options if {text, whole} & {_folded(option["document"]), _folded(option["title"])}]
    return exact or _by_place(text, options) or _by_part(text, options) or _by_words(text, options)


_MARKS = " .。!！?？\"'“”「」、,"


def is_place(reply: str) -> bool:
    """Whether the reply is a number or a place in a list, also one that the list does not have."""
    text = _folded(reply).strip(_MARKS)
    return bool(_NUMBER.fullmatch(text) or _PLACE.fullmatch(_AROUND.sub("", text)))


def _by_place(text: str, options: Sequence[Option]) -> list[str] | None:
    if found := _NUMBER.fullmatch(text):
        place = int(found[1]) - 1
    elif found := _PLACE.fullmatch(text):
        place = _PLACES[found[1]] if _PLACES[found[1]] >= 0 else len(options) - 1
    else:
        return None
    return [options[place]["document"]] if 0 <= place < len(options) else None


def _by_part(text: str, options: Sequence[Option]) -> list[str] | None:
    """The one option whose title or document has the text in it, or stands in the text; two such are no choice."""
    names = [(option["document"], [_folded(option["document"]), _folded(option["title"])]) for option in options]
    found = [document for document, own in names if any(_is_part(text, name) for name in own)]
    return found if len(found) == 1 else None


def _is_part(text: str, name: str) -> bool:
    return len(text) >= _NAME_CHARS and len(name) >= _NAME_CHARS and (text in name or name in text)


def _by_words(text: str, options: Sequence[Option]) -> list[str] | None:
    """The options of whose names the reply has words that not all of them have; None where it says much beside."""
    names = [set(analyse(f"{option['title']}\n{option['document']}")) for option in options]
    every, common = set().union(*names), names[0].intersection(*names) if names else set()
    words = set(query_words(text))
    beside = [term for term in content_terms(text) if every.isdisjoint(query_words(term))]
    found = [option["document"] for option, own in zip(options, names, strict=True) if words & (own - common)]
    return found if found and len(beside) <= _OTHER_WORDS else None


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
