"""Finds names written with capitals: runs of capitalised words, whole and cut at their joints, initials, hyphens and acronyms.

Pure; one of the finders behind retrievers/text/names.py. Also inside Japanese and Chinese, where a Latin word is a name.
"""

import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby

from retrievers.text.kinds import GENERIC, kind_of
from retrievers.text.spelling import Spelling
from retrievers.text.stopwords import is_english_function_word

MAX_WORDS = 10
"""Longer runs are headings and lists in title case: only what their joints part is kept."""

_MAX_WORD = 40  # characters; the longest names of places have fewer
_SHOUTED = 0.6  # of a sentence's letters; where most are capitals, a capital says nothing
_SHOUTED_LEAST = 20  # letters: "IBM and NASA" is no shouting
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
_RUN = re.compile(rf"{_BEGINS}{_WORD}(?:(?:\s{{1,3}}|,\s(?=(?:Jr|Sr|Inc|Ltd)\.))(?:{_LINK}\s+){{0,2}}{_WORD}){{0,19}}")
_TOKEN = re.compile(r"\S+")
_UPPER = re.compile(_UP)
_LETTER = re.compile(rf"{_IN}")
_NO_END = re.compile(r"(?:['’]s|[,'’.\-–])+\Z")
_KEEPS_DOT = re.compile(rf"(?:\b{_UP}|\b(?:Jr|Sr|Inc|Ltd|Co|Corp))\.\Z")

_JOINTS = frozenset("and & in on for at".split())  # noqa: SIM905
_OF = frozenset({"of"})
_LINKS = frozenset("of the de la le du des von van der den del da di do dos and & for in on at al el bin ibn y und et".split())  # noqa: SIM905
_DATES = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct "  # noqa: SIM905
    "nov dec monday tuesday wednesday thursday friday saturday sunday".split()
)
_AMBIGUOUS_MONTHS = frozenset("may march april june august".split())  # noqa: SIM905  # also names of people: Theresa May
OPENERS = frozenset(
    "about above according across additionally afterwards again against all almost along already also although always among amongst "  # noqa: SIM905
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
    "wherever whether whichever while whilst whoever within without yes yesterday yet must might may".split()
)
"""Capitalised only since a sentence begins with them; function words come on top."""


def capitalised(text: str, start: int, end: int) -> Iterator[Spelling]:
    """Names in the sentence text[start:end]: each run of capitalised words, and what its joints part; they overlap."""
    if _is_shouted(text, start, end):
        return
    for run in _RUN.finditer(text, start, end):
        tokens = [(found.start(), found.end()) for found in _TOKEN.finditer(text, run.start(), run.end())]
        for piece in _pieces(text, tokens):
            yield from _name(text, piece, start)


def _is_shouted(text: str, start: int, end: int) -> bool:
    sentence = text[start:end]
    if sentence.islower():
        return True
    letters = len(_LETTER.findall(sentence))
    return letters >= _SHOUTED_LEAST and len(_UPPER.findall(sentence)) > _SHOUTED * letters


def _pieces(text: str, tokens: Sequence[tuple[int, int]]) -> Iterator[Sequence[tuple[int, int]]]:
    """The run, its parts between joints, and what stands on both sides of an "of" or a possessive."""
    parts = list(_parted(text, tokens, _JOINTS))
    if len(parts) > 1 and len(tokens) <= MAX_WORDS:
        yield tokens
    for part in parts:
        if len(part) <= MAX_WORDS:
            yield part
        for sides in (list(_parted(text, part, _OF)), list(_possessed(text, part))):
            if len(sides) > 1:
                yield from sides


def _possessed(text: str, tokens: Sequence[tuple[int, int]]) -> Iterator[Sequence[tuple[int, int]]]:
    begin = 0
    for at, (start, end) in enumerate(tokens, start=1):
        if text.endswith(("'s", "’s"), start, end) or at == len(tokens):
            yield tokens[begin:at]
            begin = at


def _parted(text: str, tokens: Sequence[tuple[int, int]], joints: frozenset[str]) -> Iterator[Sequence[tuple[int, int]]]:
    begin = 0
    for at, (start, end) in enumerate(tokens):
        if text[start:end] in joints:
            if at > begin:
                yield tokens[begin:at]
            begin = at + 1
    if begin < len(tokens):
        yield tokens[begin:]


def _name(text: str, tokens: Sequence[tuple[int, int]], sentence: int) -> Iterator[Spelling]:
    """The name in these tokens without openers, dates, links and numbers at its ends; nothing where none is left."""
    words = [_NO_END.sub("", text[start:end]) or text[start:end] for start, end in tokens]
    first, last = _inner([sys.intern(word.casefold()) for word in words], words, opened=tokens[0][0] == sentence)
    if first >= last:
        return
    start, end = tokens[first][0], tokens[last - 1][1]
    end = _end(text, start, end)
    name = text[start:end]
    if not _is_name(name, words[first:last]):
        return
    yield Spelling(start, end, kind_of(words[first:last]), opens=start == sentence and last - first == 1 and name[1:].islower())


def _inner(folded: Sequence[str], words: Sequence[str], *, opened: bool) -> tuple[int, int]:
    first, last = 0, len(folded)
    if last == 2 and words[0] == "The" and words[1].istitle():
        return 0, 2  # The Who
    while first < last and _is_opener(folded, words, first, last):
        first += 1
    if opened and first and folded[0] not in ("the", "a", "an"):
        while first < last and folded[first].isdecimal():  # "In 1960 Kennedy"
            first += 1
    if first and folded[first - 1] == "the" and first < last:
        first -= 1
    while last > first and (folded[last - 1] in _LINKS or is_english_function_word(folded[last - 1]) or _is_date(folded, first, last)):
        if words[last - 1].isupper() and len(words[last - 1]) > 1:
            break
        last -= 1
    return (first, last) if any(not word.isdecimal() and word != "the" for word in folded[first:last]) else (0, 0)


def _is_opener(folded: Sequence[str], words: Sequence[str], at: int, last: int) -> bool:
    word = folded[at]
    if words[at].isupper() and len(word) > 1:
        return False  # US, WHO, IT
    following = folded[at + 1] if at + 1 < last else ""
    if word in _DATES:
        return not following or following[:1].isdecimal() or word not in _AMBIGUOUS_MONTHS
    return word in _LINKS or is_english_function_word(word) or word in OPENERS or (word.isdecimal() and following in _DATES)


def _is_date(folded: Sequence[str], first: int, last: int) -> bool:
    """Whether the end is a month, or the number behind one."""
    word, before = folded[last - 1], folded[last - 2] if last - 1 > first else ""
    if word.isdecimal():
        return before in _DATES or before in _LINKS or not before
    return word in _DATES and (not before or before.isdecimal() or before in _LINKS or word not in _AMBIGUOUS_MONTHS)


def _end(text: str, start: int, end: int) -> int:
    """Without a possessive or punctuation at the end; a full stop stays where it belongs to the name: Washington, D.C."""
    if _KEEPS_DOT.search(text, start, end):
        return end
    found = _NO_END.search(text, start, end)
    return found.start() if found and found.start() > start else end


def _is_name(name: str, words: Sequence[str]) -> bool:
    if not _UPPER.search(name) or any(len(word) > _MAX_WORD for word in words):
        return False
    words = words[1:] if words[0].casefold() == "the" else words
    if len(words) > 1:
        return True
    word = words[0]
    return len(_LETTER.findall(word)) > (1 if word[:2].isupper() else 2) and word.casefold() not in GENERIC
