"""Ranks what a search found together with what a walk over the knowledge graph led to, by both scores.

Called by retrievers/knowledge.py; pure.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrievers.store.expanding import Around
from retrievers.types import Collection, EmbeddingSpec, Hop, Passage
from retrievers.walking import Link, walk, weight

SEEDS = 3
"""Passages of the search that a walk begins at: with five, weaker ones lead astray (measured)."""

SHARPNESS = 0.07
"""How far below the best seed's score a seed counts 1/e of it, as a share of the way from an unrelated passage to an answer: what scores
much less says little about where to go."""

TITLED = 0.3
"""What a passage counts as a seed whose title the question names, beside 1 for the best one."""

LIFT = 0.7
"""The most that the graph adds to a score, as a share of that way, which differs from model to model; of .5 to 1 it was best (measured)."""

ANYWAY = 0.3
"""The share of it for a passage that has no word of the question which the best seed lacks; the rest comes with such words."""

ENOUGH = 0.3
"""The share of the question's words, by what they are worth, from which a passage is held to add what was missing."""

BEHIND = 0.007
"""By how much a passage stays below the best one, as a share of that way: the graph never pushes that one off its place."""

SHORTEST = 0.01
"""That way at least, whatever a model's thresholds are set to."""


def lifted(plain: Sequence[Passage], reached: Sequence[Passage], around: Sequence[Around], collection: Collection, k: int) -> list[Passage]:
    """At most `k` of the passages in their new order, ties by id. `plain` are those of the search, best first, `reached` those it missed.

    Each that a path leads to has `path` and `lifted`, and its `score` is its own with what its rank in the walk adds.
    """
    if not plain or not around:
        return [*plain[:k]]
    passages = {passage["id"]: passage for passage in (*plain, *reached)}
    best, way = plain[0], _way(collection.embedding)
    seeds = _seeds(plain, around, way)
    ranks = walk([*_links(around)], seeds, collection.chunk_count)
    highest = max((rank for name, rank in ranks.items() if name != best["id"]), default=0.0)
    if highest <= 0:
        return [*plain[:k]]
    shares = {name: math.sqrt(rank / highest) for name, rank in ranks.items() if name != best["id"]}
    lift = _Lift(
        best, way, shares, {passage.id: passage.adds for passage in around}, _paths(passages, around, seeds, collection.chunk_count)
    )
    moved = (lift.applied(passage) for passage in passages.values())
    return sorted(moved, key=lambda passage: (-passage["score"], passage["id"]))[:k]


@dataclass(frozen=True)
class _Lift:
    """What the graph adds to each passage, by id: `shares` (0-1) of the walk, `adds` (0-1) of the question's words. `way`: see LIFT."""

    best: Passage
    way: float
    shares: Mapping[str, float]
    adds: Mapping[str, float]
    paths: Mapping[str, list[Hop]]

    def applied(self, passage: Passage) -> Passage:
        """The passage with its path and its new score; unchanged where no path leads to it."""
        name = passage["id"]
        share = self.shares.get(name, 0.0)
        if share <= 0 or name not in self.paths:
            return passage
        added = self.way * LIFT * share * (ANYWAY + (1 - ANYWAY) * min(1.0, self.adds[name] / ENOUGH))
        moved: Passage = {**passage, "score": self._raised(passage["score"], self.best["score"], added), "path": self.paths[name]}
        if passage["absolute"] is not None and self.best["absolute"] is not None:
            moved["lifted"] = self._raised(passage["absolute"], self.best["absolute"], added)
        return moved

    def _raised(self, score: float, best: float, added: float) -> float:
        return max(score, min(score + added, best - BEHIND * self.way))


def _way(spec: EmbeddingSpec) -> float:
    """From the score of an unrelated passage to that of an answer."""
    return max(spec.no_answer - spec.unrelated, SHORTEST)


def _seeds(plain: Sequence[Passage], around: Sequence[Around], way: float) -> dict[str, float]:
    """Where the walk begins, by id, with weights of 0-1."""
    best = plain[0]["score"]
    found = {passage["id"]: math.exp((passage["score"] - best) / (SHARPNESS * way)) for passage in plain[:SEEDS]}
    titled = {passage.id: max(TITLED, found.get(passage.id, 0.0)) for passage in around if passage.titled}
    return {**found, **titled}


def _links(around: Iterable[Around]) -> Iterable[Link]:
    for passage in around:
        for entity, titled, count in zip(passage.entities, passage.titles, passage.counts, strict=True):
            yield Link(passage.id, entity, count, titled)


def _paths(passages: Mapping[str, Passage], around: Sequence[Around], seeds: Mapping[str, float], chunk_count: int) -> dict[str, list[Hop]]:
    """How each passage was reached: by its title, which the question names, or over the entity that binds it closest to a seed."""
    holders: dict[str, list[tuple[float, str]]] = {}
    for link in _links(passage for passage in around if passage.id in seeds and passage.id in passages):
        holders.setdefault(link.entity, []).append((seeds[link.passage] * weight(link, chunk_count), link.passage))
    paths: dict[str, list[Hop]] = {}
    for passage in around:
        if passage.id not in passages:
            continue
        if passage.titled:
            paths[passage.id] = [{"entity": passages[passage.id]["title"], "id": None, "document": None, "title": None}]
        elif step := _nearest(passage, holders, chunk_count):
            entity, source = step[0], passages[step[1]]
            paths[passage.id] = [{"entity": entity, "id": source["id"], "document": source["document"], "title": source["title"]}]
    return paths


def _nearest(passage: Around, holders: Mapping[str, Sequence[tuple[float, str]]], chunk_count: int) -> tuple[str, str] | None:
    """The spelling of the entity and the seed that are closest; None where it shares nothing with a seed but itself."""
    steps = [
        (strength * weight(link, chunk_count), link.entity, seed)
        for link in _links([passage])
        for strength, seed in holders.get(link.entity, ())
        if seed != passage.id
    ]
    if not steps:
        return None
    _, entity, seed = max(steps)
    return passage.names[passage.entities.index(entity)], seed
