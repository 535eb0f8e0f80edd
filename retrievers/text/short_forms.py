"""Takes a surname, or the short name of an organisation, for the full name that the same passage gives.

Pure; one step of retrievers/text/names.py.
"""

import re
from collections.abc import Iterable, Sequence

from retrievers.entities import Name
from retrievers.text.kinds import GENERIC
from retrievers.text.spelling import name_key
from retrievers.text.ties import Mention

_MOST_WORDS = 4  # of a full name; longer ones are names of works and organisations
_LINKED = re.compile(r"\s(?:of|the|and|&|for|in|on|at|de|la)\s", re.IGNORECASE)
_APART = frozenset(
    "north south east west northern southern eastern western central new old great greater upper lower lake mount fort port cape san santa "  # noqa: SIM905
    "saint st latin british american french german royal national united port el los las super inner outer mid".split()
)
"""With one of these before it a name is of something else: Virginia and West Virginia, Michigan and Lake Michigan."""
_SEGMENTS = re.compile("[・･=＝゠]")
_FULL_KANJI = re.compile("[\u3005\u3400-\u4dbf\u4e00-\u9fff]{3,6}")


def long_forms(text: str, mentions: Sequence[Mention], titles: Sequence[Name]) -> dict[str, str]:
    """From the key of each short form to that of its full name, which stands before it in the text or is the title.

    Only where exactly one full name fits; that of the title comes before any other.
    """
    firsts: dict[str, Mention] = {}
    for mention in mentions:
        firsts.setdefault(mention.key, mention)
    spelled = [(mention.key, text[mention.start : mention.end], mention.start, mention.kind) for mention in firsts.values()]
    given = [(name.key, name.text, -1, name.kind) for name in titles]
    by_title, by_text = _shorts(given), _shorts(spelled)
    forms: dict[str, str] = {}
    for key, mention in firsts.items():
        fitting = by_title.get(key) or [full for full in by_text.get(key, ()) if firsts[full].start < mention.start]
        if len(fitting) == 1 and fitting[0] != key:
            forms[key] = fitting[0]
    forms |= _surnames(firsts.values(), titles, forms)
    return {short: forms.get(full, full) for short, full in forms.items()}


def _shorts(spelled: Iterable[tuple[str, str, int, str]]) -> dict[str, list[str]]:
    """The full names that each short form may stand for."""
    found: dict[str, list[str]] = {}
    for key, name, _, kind in spelled:
        short = _short(name, kind)
        if short and short != key and key not in found.setdefault(short, []):
            found[short].append(key)
    return found


def _short(name: str, kind: str) -> str:
    segments = _SEGMENTS.split(name)
    if len(segments) > 1:
        return name_key(segments[-1])
    words = name.split()
    if not 1 < len(words) <= _MOST_WORDS or words[0].casefold().rstrip(".") in _APART or _LINKED.search(name) or kind in ("place", "event"):
        return ""
    if not all(word[0].isupper() for word in (words[0], words[-1])) or words[-1].isupper() or words[-1].rstrip(".") in ("Jr", "Sr"):
        return ""
    short = words[0] if kind == "organisation" else words[-1]
    return "" if short.casefold() in GENERIC else name_key(short)


def _surnames(mentions: Iterable[Mention], titles: Sequence[Name], known: dict[str, str]) -> dict[str, str]:
    """Kanji surnames before an honorific, for the one full name in kanji that begins with them."""
    people = [mention for mention in mentions if mention.kind == "person"]
    full = {mention.key for mention in people if _FULL_KANJI.fullmatch(mention.key)}
    full |= {name.key for name in titles if _FULL_KANJI.fullmatch(name.key)}
    found: dict[str, str] = {}
    for mention in people:
        fitting = [key for key in full if key.startswith(mention.key) and key != mention.key]
        if len(fitting) == 1 and mention.key not in known and len(mention.key) > 1:
            found[mention.key] = fitting[0]
    return found
