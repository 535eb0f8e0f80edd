"""Names in a passage and in a question, by rules alone: titles, capitals, katakana, suffixes, quotes, codes.

Pure; behind retrievers/providers/names_rules.py, and retrievers/knowledge.py links questions by it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from retrievers.entities import Alias, Extraction, GraphText, Name, Placed
from retrievers.text.capitals import OPENERS, capitalised
from retrievers.text.cjk_names import CJK, cjk_names
from retrievers.text.definitions import Same, abbreviations, defined, other_names
from retrievers.text.kinds import GENERIC, kind_of
from retrievers.text.sentences import sentences
from retrievers.text.short_forms import long_forms
from retrievers.text.spelling import Spelling, name_key, term_key, title_key, without_parenthesis
from retrievers.text.stopwords import is_english_function_word
from retrievers.text.terms import cjk_terms, code_spans
from retrievers.text.ties import Mention, ties

__all__ = ["name_key", "names", "names_in_question", "term_key", "title_key"]

MAX_NAMES = 64
"""Of one chunk: a page of 512 tokens holds fewer than 40; the index of a book or a log must not fill the graph."""

_READ = 20_000  # characters; a chunk of 1,024 tokens has fewer, and what is larger is data
_MAX_MENTIONS = 512  # of one chunk, repeats counted: eight to a name
_LONGEST_HEADING = 60  # characters; a longer heading is a sentence
_GROUP = 8  # words of a question that may be one name: "the lord of the rings the two towers"
_COMPOUNDS = 4
_QUESTION = 1000  # characters; what is pasted behind a question names nothing more
_NUMBERED = re.compile(
    r"\A(?:(?:chapter|section|part|appendix)\s+[\dIVX]+(?:\.\d+)*[.):]?\s+|\d+(?:\.\d+)*[.):]\s+|\d+(?:\.\d+)+\s+|第[\d一二三四五六七八九十]+[章節部条]\s*)",
    re.IGNORECASE,
)
"""How a heading is numbered; 12 Monkeys is a name."""
_PLAIN_HEADINGS = frozenset(
    "introduction overview summary conclusion conclusions references background history contents notes abstract faq appendix usage "  # noqa: SIM905
    "examples example description details general other 概要 はじめに おわりに まとめ 目次 参考文献 脚注 歴史 背景 結論 序論 "
    "注意 備考 関連項目".split()
)
_SMALL = re.compile(r"[a-z][a-z]+")
_WORDS = re.compile(r"[^\s?!,;:。、？！]+")
_ORDINARY_ENDS = ("ly", "ing", "ed", "tion", "tions", "ment", "ments", "ness", "ists", "ive", "ical", "ous", "ism")


def names(text: GraphText) -> Extraction:
    """At most MAX_NAMES names, each key once: the title's first, headings' next, then those that stand oftenest and first.

    Aliases and relations are among these names. Of a text only the first 20,000 characters are read.
    """
    read = text.text[:_READ]
    spans = sentences(read)
    placed = _placed(text.title, text.heading_path)
    mentions, same = _mentions(read, spans, placed)
    found = _named(read, placed, mentions)
    topic = next((name.key for name in found if name.placed == "title"), "")
    kept = frozenset(name.key for name in found)
    aliases = [alias for alias in same if alias.key in kept and alias.same_as in kept]
    return Extraction(names=found, relations=ties(mentions, spans, topic, kept), aliases=aliases)


def names_in_question(question: str) -> list[str]:
    """Distinct keys that the question may name, the likeliest first: capitalised, quoted, katakana and codes, then groups of up to
    eight words, longest first. They are candidates: what no passage holds names nothing."""
    text = question[:_QUESTION]
    keys = [name_key(text[found.start : found.end]) for start, end in sentences(text) for found in _spellings(text, start, end)]
    return [key for key in dict.fromkeys([*keys, *_groups(text), *_compounds(text)]) if key]


def _compounds(question: str) -> Iterator[str]:
    """Up to four CJK compounds in a row, with the kana between them: ベトナムの歴史."""
    spans = cjk_terms(question)
    for length in range(_COMPOUNDS, 0, -1):
        for first, last in zip(spans, spans[length - 1 :], strict=False):
            candidate = question[first[0] : last[1]]
            if length < len(candidate) <= _LONGEST_HEADING:
                yield name_key(candidate)


def _groups(question: str) -> Iterator[str]:
    words = [found[0] for found in _WORDS.finditer(question)]
    for length in range(min(_GROUP, len(words)), 0, -1):
        for at in range(len(words) - length + 1):
            group = words[at : at + length]
            if _may_name(group):
                spelling = " ".join(group)
                yield name_key(spelling)
                yield term_key(spelling.casefold())


def _may_name(group: Sequence[str]) -> bool:
    first, last = group[0].casefold(), group[-1].casefold()
    if is_english_function_word(last) or (is_english_function_word(first) and first not in ("the", "a", "an")):
        return False
    return len(group) > 1 or (len(first) > 2 and first not in OPENERS and first not in GENERIC and not first.isdecimal())


def _spellings(text: str, start: int, end: int) -> Iterator[Spelling]:
    yield from capitalised(text, start, end)
    if CJK.search(text, start, end):
        yield from cjk_names(text, start, end)
    for left, right in code_spans(text, start, end):
        yield Spelling(left, right, "code")


def _placed(title: str, heading_path: Sequence[str]) -> dict[str, Name]:
    """The title and the headings as names, and the names inside them, which count as a heading's."""
    lines = [_NUMBERED.sub("", line.strip()) or line.strip() for line in (title, *heading_path)]
    found: dict[str, Name] = {}
    for at, line in enumerate(lines):
        _place(found, "heading" if at else "title", line)
    for line in (line[:_QUESTION] for line in lines):
        for spelling in _spellings(line, 0, len(line)):
            name = line[spelling.start : spelling.end]
            key = name_key(name)
            if key and not spelling.opens:
                found.setdefault(key, Name(key, name, spelling.kind, "heading"))
    return found


