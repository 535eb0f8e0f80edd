"""Moves passages up and down after the fusion: by title, headings, code, age and origin. Every factor is kept in the hit.

Called by retrievers/hybrid.py with what the statement found; pure.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from retrievers.ranking import Ranking
from retrievers.types import Passage

BOOSTED = 50
"""Passages that are looked at: a factor lifts nothing to the first page from below that."""

RECENCY = 0.2
"""What a passage of today gets on top; half of it a half-life later."""

_DAY_S = 86_400

Words = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Boosts:
    """What one search needs to move passages: the query's `words`, whether it is `technical`, the analyser's `cut`, the time.

    A factor stretches what a score has above `floor`, the level of pairs that have nothing to do with each other, 0 where scores begin
    there: the whole of a cosine would drown the difference between a good passage and a poor one.
    """

    words: frozenset[str]
    technical: bool
    cut: Words
    now: datetime
    floor: float


def boosted(passages: Sequence[Passage], ranking: Ranking, boosts: Boosts) -> list[Passage]:
    """The passages in their new order, ties by id: `score` and `factors` change, `scores.fused` and `absolute` stay."""
    moved = [_moved(passage, _factors(passage, ranking, boosts), boosts.floor) for passage in passages]
    return sorted(moved, key=lambda passage: (-passage["score"], passage["id"]))


def _moved(passage: Passage, factors: dict[str, float], floor: float) -> Passage:
    score = passage["score"]
    for factor in factors.values():
        # What lies below the floor is pushed the other way: a factor above 1 never lowers a score.
        score = floor + (score - floor) * (factor if score >= floor else 1 / factor)
    return {**passage, "score": score, "factors": factors}


def _factors(passage: Passage, ranking: Ranking, boosts: Boosts) -> dict[str, float]:
    asked, cut = boosts.words, boosts.cut
    title = frozenset(cut(passage["title"])) if asked else frozenset()
    headings = frozenset(cut("\n".join(passage["heading_path"]))) if asked else frozenset()
    in_title = bool(asked) and asked <= title
    found = {
        "title": ranking.title if in_title else 1.0,
        "heading": ranking.heading if asked and not in_title and asked <= title | headings else 1.0,
        "code": ranking.code if boosts.technical and passage["content_type"] == "code" else 1.0,
        "derived": ranking.derived if passage["origin"] == "model" else 1.0,
        "recency": _recency(passage.get("modified"), ranking.half_life_days, boosts.now),
    }
    return {name: factor for name, factor in found.items() if factor != 1.0}


def _recency(modified: str | None, half_life_days: float | None, now: datetime) -> float:
    """1 without a half-life or a date; a date in the future counts as today."""
    if half_life_days is None or modified is None:
        return 1.0
    days = max(0.0, (now - datetime.fromisoformat(modified)).total_seconds() / _DAY_S)
    return 1.0 + RECENCY * float(0.5 ** (days / half_life_days))
