"""Keeps of what a model says a text holds only what stands in that text, each with its span.

Pure; used by retrievers/providers/names_chat.py. A document that speaks to the model can change no more than which of its own words are
names.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from retrievers.entities import Extraction, GraphText, Name, Placed, Relation
from retrievers.said import SaidName, SaidRelation, SaidText
from retrievers.text.names import name_key
from retrievers.text.quotes import find_quote

T = TypeVar("T")

NAME_CHARS = 80
"""Longer is a sentence."""
PREDICATE_CHARS = 60
MOST = 60
"""Names, and relations, of one text: three times what the prompt asks for, and a bound for a model that repeats itself."""

_LOOSE = 0.5
"""Weight of a relation whose quote does not name both: the one is a pronoun there, or the quote is beside the point."""
_NOT_SAID = re.compile(r"[^\w\s'’・-]+")
_LATIN = re.compile(r"[0-9A-Za-z\u00c0-\u024f]")
_WORD_REST = re.compile(r"(?:e?s)?(?![0-9A-Za-z\u00c0-\u024f])")
"""After a name in Latin script: nothing of a word, or a plural's ending."""
_PLACES = 20
"""Occurrences of a name that are looked at for one that is no part of a longer word."""


def grounded(text: GraphText, ruled: Extraction, said: SaidText, dropped: Counter[str]) -> Extraction:
    """The rules' extraction with what of `said` stands in the text; what does not is counted in `dropped` by why.

    Where both have a name the model's kind holds, unless it is the kind `name`, and the rules' spelling and place.
    """
    names = {name.key: name for name in ruled.names}
    for entry in sorted(_first(said.names, dropped), key=lambda name: -len(name.text)):
        _add_name(names, text, entry, dropped)
    relations = {(relation.head, relation.tail, relation.kind): relation for relation in ruled.relations}
    for tie in _first(said.relations, dropped):
        found = _relation(names, text, tie, dropped)
        if found is not None:
            relations.setdefault((found.head, found.tail, found.kind), found)
    return replace(ruled, names=tuple(names.values()), relations=tuple(relations.values()))


def predicate_of(text: str) -> str:
    """A model's predicate as it is kept: words alone, lower-cased, at most PREDICATE_CHARS, ending with a word where it has several."""
    words = " ".join(_NOT_SAID.sub(" ", unicodedata.normalize("NFKC", text)).lower().split())
    if len(words) <= PREDICATE_CHARS:
        return words
    cut = words[: PREDICATE_CHARS + 1]
    return cut.rpartition(" ")[0] or cut[:PREDICATE_CHARS]


def _first(entries: Sequence[T], dropped: Counter[str]) -> Sequence[T]:
    if len(entries) > MOST:
        dropped["too many"] += len(entries) - MOST
    return entries[:MOST]


def _add_name(names: dict[str, Name], text: GraphText, said: SaidName, dropped: Counter[str]) -> None:
    if len(said.text) > NAME_CHARS:
        dropped["name too long"] += 1
        return
    found = _name(text, said)
    if found is None:
        dropped["name not in the text"] += 1
    elif (key := _full_key(names, found.key)) not in names:
        names[key] = found
    elif said.kind != "name":
        names[key] = replace(names[key], kind=said.kind)


def _name(text: GraphText, said: SaidName) -> Name | None:
    """The name where it stands: in the text, else in the nearest heading, else in the title."""
    spellings: list[tuple[Placed, str]] = [("text", text.text), *(("heading", part) for part in reversed(text.heading_path))]
    for placed, words in [*spellings, ("title", text.title)]:
        span = _find_name(words, said.text)
        if span is None:
            continue
        spelling = words[slice(*span)]
        key = name_key(spelling)
        start, end = span if placed == "text" else (0, 0)
        return Name(key, spelling, said.kind, placed, start, end, max(1, words.count(spelling))) if key else None
    return None


def _find_name(words: str, name: str) -> tuple[int, int] | None:
    """The first occurrence that is no part of a longer word: "Al" does not stand in "Also"."""
    start = 0
    for _ in range(_PLACES):
        found = find_quote(words[start:], name)
        if found is None:
            return None
        first, last = start + found[0], start + found[1]
        if not _inside_word(words, first, last):
            return first, last
        start = first + 1
    return None


def _inside_word(words: str, start: int, end: int) -> bool:
    before = start > 0 and _LATIN.match(words[start]) and _LATIN.match(words[start - 1])
    return bool(before) or bool(_LATIN.match(words[end - 1]) and not _WORD_REST.match(words, end))


def _relation(names: dict[str, Name], text: GraphText, said: SaidRelation, dropped: Counter[str]) -> Relation | None:
    span, kind = find_quote(text.text, said.quote), predicate_of(said.predicate)
    head, tail = _key(names, text, said.head), _key(names, text, said.tail)
    if span is None:
        dropped["quote not in the text"] += 1
    elif head is None or tail is None:
        dropped["relation of no entity"] += 1
    elif not kind or head == tail:
        dropped["no relation"] += 1
    else:
        quote = text.text[slice(*span)]
        tight = all(_find_name(quote, end) for end in (said.head, said.tail))
        return Relation(head, tail, kind, *span, weight=1.0 if tight else _LOOSE)
    return None


def _key(names: dict[str, Name], text: GraphText, said: str) -> str | None:
    """The key of a relation's end; a name that stands in the text and was not listed is added."""
    if (key := name_key(said)) in names:
        return key
    found = _name(text, SaidName(said, "name")) if len(said) <= NAME_CHARS else None
    if found is None:
        return None
    key = _full_key(names, found.key)
    names.setdefault(key, found)
    return key


def _full_key(names: dict[str, Name], key: str) -> str:
    """A person's last name alone means the one person of this text who has it."""
    if key in names:
        return key
    whole = [known.key for known in names.values() if known.kind == "person" and known.key.endswith(f" {key}")]
    return whole[0] if len(whole) == 1 else key