def _place(found: dict[str, Name], place: Placed, line: str) -> None:
    key = title_key(line)
    if not key or (place == "heading" and (len(line) > _LONGEST_HEADING or key in _PLAIN_HEADINGS or key.isdecimal())):
        return
    cue = kind_of(without_parenthesis(line).split())
    found.setdefault(key, Name(key, without_parenthesis(line), "term" if cue == "name" else cue, place))


def _mentions(text: str, spans: Sequence[tuple[int, int]], placed: dict[str, Name]) -> tuple[list[Mention], list[Alias]]:
    """Every spelling in the text with its key, and what it says to be the same; short forms carry the key of their full name."""
    found: list[Mention] = []
    same: dict[tuple[str, str], Same] = {}
    titles = [name for name in placed.values() if name.placed == "title"]
    for number, (start, end) in enumerate(spans):
        spelled = list(_spellings(text, start, end))
        said = _said(text, start, end, spelled, titles)
        spelled += [*defined(text, start, end), *(side for one in said for side in (one.full, one.name))]
        found += [Mention(_key(text, one), one.start, one.end, one.kind, number, one.opens) for one in spelled if _key(text, one)]
        same |= {(_key(text, one.name), _key(text, one.full)): one for one in reversed(said)}
        if len(found) > _MAX_MENTIONS:
            break
    found = _without_ordinary(text, _once(found), placed)
    forms = long_forms(text, found, titles)
    aliases = [Alias(key, full, one.start, one.end) for (key, full), one in same.items() if key != full and key and full]
    for alias in aliases:
        forms.pop(alias.key, None)
    return [mention._replace(key=forms.get(mention.key, mention.key)) for mention in found], aliases


def _key(text: str, spelling: Spelling) -> str:
    spelled = text[spelling.start : spelling.end]
    return term_key(spelled) if spelling.kind == "term" else name_key(spelled)


def _once(mentions: list[Mention]) -> list[Mention]:
    """Each place and key once: of two finders the one that knows the kind."""
    best: dict[tuple[str, int], Mention] = {}
    for mention in mentions:
        known = best.get((mention.key, mention.start))
        if known is None or known.kind == "name" or known.opens:
            best[mention.key, mention.start] = mention if mention.kind != "name" or known is None else known
    return list(best.values())


def _said(text: str, start: int, end: int, spelled: Sequence[Spelling], titles: Sequence[Name]) -> list[Same]:
    ends = {one.end: one for one in reversed(spelled)}
    named = [name.key for name in titles]
    return [*abbreviations(text, start, end), *other_names(text, start, end, ends, named)]


def _without_ordinary(text: str, mentions: list[Mention], placed: dict[str, Name]) -> list[Mention]:
    """Without the single words that only the beginning of a sentence capitalises."""
    if not any(mention.opens for mention in mentions):
        return mentions
    longer = {mention.start for mention in mentions if not mention.opens and mention.kind == "term"}
    mentions = [mention for mention in mentions if not mention.opens or mention.start not in longer]
    sure = {mention.key for mention in mentions if not mention.opens} | placed.keys()
    ends = {key.rsplit(" ", 1)[-1] for key in sure}
    small = set(_SMALL.findall(text))
    return [
        mention
        for mention in mentions
        if not mention.opens
        or mention.key in sure
        or mention.key in ends
        or not (mention.key in small or mention.key.endswith(_ORDINARY_ENDS))
    ]


def _named(text: str, placed: dict[str, Name], mentions: Sequence[Mention]) -> list[Name]:
    counts = Counter(mention.key for mention in mentions)
    firsts: dict[str, Mention] = {}
    for mention in mentions:
        firsts.setdefault(mention.key, mention)
    given = [replace(name, count=max(1, counts[key])) for key, name in placed.items()]
    others = sorted((mention for key, mention in firsts.items() if key not in placed), key=lambda one: (-counts[one.key], one.start))
    told = [Name(one.key, text[one.start : one.end], one.kind, "text", one.start, one.end, counts[one.key]) for one in others]
    return [*given, *told][:MAX_NAMES]
