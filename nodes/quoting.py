"""Answers without a chat model: the sentences of the kept passages that fit the question best, quoted as they stand.

Shared ground of generate; the embedder is the only model.
"""

import asyncio
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from nodes.quantities import asked_kind, asked_measure, holds_kind, numbers
from nodes.records import Claim
from nodes.support import beside_orders
from retrievers.errors import ProviderError
from retrievers.fusion import absolute
from retrievers.text.analysis import analyse, query_words
from retrievers.text.terms import content_terms
from retrievers.text.units import Unit, leads_in, units
from retrievers.types import Embedder, Passage

EMBEDDED = 8
"""Sentences compared by meaning: embedding one takes 20 ms, and a sentence far down by its words is never the answer."""

OVER = "the time that the caller allows is over"

QUOTED = 3
"""More sentences are no answer any more, but a page."""

_GAIN = 1 / 3
"""A further sentence must add more than this share of the question's terms: "how long are backups kept, and how are they restored?"."""

SENTENCE_WORDS = 1.7
"""How much more words count in choosing a sentence than in ranking passages: within one passage all sentences mean much the same."""

PASSAGE_WEIGHT = 4.0
"""How much a passage's lead over another counts in choosing the first sentence: a passage is ranked by more than one sentence says. Of
200 questions each, 170 of squad2 and 180 of jsquad are answered from their document with it, 164 and 178 without."""

KIND = 0.1
"""What it counts that a sentence holds the kind of answer asked for: it decides among sentences of much the same words, and changes no
document that is quoted on 400 questions."""

MEASURE = 0.5
"""The same for a number with a unit of the measure that is asked for, which few sentences have: "it weighs 2.4 kg" shares no word with
"how heavy is it?", and "heavy duty" does.
"""

_MARGIN = 0.5
"""How far below the best a further sentence may score: it answers the other half of the question."""

_OWN_WEIGHT = 2.0
"""A follow-up is searched together with the question it follows; what it asks itself weighs more than what was asked before."""

_HEADING_SHARE = 0.5
"""A word that stands in the heading only counts half: the heading holds for all its sentences alike. For a list of steps or a code
block it counts whole: that is what the heading is about. Half of it where the sentence repeats it, too, is no better (measured)."""

_ENDS = re.compile(r"[.!。！．…][\s\"'”’」』)）\]*_]*$")
_ASKS = re.compile(r"[?？]\s*$")
_ONLY_A_WORD = re.compile(
    r"(?:yes|no|of course|not yet|はい|いいえ|ええ|可能です|不可です|できます|できません|あります|ありません)[.!。！]?", re.IGNORECASE
)
"""No answer by itself: it goes with the next sentence."""

_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_LINK = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")
_LABEL = re.compile(r"^\s*(?:\*\*)?[QＱ](?:\d*)[.:：]|^\s*問\d*[.:：]")


@dataclass
class _Candidate:
    """A unit of passage `number` (from 1), with its own words and those of what it stands under."""

    number: int
    unit: Unit
    text: str
    words: Counter[str]
    around: set[str]
    score: float = field(default=0.0)


async def quote(
    question: str, passages: Sequence[Passage], embedder: Embedder, *, follow_up: str = "", seconds: float | None = None, part: bool = False
) -> tuple[list[Claim], str | None]:
    """One to three claims, the best first, each verbatim; none for passages without a sentence.

    `question` is the stand-alone one; `follow_up` is the user's own where it differs, and its words weigh more. A `part` of a question is
    not what the passages were ranked for.

    Beside them why the embedder could not compare by meaning, if it could not: OVER when it took longer than `seconds`.
    """
    words = query_words(question)
    candidates = [candidate for number, passage in enumerate(passages, 1) for candidate in _candidates(number, passage, set(words))]
    _score_by_words(candidates, words, set(query_words(follow_up)))
    shortlist = sorted(candidates, key=lambda candidate: -candidate.score)[:EMBEDDED]
    failure = await _add_meaning(shortlist, question, embedder, seconds)
    _add_kind(shortlist, follow_up or question)
    margin = _MARGIN * (1.0 if failure else _weight(embedder))
    ranked = _ranked(shortlist, passages, 0.0 if part else PASSAGE_WEIGHT)
    return [_claim(candidate, passages[candidate.number - 1]) for candidate in _in_order(_chosen(ranked, question, margin))], failure


def _candidates(number: int, passage: Passage, asked_for: set[str]) -> list[_Candidate]:
    """The passage's units, its own headings, captions and bare lead-ins left out.

    A caption says nothing beyond the question: no full stop, and no word of its own. A question in the text, as in a FAQ, is no
    answer: its words count for what follows.
    """
    headings = [_folded(heading) for heading in (passage["title"], *passage["heading_path"])]
    heading = passage["heading_path"][-1] if passage["heading_path"] else ""
    around = set(analyse("\n".join([passage["title"], *passage["heading_path"]])))
    found: list[_Candidate] = []
    asked = Counter(analyse(heading)) if _ASKS.search(heading) else Counter()
    for unit in _with_short_ones_joined(passage["text"]):
        text = passage["text"][unit.start : unit.end]
        words = Counter(analyse(text))
        if _folded(text) in headings or (unit.kind == "sentence" and (leads_in(text) or _is_caption(text, asked_for))):
            continue
        if beside_orders(passage["text"], unit.start, unit.end):
            continue
        if _ASKS.search(text) or _LABEL.search(text):
            asked = words
            continue
        header = set(analyse(passage["text"][slice(*unit.header)])) if unit.header else set()
        found.append(_Candidate(number, unit, text, words + asked if asked else words, around | header))
        asked = Counter()
    return found


