"""Finds names written with capitals: runs of capitalised words, whole and cut at their joints, initials, hyphens and acronyms.

Pure; one of the finders behind retrievers/text/names.py. Also inside Japanese and Chinese, where a Latin word is a name.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from retrievers.text.kinds import GENERIC, kind_of
from retrievers.text.spelling import Spelling
from retrievers.text.stopwords import is_english_function_word

MAX_WORDS = 10
"""Longer runs are headings and lists in title case: only what their joints part is kept."""

_MAX_WORD = 40  # characters; the longest names of places have fewer
_SHOUTED = 20  # characters; a longer sentence without small letters is shouted, and its capitals say nothing: "IBM, NASA" is not
_SHOUTED_WORDS = 4  # in a row, or more, are a warning in a contract or the heading of a table
_CJK = "\u1100-\u11ff\u3005-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"


def _capitals() -> str:
    """A character class of every capital letter of Latin, Greek, Cyrillic and Armenian, full width ones too."""
    codes = [
        code
        for code in (*range(0x41, 0x590), *range(0x1E00, 0x2000), *range(0xFF21, 0xFF3B))
        if unicodedata.category(chr(code)) in ("Lu", "Lt")
    ]
    runs = [list(run) for _, run in groupby(enumerate(codes), lambda pair: pair[1] - pair[0])]
    return "".join(f"{chr(run[0][1])}-{chr(run[-1][1])}" for run in runs)


_UP = f"[{_capitals()}]"
_IN = rf"[^\W_{_CJK}]"
_BEGINS = rf"(?<![^\W_{_CJK}])"
_LINK = "(?:of|the|de|la|le|du|des|von|van|der|den|del|da|di|do|dos|and|&|for|in|on|at|al|el|bin|ibn|y|und|et)"
_TITLE = r"(?:St|Ste|Mt|Ft|Mr|Mrs|Ms|Dr|Prof|Sgt|Lt|Col|Gen|Capt|Rev|Hon|Gov|Sen|Jr|Sr|Inc|Ltd|Co|Corp|No)\."
_NUMBER = rf"\d{{1,4}}(?:st|nd|rd|th)?(?![.,:]?\d|{_IN})"
_WORD = rf"(?:{_TITLE}|{_UP}\.(?:[ -]?{_UP}\.)*|{_UP}{_IN}*(?:[&'’\-–]{_IN}+)*|(?:d|l|al|el)['’-]{_UP}{_IN}+|{_NUMBER})"
_WIDE = re.compile(f"[{_CJK}]")
_RUN = re.compile(rf"{_BEGINS}{_WORD}(?:(?:\s{{1,3}}|,\s(?=(?:Jr|Sr|Inc|Ltd)\.))(?:{_LINK}\s+){{0,2}}{_WORD}){{0,19}}")
_TOKEN = re.compile(r"\S+")
_NO_END = re.compile(r"(?:['’]s|[,'’.\-–])+\Z")
_KEEPS_DOT = re.compile(rf"(?:\b{_UP}|\b(?:Jr|Sr|Inc|Ltd|Co|Corp))\.\Z")

_JOINTS = frozenset("and & in on for at".split())  # noqa: SIM905
_YEAR = 4  # digits
_OF = frozenset({"of"})
_LINKS = frozenset("of the de la le du des von van der den del da di do dos and & for in on at al el bin ibn y und et".split())  # noqa: SIM905
_DATES = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct "  # noqa: SIM905
    "nov dec monday tuesday wednesday thursday friday saturday sunday".split()
)
_AMBIGUOUS_MONTHS = frozenset("may march april june august jan mar jun".split())  # noqa: SIM905  # also names of people: Theresa May
OPENERS = frozenset(
    "about above according across after additionally afterwards again against all almost along already also although always among amongst "  # noqa: SIM905
    "another any anyone anything around because before behind being below beneath beside besides between beyond both certain certainly "
    "clearly consequently currently despite doing done don't during each earlier either else elsewhere end especially even eventually ever "
    "every everyone everything evidently example except few fewer finally first firstly five following formerly fortunately four further "
    "furthermore generally given gradually great half having hence here historically hi hello however hundreds i'm i've i'd i'll "
    "including indeed initially inside instead it's its itself just last lastly later latter least less let let's like likewise "
    "many maybe meanwhile more moreover most mostly mr mrs ms much near nearly neither never nevertheless next nine no nobody none "
    "nonetheless nor note nothing notably now numerous obviously occasionally off often ok once one only onto opposite original "
    "originally others otherwise outside over overall particularly per perhaps please possibly presently previously primarily prior "
    "probably quite rather recently regarding roughly same second secondly see seven several shall should similar similarly since six "
    "some someone something sometimes soon specifically still subsequently ten therefore thereafter these third thirdly those though "
    "three through throughout thus today together tomorrow too toward towards traditionally two typically ultimately under underneath "
    "unfortunately unless unlike until up upon us used using usually various very via well were whatever whenever whereas whereby "
    "other part parts effect effects result results reactive local key common modern early late large small high low main major minor "
    "good bad young people children students researchers scientists scholars members today's recent former formerly famous popular "
    "different important example examples evidence data work works research studies study students life water "
    "food money man men woman women "
    "wherever whether whichever while whilst whoever within without yes yesterday yet must might may".split()
)
"""Capitalised only since a sentence begins with them; function words come on top."""


class Word(NamedTuple):
    """A word of a run, at text[start:end]."""

    start: int
    end: int
    text: str


def capitalised(text: str, start: int, end: int) -> Iterator[Spelling]:
    """Names in the sentence text[start:end]: each run of capitalised words, and what its joints part; they overlap."""
    if end - start >= _SHOUTED and text[start:end].isupper():
        return
    for run in _RUN.finditer(text, start, end):
        words = [Word(found.start(), found.end(), found[0]) for found in _TOKEN.finditer(text, run.start(), run.end())]
        if len(words) < _SHOUTED_WORDS or not run[0].isupper():
            for piece in _pieces(words):
                yield from _name(text, piece, start)


def _pieces(words: list[Word]) -> list[list[Word]]:
    """The run, its parts between joints, and what stands on both sides of an "of" or a possessive."""
    if len(words) == 1:
        return [words]
    parts = _parted(words, _JOINTS)
    pieces = [words] if len(parts) > 1 and len(words) <= MAX_WORDS else []
    for part in parts:
        if len(part) <= MAX_WORDS:
            pieces.append(part)
        sides = _parted(part, _OF)
        pieces += [side for at, side in enumerate(sides) if len(sides) > 1 and (at or len(side) > 1)]  # not the House of Commons' House
        owned = _possessed(part)
        pieces += owned if len(owned) > 1 else []
    return pieces


def _parted(words: list[Word], joints: frozenset[str]) -> list[list[Word]]:
    at = [place for place, word in enumerate(words) if word.text in joints]
    if not at:
        return [words]
    return [part for left, right in pairwise([-1, *at, len(words)]) if (part := words[left + 1 : right])]


def _possessed(words: list[Word]) -> list[list[Word]]:
    at = [place + 1 for place, word in enumerate(words[:-1]) if word.text.endswith(("'s", "’s"))]
    return [words[left:right] for left, right in pairwise([0, *at, len(words)])] if at else [words]


def _name(text: str, words: list[Word], sentence: int) -> Iterator[Spelling]:
    """The name in these words without openers, dates, links and numbers at its ends; nothing where none is left."""
    plain = [word.text if word.text.isalpha() else _NO_END.sub("", word.text) or word.text for word in words]
    first, last = _inner([word.casefold() for word in plain], plain, opened=words[0].start == sentence)
    if last - first > 1 and plain[last - 1].isdecimal() and words[last - 2].text.endswith(("'s", "’s")):
        last -= 1  # "Chris Marker's 1962 film"
    if first >= last:
        return
    start = words[first].start
    end = _end(text, start, words[last - 1].end)
    if _is_name(plain[first:last]):
        alone = last - first == 1 and plain[first][1:].islower() and not _WIDE.match(text, end)
        yield Spelling(start, end, kind_of(plain[first:last]), opens=alone and start == sentence)


def _inner(folded: Sequence[str], words: Sequence[str], *, opened: bool) -> tuple[int, int]:
    first, last = 0, len(folded)
    if last == 2 and words[0] == "The" and words[1].istitle():
        return 0, 2  # The Who
    while first < last and _is_opener(folded, words, first, last, opened=opened):
        first += 1
    if opened and first and folded[0] not in ("the", "a", "an"):
        while first < last and folded[first].isdecimal():  # "In 1960 Kennedy"
            first += 1
    if last - first == 2 and folded[first].isdecimal() and (len(folded[first]) == _YEAR or words[last - 1].isupper()):
        first += 1  # "the 1986 American comedy", "40 MB"
    if first and folded[first - 1] == "the" and first < last:
        first -= 1
    while last > first and (folded[last - 1] in _LINKS or is_english_function_word(folded[last - 1]) or _is_date(folded, first, last)):
        if words[last - 1].isupper() and len(words[last - 1]) > 1:
            break
        last -= 1
    return (first, last) if any(not word.isdecimal() and word != "the" for word in folded[first:last]) else (0, 0)


def _is_opener(folded: Sequence[str], words: Sequence[str], at: int, last: int, *, opened: bool) -> bool:
    """Whether this first word is none of the name; what only begins sentences can begin a name elsewhere: First Hill."""
    word = folded[at]
    if words[at].isupper() and len(word) > 1:
        return False  # US, WHO, IT
    following = folded[at + 1] if at + 1 < last else ""
    if word in _DATES:
        return not following or following[:1].isdecimal() or word not in _AMBIGUOUS_MONTHS
    if word.isdecimal():
        return following in _DATES or following in _LINKS
    return word in _LINKS or is_english_function_word(word) or (word in OPENERS and (opened or not following))


def _is_date(folded: Sequence[str], first: int, last: int) -> bool:
    """Whether the end is a month, or the number behind one."""
    word, before = folded[last - 1], folded[last - 2] if last - 1 > first else ""
    if word.isdecimal():
        return before in _DATES or before in _LINKS or not before
    return word in _DATES and (not before or before.isdecimal() or before in _LINKS or word not in _AMBIGUOUS_MONTHS)


def _end(text: str, start: int, end: int) -> int:
    """Without a possessive or punctuation at the end; a full stop stays where it belongs to the name: Washington, D.C."""
    if text[end - 1].isalpha() and text[end - 2 : end] not in ("'s", "’s"):
        return end
    if text[end - 1] == "." and _KEEPS_DOT.search(text, max(start, end - 6), end):
        return end
    found = _NO_END.search(text, start, end)
    return found.start() if found and found.start() > start else end


def _is_name(words: Sequence[str]) -> bool:
    if not any(word[0].isupper() or word[1:2].isupper() or word[2:3].isupper() for word in words) or any(
        len(word) > _MAX_WORD for word in words
    ):
        return False
    words = words[1:] if words[0].casefold() == "the" else words
    if len(words) > 1:
        return True
    word = words[0]
    return len(word.replace(".", "")) > (1 if word[-1:].isupper() or word[:2].isupper() else 2) and word.casefold() not in GENERIC
