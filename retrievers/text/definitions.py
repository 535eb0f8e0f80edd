"""Reads what a text says of its own words: abbreviations, other names of a thing, and terms that it defines.

Pure; one step of retrievers/text/names.py.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from retrievers.text.capitals import OPENERS
from retrievers.text.spelling import Spelling, term_key
from retrievers.text.stopwords import is_english_function_word
from retrievers.text.transliteration import sounds_like

_KANJI = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"
_LOOKED_BACK = 120  # characters before a parenthesis: room for a name of ten words

_PARENTHESIS = re.compile(r"[(（](?P<inner>[^()（）\n]{2,80})[)）]")
_FIRST_PART = re.compile(r"[^,;、；]+")
_ACRONYM = re.compile(r"[A-Z](?:[A-Za-z0-9]|[&.-](?=[A-Za-z0-9])){1,9}")
_ACRONYM_BEFORE = re.compile(r"(?<![^\W_])(?P<name>[A-Z][A-Z0-9&]{1,8})\s?\Z", re.ASCII)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_INSIDE_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")
_SKIPPED = frozenset("of the and for in on a an to by with de la du des und et".split())  # noqa: SIM905

_CJK_BEFORE = re.compile(rf"(?P<name>[{_KANJI}{_KATAKANA}・ヶA-Za-z0-9]{{2,30}})[」』]?\Z")
_SAID_SHORT = re.compile(
    rf"(?:以下、?|通称[は:：]?、?|略称[は:：]?、?|略して|別名[は:：]?、?|別称[は:：]?、?|旧称[は:：]?、?|愛称[は:：]?、?|简称|簡稱|又称|又稱|俗称)"
    rf"(?:[「『“\"](?P<quoted>[^「」『』”\"\n]{{2,30}})[」』”\"]|(?P<plain>[{_KANJI}{_KATAKANA}・A-Za-z0-9]{{2,30}}))"
)
_LONG_ORGANISATION = re.compile(
    "機構|協会|機関|連合|連盟|大学|省|庁|局|委員会|会議|銀行|基金|組織|研究所|センター|会社|条約|協定|学会|制度|システム|指数|事業|団体|同盟|協議会|法"
)
_TOPIC = re.compile(rf"\A(?P<name>[{_KANJI}{_KATAKANA}・A-Za-z0-9]{{2,30}})(?=は|とは|、|（|\()")
_IS_DEFINED = re.compile(rf"(?:\A|(?<=[、。「]))(?P<name>[{_KANJI}{_KATAKANA}・A-Za-z0-9]{{2,24}})[」』]?とは(?=[、,]|[^\u3041-\u3096])")

_KNOWN_AS = re.compile(
    r"(?:\b(?:also|better|commonly|formerly|professionally|originally|otherwise|previously|popularly|officially|now)\s+"
    r"(?:known|called|named|referred\s+to|abbreviated)(?:\s+(?:professionally|simply|commonly))?(?:\s+(?:as|to))?|\babbreviated\s+(?:as|to)|\ba\.k\.a\.|\baka)"
    r"\s+(?:as\s+)?(?P<other>(?:the\s+|an?\s+)?[\"“'‘*]*[^\s\"“”,.;:()][^\"“”,.;:()\n]{1,60})"
)
_BEFORE_CUE = re.compile(r"(?:\s*\([^()]{0,60}\))?[\s,(]*(?:(?:is|was|are|were)\s*)?\Z")
_CUT_AT_WORD = re.compile(r"\s(?:is|was|are|were|and|or|which|who|has|had|in|by|because|to|from|after|when)\s.*", re.DOTALL)
_MARKS = "\"“”'‘’* "

_BOLD = re.compile(r"\*\*(?P<name>[^*\n]{2,60})\*\*|__(?P<other>[^_\n]{2,60})__")
_CALLED = re.compile(
    r"\b(?:called|termed|dubbed|known\s+as|referred\s+to\s+as)\s+(?:the\s+|an?\s+)?[\"“‘*](?P<name>[^\"“”’*\n]{2,60})[\"”’*]"
)
_IS_A = re.compile(r"(?:An?\s+)?(?P<name>[A-Z][\w-]{2,30}(?:\s[a-z][\w-]{2,30}){0,2})\s+is\s+an?\s")


class Same(NamedTuple):
    """The text says at start:end that two spellings are one thing; `name` is the shorter or later one."""

    name: Spelling
    full: Spelling
    start: int
    end: int


def abbreviations(text: str, start: int, end: int) -> Iterator[Same]:
    """What parentheses in the sentence text[start:end] abbreviate or spell out. Latin initials have to fit."""
    for found in _PARENTHESIS.finditer(text, start, end):
        part = _FIRST_PART.match(found["inner"])
        inner = part[0].strip() if part else ""
        if not inner:
            continue
        left = found.start("inner") + found["inner"].find(inner)
        inside = Spelling(left, left + len(inner), "term")
        before = text[max(start, found.start() - _LOOKED_BACK) : found.start()]
        full = _spelled_out(inner, before, found.start()) or _cjk_spelled_out(inner, before, found.start())
        if full:
            yield Same(inside, full, full.start, found.end())
        elif acronym := _abbreviated(inner, before):
            at = found.start() - len(before) + acronym.start("name")
            yield Same(Spelling(at, at + len(acronym["name"]), "term"), inside, at, found.end())


def other_names(text: str, start: int, end: int, ends: Mapping[int, Spelling], titles: Collection[str]) -> Iterator[Same]:
    """ "X, also known as Y" and 「X（通称Y）」 in the sentence. `ends` are the names found, by where they end; a key of `titles` may
    begin the sentence."""
    for found in _KNOWN_AS.finditer(text, start, end):
        subject = _subject(text, start, found.start(), ends, titles)
        other = _CUT_AT_WORD.sub("", found["other"]).strip(_MARKS)
        if subject and other and len(other.split()) <= 6:
            left = text.index(other, found.start("other"))
            yield Same(Spelling(left, left + len(other), "term"), subject, subject.start, left + len(other))
    for found in _SAID_SHORT.finditer(text, start, end):
        group = found.lastgroup or "plain"
        subject = _cjk_subject(text, start, found.start())
        if subject and text[subject.start : subject.end] != found[group]:
            yield Same(Spelling(*found.span(group), "term"), subject, subject.start, found.end())


def defined(text: str, start: int, end: int) -> Iterator[Spelling]:
    """Terms that the sentence defines: in bold, "called X" in quotes, "X is a", 「Xとは」."""
    for pattern in (_BOLD, _CALLED):
        for found in pattern.finditer(text, start, end):
            group = found.lastgroup or "name"
            if len(found[group].split()) <= 6 and found[group][-1] not in ".!?:。":
                yield Spelling(*found.span(group), "term")
    if (begun := _IS_A.match(text, start, end)) and not _plain(begun["name"]):
        yield Spelling(*begun.span("name"), "term")
    for found in _IS_DEFINED.finditer(text, start, end):
        yield Spelling(*found.span("name"), "term")


def _plain(name: str) -> bool:
    first = name.split()[0].casefold()
    return is_english_function_word(first) or first in OPENERS or any(map(is_english_function_word, name.split()))


def _spelled_out(acronym: str, before: str, end: int) -> Spelling | None:
    """The words before a parenthesis that the acronym in it abbreviates, the fewest that fit."""
    if not _ACRONYM.fullmatch(acronym) or sum(letter.isupper() for letter in acronym) < 2:
        return None
    short = _letters(acronym[:-1] if acronym[-1] == "s" and acronym[-2].isupper() else acronym)
    words = list(_WORD.finditer(before))
    if not words or before[words[-1].end() :].strip(" \t\n\"'”’*_"):
        return None
    for first in range(len(words) - 2, max(-1, len(words) - 2 * len(short) - 3), -1):
        if words[first][0].casefold() not in _SKIPPED and _fits(short, [word[0] for word in words[first:]]):
            return Spelling(end - len(before) + words[first].start(), end - len(before) + words[-1].end(), "term")
    return None


def _abbreviated(inner: str, before: str) -> re.Match[str] | None:
    """The acronym before a parenthesis that spells it out."""
    acronym = _ACRONYM_BEFORE.search(before)
    words = _WORD.findall(inner)
    return acronym if acronym and len(words) > 1 and _fits(_letters(acronym["name"]), words) else None


def _letters(acronym: str) -> str:
    return "".join(letter for letter in acronym.casefold() if letter.isalnum())


def _fits(short: str, words: Sequence[str]) -> bool:
    """Whether the initials of the words are those letters in order; little words may be passed over, capitals inside a word count."""
    every = [(word[0] + "".join(_INSIDE_CAPITAL.findall(word))).casefold() for word in words]
    content = [initials for word, initials in zip(words, every, strict=True) if word.casefold() not in _SKIPPED]
    if short in ("".join(every), "".join(content), "".join(initials[0] for initials in content)):
        return True
    return len(content) < len(short) and _inside(short, [word.casefold() for word in words if word.casefold() not in _SKIPPED])


def _inside(short: str, words: Sequence[str]) -> bool:
    """DNA in "deoxyribonucleic acid": every word gives its first letter, and some of them later ones."""
    at = 0
    for place, word in enumerate(words):
        if at >= len(short) or word[0] != short[at]:
            return False
        at += 1
        following = words[place + 1][0] if place + 1 < len(words) else ""
        for letter in word[1:]:
            if at < len(short) and letter == short[at] and (letter != following or short.count(letter, at) > 1):
                at += 1
    return at == len(short)


def _cjk_spelled_out(inner: str, before: str, end: int) -> Spelling | None:
    """The Japanese name before a parenthesis that holds its acronym or its Latin spelling; the latter has to sound alike."""
    found = _CJK_BEFORE.search(before)
    if not found or not inner.isascii() or not inner[0].isupper():
        return None
    name = found["name"]
    acronym = _ACRONYM.fullmatch(inner) and inner.isupper() and len(name) > 3 and _LONG_ORGANISATION.search(name[-4:])
    if not (acronym or sounds_like(name, inner)):
        return None
    at = end - len(before) + found.start("name")
    return Spelling(at, at + len(name), "organisation" if acronym else "name")


def _subject(text: str, start: int, cue: int, ends: Mapping[int, Spelling], titles: Collection[str]) -> Spelling | None:
    """The name right before the cue, or the title that begins the sentence."""
    before = _BEFORE_CUE.search(text, max(start, cue - _LOOKED_BACK), cue)
    at = before.start() if before else cue
    if at in ends:
        return ends[at]
    return Spelling(start, at, "term") if at - start < _LOOKED_BACK and term_key(text[start:at]) in titles else None


def _cjk_subject(text: str, start: int, cue: int) -> Spelling | None:
    """The name before the parenthesis that the cue opens, or the topic that begins the sentence."""
    opened = text[max(start, cue - 1) : cue] in ("（", "(")
    found = _CJK_BEFORE.search(text[start : cue - 1]) if opened else _TOPIC.match(text[start:cue])
    return Spelling(start + found.start("name"), start + found.end("name"), "name") if found else None
