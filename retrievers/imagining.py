"""Joins what a query found with what imagined passages found in its place, each passage keeping the score of the query itself.

Called by retrievers/hybrid.py; pure.
"""

from collections.abc import Sequence

from retrievers.fusion import rrf
from retrievers.types import Passage


def joined(plain: Sequence[Passage], imagined: Sequence[Passage], measured: Sequence[Passage], limit: int) -> list[Passage]:
    """At most `limit` passages by the reciprocal of their places in both rankings, which is their `score`; ties by id.

    `plain` was found by the query, `imagined` by imagined passages, both best first; `measured` are those of `imagined` that the query
    did not find, with the query's scores: one that is in neither is left out. `hypothetical` is the absolute score in `imagined`.
    """
    own = {passage["id"]: passage for passage in (*measured, *plain)}
    theirs = {passage["id"]: passage["absolute"] for passage in imagined}
    scores = rrf([[passage["id"] for passage in plain], [passage["id"] for passage in imagined]])
    return [_scored(own[name], score, theirs.get(name)) for name, score in scores.items() if name in own][:limit]


def _scored(passage: Passage, score: float, hypothetical: float | None) -> Passage:
    scored: Passage = {**passage, "score": score}
    return scored if hypothetical is None else {**scored, "hypothetical": hypothetical}
