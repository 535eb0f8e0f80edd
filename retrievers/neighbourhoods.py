"""What the knowledge graph says of one entity, how large it is, and what a person decided in it.

Beside retrievers/entities.py, for every floor; filled by retrievers/store/graph.py.
"""

from typing_extensions import TypedDict


class Evidence(TypedDict):
    """A sentence that ties two entities. `kind` as in entities.Relation; `forward`: the entity that was asked for is its head.

    `document` is the source, `id` the passage's; `start` and `end` are offsets in the document's text, `evidence` stands there, cut where
    it is long.
    """

    kind: str
    forward: bool
    document: str
    title: str
    id: str
    start: int
    end: int
    evidence: str


class Neighbour(TypedDict):
    """`weight` is the sum of the relations' weights and of `passages`, which hold both; `relations` are the strongest few, perhaps none."""

    key: str
    name: str
    kind: str
    weight: float
    passages: int
    relations: list[Evidence]


class Entity(TypedDict):
    """`key` is the one that was asked for, `keys` all that name the entity, that one first; `names` its spellings and `kinds`, the most
    frequent first; `passages` hold it."""

    key: str
    keys: list[str]
    names: list[str]
    kinds: list[str]
    passages: int


class Neighbourhood(TypedDict):
    """`neighbours` the nearest first."""

    entity: Entity
    neighbours: list[Neighbour]


class GraphSizes(TypedDict):
    """What is kept of a collection; `chunks` were read, `failed` of them not wholly."""

    entities: int
    mentions: int
    relations: int
    aliases: int
    chunks: int
    failed: int


class Choice(TypedDict):
    """Two entities by key, whether they are the same one now, and whether that is new."""

    keys: tuple[str, str]
    same: bool
    changed: bool
