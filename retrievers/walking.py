"""Walks from a few passages over the entities they share with others: personalised PageRank on what lies around them.

Called by retrievers/knowledge.py with what the store found around the seeds; pure.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DAMPING = 0.85
"""The share of each step that walks on instead of going back to the seeds: the usual value. .5 and .85 found equally many (measured)."""

STEPS = 20
"""The largest rank no longer changes in its third digit; the neighbourhoods have some hundred nodes."""

TITLED = 1.5
"""How much closer than to the others an entity is to the passage whose title it is."""


@dataclass(frozen=True)
class Link:
    """A passage holds an entity, which `passages` passages of the collection hold; `titled`: the entity is what the passage is about."""

    passage: str
    entity: str
    passages: int
    titled: bool


def rarity(passages: int, chunk_count: int) -> float:
    """0 for an entity of every passage, 1 for one of a single passage."""
    return math.log(max(1.0, chunk_count / max(1, passages))) / math.log(max(2, chunk_count))


def weight(link: Link, chunk_count: int) -> float:
    """How closely a link binds, above 0 unless every passage holds the entity."""
    return rarity(link.passages, chunk_count) * (TITLED if link.titled else 1.0)


def walk(links: Sequence[Link], seeds: Mapping[str, float], chunk_count: int) -> dict[str, float]:
    """The rank (0-1) of each passage of `links` and `seeds` in a walk that begins and restarts at the seeds, by their weights (>= 0).

    Of a passage a walk goes to an entity it holds, of an entity to a passage that holds it, each by the weight of the link. The ranks
    sum to 1 at most: a passage without entities keeps nothing. Empty without seeds of positive weight.
    """
    total = sum(seeds.values())
    if total <= 0:
        return {}
    passages = _numbered([*seeds, *(link.passage for link in links)])
    entities = _numbered(link.entity for link in links)
    start = np.zeros(len(passages))
    for passage, share in seeds.items():
        start[passages[passage]] += share / total
    rows = np.array([passages[link.passage] for link in links], dtype=np.intp)
    columns = np.array([entities[link.entity] for link in links], dtype=np.intp)
    weights = np.array([weight(link, chunk_count) for link in links], dtype=np.float64)
    out = _shares(weights, rows, len(passages))
    back = _shares(weights, columns, len(entities))
    ranks = start
    for _ in range(STEPS):
        on_entities = np.bincount(columns, ranks[rows] * out, len(entities))
        ranks = (1 - DAMPING) * start + DAMPING * np.bincount(rows, on_entities[columns] * back, len(passages))
    return {passage: float(ranks[number]) for passage, number in passages.items()}


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _shares(weights: NDArray[np.float64], owners: NDArray[np.intp], count: int) -> NDArray[np.float64]:
    """Each weight as a share of all weights of its owner; 0 where they sum to 0."""
    totals = np.bincount(owners, weights, count)[owners]
    return np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0)
