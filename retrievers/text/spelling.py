"""Folds the spellings of a name to one key: width, case, accents, articles, honorifics, legal forms, particles.

Pure; retrievers/text/names.py finds the spellings, the store joins them by key.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from retrievers.entities import EntityKind
from retrievers.text.analysis import fold
from retrievers.text.stopwords import is_english_function_word

MAX_KEY = 120
"""Characters: a name is shorter, and a B-tree entry of two keys of three bytes a character stays under its limit of 2,704 bytes."""

_CACHE_SIZE = 1 << 15  # distinct spellings, as many as the analyser remembers words
_CACHED_SPELLING = 128  # longer ones are no names; a line of a megabyte must not stay in memory
_ROUNDS = 4  # what one round takes off may lay open something to take off: "the Dr. Ito" needs two

_KANJI = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"
_HIRAGANA = "\u3041-\u3096"
_CJK = _KANJI + _KATAKANA + _HIRAGANA
_MARKED = "\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # scripts whose vowel signs are no \w

_PARENTHESIS_AT_END = re.compile(r"(?<=\S)\s*\([^()]{1,60}\)\s*\Z")
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.[ -]?){2,}(?:[^\W\d_]\b(?!['’\w]))?")
_POSSESSIVE = re.compile(r"'s\b(?!\w)", re.IGNORECASE)
_ACRONYMS_PLURAL = re.compile(r"\b([A-Z]{2,})s\b")
_BETWEEN_KATAKANA = re.compile(rf"(?<=[{_KATAKANA}])[・=゠\s]+(?=[{_KATAKANA}])")
_BETWEEN_CJK = re.compile(rf"(?<=[{_CJK}])\s+(?=[{_CJK}])")
_LONG_VOWEL_END = re.compile(rf"(?<=[{_KATAKANA}]{{3}})ー(?![{_KATAKANA}])")
_FLAG = re.compile(r"--[a-z][\w-]*")
_TOKEN = re.compile(rf"\d+(?:[.,]\d+)+|(?:[^\W_]|[{_MARKED}])+(?:&[^\W_]+)*(?:\+\+|#(?!\w))?")
_LETTERS_AND_NUMBER = re.compile(r"([a-z]{1,8})(\d+(?:\.\d+)*[a-z]{0,2})")

_ARTICLES = frozenset({"the", "a", "an"})
_TITLES = frozenset("mr mrs ms miss dr prof professor sir".split())  # noqa: SIM905
_LEGAL_ENDS = frozenset("inc incorporated ltd llc llp plc gmbh corp ag kk".split())  # noqa: SIM905
"""Only forms that are nothing else: without its last word the East India Company would be another thing."""
_BEFORE_LEGAL_END = frozenset({"co", "pty"})

_PLAIN = re.compile("[A-Z][a-z]+(?: [A-Z][a-z]+)*")
"""Nearly all names: nothing is folded but case, unless one of these words stands in them."""
_SPECIAL = _ARTICLES | _TITLES | _LEGAL_ENDS

_LEGAL_CJK = (
    r"株式会社|有限会社|合同会社|合資会社|合名会社|\(株\)|\(有\)|独立行政法人|国立研究開発法人|国立大学法人|学校法人|"
    r"(?:一般|公益|特定非営利活動)?(?:社団|財団)?法人|特定非営利活動法人"
)
_LEGAL_BEFORE = re.compile(rf"\A(?:{_LEGAL_CJK})\s*(?=\S{{2}})")
_LEGAL_AFTER = re.compile(r"(?<=\S\S)\s*(?:株式会社|有限会社|合同会社|\(株\)|\(有\)|股份有限公司|有限公司)\Z")
_HONORIFIC = re.compile(rf"(?<=[{_KANJI}{_KATAKANA}A-Za-z][{_KANJI}{_KATAKANA}A-Za-z])(?:さん|さま|様|氏|くん|君|ちゃん)\Z")
_POLITE = ("お", "ご", "御")
_PARTICLES = re.compile(
    rf"(?<=[{_KANJI}{_KATAKANA}A-Za-z0-9][{_KANJI}{_KATAKANA}A-Za-z0-9])(?:の|は|が|を|に|へ|と|で|も|や|から|まで|より|など|について|とは)+\Z"
)


class Spelling(NamedTuple):
    """A name as it stands at text[start:end]. `opens`: a single word where a sentence begins, so that its capital says nothing."""

    start: int
    end: int
    kind: EntityKind = "name"
    opens: bool = False


def name_key(text: str) -> str:
    """What all spellings of one name share; lower case, at most MAX_KEY characters, and its own key. Empty where no letter or digit stands.

    A plural is folded where its case shows that it is one: APIs, and "Graph databases", whose last word is small; never Windows.
    """
    return _remembered(text) if len(text) <= _CACHED_SPELLING else _key(text[: 4 * MAX_KEY])


def term_key(text: str) -> str:
    """As name_key, for what is known to be a common term: "graph databases" is "graph database"."""
    key = name_key(text)
    return _singular(key) if text == text.casefold() else key


def title_key(title: str) -> str:
    """The key of a title; what an encyclopedia adds in parentheses to tell two titles apart is left out."""
    return name_key(without_parenthesis(title)) or name_key(title)


def without_parenthesis(title: str) -> str:
    """The title without a parenthesis at its end: "Brand (play)" is "Brand"."""
    return _PARENTHESIS_AT_END.sub("", fold(title) if "（" in title else title)


def _key(text: str) -> str:
    if _PLAIN.fullmatch(text) and _SPECIAL.isdisjoint(words := text.casefold().split()):
        return " ".join(words)[:MAX_KEY].strip()
    folded = fold(text).replace("’", "'").strip()
    if _FLAG.fullmatch(folded.casefold()):
        return folded.casefold()[:MAX_KEY]
    plural = not folded.isupper() and folded != folded.casefold() and folded.split()[-1].islower() if folded else False
    shouted = _shouted(folded)
    key = _settled(_ACRONYMS_PLURAL.sub(r"\1", _POSSESSIVE.sub("", folded)), shouted)
    return _singular(key) if plural and " " in key else key


def _shouted(text: str) -> bool:
    """Whether the name behind an article is an acronym: "the US", but not "The Who"."""
    words = text.split()
    return len(words) == 2 and words[1].replace(".", "").isupper()


def _settled(text: str, shouted: bool) -> str:
    for _ in range(_ROUNDS):
        before, text = text, _round(text, shouted)
        if text == before:
            break
    return text


def _round(text: str, shouted: bool) -> str:
    text = _cjk(_INITIALS.sub(_joined, text))
    words = [word for token in _TOKEN.findall(fold(text.casefold())) for word in _split(token)]
    words = _without_ends(_without_titles(_without_articles(words, shouted)))
    return _cjk(" ".join(words))[:MAX_KEY].strip()


def _joined(initials: re.Match[str]) -> str:
    return re.sub(r"[. -]", "", initials[0]) + " "


def _split(token: str) -> tuple[str, ...]:
    """XR4200 is XR 4200, as XR-4200 is."""
    found = _LETTERS_AND_NUMBER.fullmatch(token)
    return found.groups() if found else (token,)


def _without_articles(words: list[str], shouted: bool) -> list[str]:
    """Without leading articles, unless only a function word would be left that is no acronym: The Who."""
    while len(words) > 1 and words[0] in _ARTICLES and (shouted or not all(map(is_english_function_word, words[1:]))):
        words = words[1:]
    return words


def _without_titles(words: list[str]) -> list[str]:
    while len(words) > 1 and words[0] in _TITLES and len(words[1]) > 1:
        words = words[1:]
    return words


def _without_ends(words: list[str]) -> list[str]:
    if len(words) > 1 and words[-1] in _LEGAL_ENDS:
        return words[:-2] if len(words) > 2 and words[-2] in _BEFORE_LEGAL_END else words[:-1]
    return words


def _cjk(text: str) -> str:
    """Without what Japanese writes around a name; ascii text is left as it is."""
    if text.isascii():
        return text
    text = _BETWEEN_CJK.sub("", _BETWEEN_KATAKANA.sub("", text)).strip()
    text = _LEGAL_AFTER.sub("", _LEGAL_BEFORE.sub("", text))
    if not text.startswith(_POLITE):
        text = _HONORIFIC.sub("", text)
    return _LONG_VOWEL_END.sub("", _PARTICLES.sub("", text))


def _singular(key: str) -> str:
    """The key with its last word in the singular, where an ending is plainly that of a plural; short words are left."""
    if len(key) < 5 or not key.isascii() or key.endswith(("ss", "us", "is", "news", "series", "species", "ics")) or not key.endswith("s"):
        return key
    if key.endswith("ies"):
        return key[:-3] + "y"
    return key[:-2] if key.endswith(("ches", "shes", "sses", "xes")) else key[:-1]


_remembered = lru_cache(_CACHE_SIZE)(_key)
