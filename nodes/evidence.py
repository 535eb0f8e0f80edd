"""Whether a claim stands in the passage that it names.

Shared ground of generate (which may ask the model again) and cite (which decides); pure and deterministic.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nodes.records import Claim
from retrievers.text.analysis import analyse, query_words
from retrievers.text.quotes import find_quote
from retrievers.text.sentences import sentences
from retrievers.text.units import units
from retrievers.types import Passage

_SHARED = 0.6
"""Share of a claim's content words that a sentence must hold to be the one that the claim rests on."""

_MARKERS = re.compile(r"(?:\s*[\[【]\s*\d{1,3}(?:\s*[,、]\s*\d{1,3})*\s*[\]】])+")
_AFTER_FULL_STOP = re.compile(rf"([.!?。！？]+)({_MARKERS.pattern})")


@dataclass(frozen=True)
class Finding:
    """`verified`: `start` and `end` are where the quote stands in the passage's text. `unquoted`: the passage exists, but no words of it
    are shown. `unsupported`: `why` says what is wrong.
    """

    verdict: Literal["verified", "unquoted", "unsupported"]
    why: str = ""
    start: int = 0
    end: int = 0


def check(claim: Claim, passages: Sequence[Passage]) -> Finding:
    """Check one claim against the passages, which are numbered from 1.

    A quote must stand in the named passage verbatim, after NFKC and white-space folding; standing in another one does not
    count. A claim without a quote is verified where its own words stand there, or those of one sentence nearly do.
    """
    number = claim["passage"]
    if number is None:
        return Finding("unsupported", "it names no passage")
    if not 1 <= number <= len(passages):
        return Finding("unsupported", f"there is no passage {number}, only 1 to {len(passages)}")
    text, quote = passages[number - 1]["text"], (claim["quote"] or "").strip()
    span = find_quote(text, quote) if quote else find_quote(text, claim["text"]) or _sentence_for(claim["text"], text)
    if span is not None:
        return Finding("verified", start=span[0], end=span[1])
    if quote:
        return Finding("unsupported", f"its quote does not stand in passage {number}")
    return Finding("unquoted", f"no sentence of passage {number} was quoted for it")


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