def _is_caption(text: str, asked_for: set[str]) -> bool:
    return not _ENDS.search(text) and asked_for.issuperset(query_words(text))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _with_short_ones_joined(text: str) -> list[Unit]:
    joined: list[Unit] = []
    for unit in units(text):
        last = joined[-1] if joined else None
        if last and last.kind == unit.kind == "sentence" and _ONLY_A_WORD.fullmatch(text, last.start, last.end):
            joined[-1] = Unit(last.start, unit.end, "sentence")
        else:
            joined.append(unit)
    return joined


def _score_by_words(candidates: Sequence[_Candidate], words: Sequence[str], own_words: set[str]) -> None:
    """The share of the question's words that a unit holds, rare ones weighing more, in 0-1."""
    total = len(candidates)
    holders = {word: sum(word in candidate.words for candidate in candidates) for word in words}
    weights = {
        word: math.log(1 + (total - count + 0.5) / (count + 0.5)) * (_OWN_WEIGHT if word in own_words else 1.0)
        for word, count in holders.items()
    }
    most = sum(weights.values())
    for candidate in candidates:
        own = sum(weights[word] for word in words if word in candidate.words)
        around = sum(weights[word] for word in words if word in candidate.around and word not in candidate.words)
        share = 1.0 if candidate.unit.kind in ("steps", "code") else _HEADING_SHARE
        candidate.score = (own + share * around) / most if most else 0.0


def _weight(embedder: Embedder) -> float:
    return SENTENCE_WORDS * embedder.spec.absolute_weight


async def _add_meaning(shortlist: Sequence[_Candidate], question: str, embedder: Embedder, seconds: float | None) -> str | None:
    """Turn the scores into the embedder's absolute scale; returns why not, when it failed, and leaves them alone then."""
    if not shortlist:
        return None
    try:
        async with asyncio.timeout(seconds):
            query = await embedder.embed_query(question)
            rows = await embedder.embed_passages([candidate.text for candidate in shortlist])
    except ProviderError as exc:
        return str(exc)
    except TimeoutError:
        return OVER
    for candidate, row in zip(shortlist, rows, strict=True):
        candidate.score = absolute(candidate.score, 1.0, float(row @ query), _weight(embedder))
    return None


def _add_kind(shortlist: Sequence[_Candidate], question: str) -> None:
    """A sentence with a number, a time or the unit of a measure in it, where the question asks for one, is rather the answer."""
    kind, measure, known = asked_kind(question), asked_measure(question), numbers(question)
    for candidate in shortlist:
        if measure is not None and measure.search(unicodedata.normalize("NFKC", candidate.text).casefold()):
            candidate.score += MEASURE
        elif kind is not None and holds_kind(candidate.text, kind, known):
            candidate.score += KIND


def _ranked(shortlist: Sequence[_Candidate], passages: Sequence[Passage], weight: float) -> list[_Candidate]:
    """The best sentence, in a passage that answers, then the others by themselves."""
    scores = [passage["absolute"] for passage in passages if passage["absolute"] is not None]
    best, least = max(scores, default=0.0), min(scores, default=0.0)

    def lead(candidate: _Candidate) -> float:
        score = passages[candidate.number - 1]["absolute"]
        return candidate.score + weight * ((least if score is None else score) - best)

    others = sorted(shortlist, key=lambda candidate: -candidate.score)
    first = max(others, key=lead, default=None)
    return [*([first] if first else []), *(other for other in others if other is not first)]


def _chosen(ranked: Sequence[_Candidate], question: str, margin: float) -> list[_Candidate]:
    """The best unit, and those near it that add enough of what the question asks for; what a chosen one stands under is said already."""
    terms = [{word for word in query_words(term) if len(word) > 1} for term in content_terms(question)]
    chosen = list(ranked[:1])
    for candidate in ranked[1:]:
        missing = [term for term in terms if all(term.isdisjoint(other.around | set(other.words)) for other in chosen)]
        added = sum(not term.isdisjoint(candidate.words) for term in missing)
        if len(chosen) < QUOTED and candidate.score >= chosen[0].score - margin and added > _GAIN * len(terms):
            chosen.append(candidate)
    return chosen


def _in_order(chosen: Sequence[_Candidate]) -> list[_Candidate]:
    """Passages in the order they were chosen in, the units of one passage as they stand in it."""
    first = {candidate.number: rank for rank, candidate in reversed(list(enumerate(chosen)))}
    return sorted(chosen, key=lambda candidate: (first[candidate.number], candidate.unit.start))


def _claim(candidate: _Candidate, passage: Passage) -> Claim:
    return {"text": _readable(candidate, passage), "passage": candidate.number, "quote": candidate.text}


def _readable(candidate: _Candidate, passage: Passage) -> str:
    """The quote as an answer shows it: blocks as they stand, a table row with the names of its columns, sentences on one line."""
    unit = candidate.unit
    if unit.kind in ("code", "steps"):
        return candidate.text
    if unit.kind != "row":
        return _plain(" ".join(candidate.text.split()))
    cells = _cells(candidate.text)
    names = _cells(passage["text"][slice(*unit.header)]) if unit.header else []
    if len(names) != len(cells):
        return " · ".join(cells)
    return " · ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=True))


def _plain(text: str) -> str:
    """Without Markdown's emphasis and link targets, which an answer does not need; the quote keeps them."""
    return _LINK.sub(r"\1", _EMPHASIS.sub(r"\2", text))


def _cells(row: str) -> list[str]:
    return [_plain(cell.strip()) for cell in row.strip().strip("|").split("|")]
