"""Whether a claim stands in the passage that it names.

Shared ground of generate (which may ask the model again) and cite (which decides); pure and deterministic.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nodes.likeness import foreign_name, ground, speaks_of, states, tells
from nodes.measures import invented_number, other_unit
from nodes.negation import contradicts
from nodes.records import Claim
from nodes.support import WITHHELD, beside_orders, instructs, is_about
from retrievers.text.analysis import analyse, query_words
from retrievers.text.language import language_of, other_scripts
from retrievers.text.quotes import find_quote
from retrievers.text.sentences import sentences
from retrievers.text.units import units
from retrievers.types import Passage

_SHARED = 0.6
"""Share of a claim's content words that a sentence must hold to be the one that the claim rests on."""

_MARKERS = re.compile(r"(?:\s*[\[【]\s*\d{1,3}(?:\s*[,、]\s*\d{1,3})*\s*[\]】])+")
_AFTER_FULL_STOP = re.compile(rf"(?<![.!?。！？])([.!?。！？]+)({_MARKERS.pattern})")


@dataclass(frozen=True)
class Finding:
    """`verified`: `start` and `end` are where the quote stands in the passage's text. `unquoted`: the passage exists, but no words of it
    are shown. `unsupported`: `why` says what is wrong.
    """

    verdict: Literal["verified", "unquoted", "unsupported"]
    why: str = ""
    start: int = 0
    end: int = 0


def check(claim: Claim, passages: Sequence[Passage], question: str = "") -> Finding:
    """Check one claim against the passages, which are numbered from 1.

    A quote must stand in the named passage verbatim, after NFKC and white-space folding; standing in another one does not
    count (`attributed` says when it is cited there). A claim without a quote is verified where its own words stand there, or those of one
    sentence nearly do. A line that gives a model orders supports nothing; nor does a quote that tells nothing, or that has another number,
    unit, name or negation than the claim, or no word of it.
    """
    number = claim["passage"]
    if number is None:
        return Finding("unsupported", "it names no passage")
    if not 1 <= number <= len(passages):
        return Finding("unsupported", f"there is no passage {number}, only 1 to {len(passages)}")
    passage, quote = passages[number - 1], (claim["quote"] or "").strip()
    text = passage["text"]
    span = find_quote(text, quote) if quote else find_quote(text, claim["text"]) or _sentence_for(claim["text"], text)
    if span is None:
        return Finding("unsupported", _not_there(number, quote, passages)) if quote else Finding("unquoted", _NOT_QUOTED.format(number))
    why = _unfit(claim["text"], span, passage, question)
    return Finding("unsupported", why) if why else Finding("verified", start=span[0], end=span[1])


_NOT_QUOTED = "no sentence of passage {} was quoted for it"


def _not_there(number: int, quote: str, passages: Sequence[Passage]) -> str:
    others = _holders(quote, passages)
    where = f", but in passage {others[0]}" if others else ""
    return f"its quote does not stand in passage {number}{where}"


def _unfit(claim: str, span: tuple[int, int], passage: Passage, question: str) -> str:
    """Why words that do stand in the passage do not support the claim; empty when they may."""
    quote = passage["text"][slice(*span)]
    if beside_orders(passage["text"], *span, question):
        return _ORDERS if instructs(quote, question) else WITHHELD
    if not tells(passage["text"], *span, claim):
        return "its quote is too short to tell anything"
    if _folded(claim) == _folded(quote):
        return ""
    return "it states nothing" if not states(claim) else _untrue(claim, span, passage, question)


_ORDERS = "what it quotes gives instructions to a reader, and states nothing"
BESIDE__ORDERS = "what it quotes stands beside text that speaks to a reader's assistant, and is not quoted"


def _untrue(claim: str, span: tuple[int, int], passage: Passage, question: str) -> str:
    """The first thing that the claim says and its quote does not bear out."""
    on = ground(*span, passage)
    if number := invented_number(claim, passage["text"][slice(*span)], passage, question):
        return f"the number {number} stands nowhere in its passage"
    if measure := other_unit(claim, on.sentence, passage, question):
        return f"its unit is another than the passage's: {measure}"
    if word := contradicts(claim, on.sentence):
        return f"of “{word}”, only one of the claim and its quote says no"
    if name := foreign_name(claim, on, passage, question):
        return f"it names {name}, whom what it quotes does not name"
    return "" if speaks_of(claim, on, passage, question) else "it shares no word with what it quotes, beyond the subject"


def _folded(text: str) -> str:
    return " ".join(text.split())


def about_question(claim: Claim, passages: Sequence[Passage], question: str) -> str:
    """Why a claim that stands does not belong to the answer: its quote has nothing to do with the question. Empty when it has."""
    finding = check(claim, passages, question)
    if finding.verdict != "verified" or is_about(finding.start, finding.end, passages[(claim["passage"] or 1) - 1], question):
        return ""
    return "what it quotes says nothing of what was asked"


_TELLING = 8
"""Characters of a quote that can stand in one passage alone by more than chance."""


def attributed(claims: Sequence[Claim], passages: Sequence[Passage], question: str = "") -> list[Claim]:
    """The claims, each quote that stands word for word in exactly one passage, and not in the one that is named, with that one's number.

    Models miscount passages more often than they miscopy words. It is no guess at the nearest: the words are there, they are long enough to
    be nowhere else, and the claim must share a word with them; else the claim stays as it is, which is unsupported.
    """
    return [_attributed(claim, passages, question) for claim in claims]


def _attributed(claim: Claim, passages: Sequence[Passage], question: str) -> Claim:
    quote = (claim["quote"] or "").strip()
    if len(quote) < _TELLING or check(claim, passages, question).verdict != "unsupported":
        return claim
    holders = _holders(quote, passages)
    if len(holders) != 1 or holders[0] == claim["passage"] or not _share_words(claim["text"], quote):
        return claim
    moved: Claim = {**claim, "passage": holders[0]}
    return moved if check(moved, passages, question).verdict == "verified" else claim


def _holders(quote: str, passages: Sequence[Passage]) -> list[int]:
    return [number for number, passage in enumerate(passages, 1) if find_quote(passage["text"], quote)]


def _share_words(claim: str, quote: str) -> bool:
    """True also where two scripts have no word in common."""
    return language_of(quote) in other_scripts(language_of(claim)) or not set(query_words(claim)).isdisjoint(analyse(quote))


def _sentence_for(claim: str, text: str) -> tuple[int, int] | None:
    """The sentence of `text` that holds most of the claim's content words, if it holds enough of them; the first among equals."""
    words = set(query_words(claim))
    spans = [(unit.start, unit.end) for unit in units(text)]
    if not words or not spans:
        return None
    shared = [len(words & set(analyse(text[start:end]))) / len(words) for start, end in spans]
    best = max(range(len(spans)), key=lambda index: shared[index])
    return spans[best] if shared[best] >= _SHARED else None


def claims_in(text: str) -> list[Claim]:
    """The sentences of an answer with `[n]` markers, one claim for each marker; a sentence without one names no passage."""
    moved = _AFTER_FULL_STOP.sub(r"\2\1", text)
    claims: list[Claim] = []
    for start, end in sentences(moved):
        sentence = moved[start:end]
        numbers = [int(number) for marker in _MARKERS.findall(sentence) for number in re.findall(r"\d+", marker)]
        said = without_markers(sentence)
        if said:
            claims += [{"text": said, "passage": number, "quote": None} for number in dict.fromkeys(numbers) or [None]]
    return claims


def without_markers(text: str) -> str:
    """`text` without `[1]` and `【1, 2】`."""
    return _MARKERS.sub("", text).strip()
