"""What ties the names of a passage together: one sentence, and the passage's title.

Pure; the last step of retrievers/text/names.py.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from retrievers.entities import EntityKind, Relation

MAX_RELATIONS = 32
"""Of one chunk: they take as much room as all the rest of the graph, and what comes after the closest says little."""

_IN_ONE_SENTENCE = 5  # names; more of them are a list
_ABOUT_WEIGHT = 1.0
_PENCE = 4  # decimals of a weight


class Mention(NamedTuple):
    """A name at text[start:end] in the sentence of that number; `opens` as in Spelling."""

    key: str
    start: int
    end: int
    kind: EntityKind
    sentence: int
    opens: bool


def ties(mentions: Iterable[Mention], sentences: Sequence[tuple[int, int]], title: str, kept: Collection[str]) -> list[Relation]:
    """At most MAX_RELATIONS relations among the keys in `kept`: first what the title's passage is about, then what stands together,
    the heaviest first. Each pair once for each kind, with the first sentence that says so.

    Two names weigh 1 / (names of the sentence - 1), summed over sentences; spellings that overlap are not together.
    """
    ordered = sorted((mention for mention in mentions if mention.key in kept), key=lambda mention: (mention.start, -mention.end))
    about: dict[str, Relation] = {}
    together: dict[tuple[str, str], Relation] = {}
    for number, group in groupby(ordered, lambda mention: mention.sentence):
        start, end = sentences[number]
        members = list(group)
        if title:
            for member in members:
                if member.key != title:
                    about.setdefault(member.key, Relation(title, member.key, "about", start, end, _ABOUT_WEIGHT))
        _tie(together, members, start, end)
    closest = sorted(together.values(), key=lambda relation: -relation.weight)
    return [*about.values(), *closest][:MAX_RELATIONS]


def _tie(together: dict[tuple[str, str], Relation], members: Sequence[Mention], start: int, end: int) -> None:
    firsts = list({member.key: member for member in reversed(members)}.values())[::-1][:_IN_ONE_SENTENCE]
    if len(firsts) < 2:
        return
    weight = 1 / (len(firsts) - 1)
    for at, one in enumerate(firsts):
        for other in firsts[at + 1 :]:
            if one.end <= other.start:
                pair = (one.key, other.key) if one.key < other.key else (other.key, one.key)
                known = together.get(pair)
                total = round(weight + (known.weight if known else 0), _PENCE)
                together[pair] = Relation(*pair, "together", known.start if known else start, known.end if known else end, total)
