"""Turns what was read out of chunks into the columns that the batched statements take, and drops what cannot be stored or points nowhere.

Used by graph.py; no statement is run here.
"""

import math
from collections.abc import Mapping, Sequence

from retrievers.entities import Alias, Extraction, GraphText, Name, Relation
from retrievers.store.rows import MAX_COUNT, Columns

LONGEST_NAME = 200
"""Characters of a name or a key; more is a sentence, and three of them must fit into one entry of an index."""

_LONGEST_KIND = 80
_LONGEST_REASON = 2000  # as in documents.py

Read = Sequence[tuple[GraphText, Extraction]]


def storable(text: str, longest: int = LONGEST_NAME) -> str:
    """The text as the database can hold it, cut to so many characters; perhaps ''."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode()[:longest].strip()


def extraction_columns(read: Read) -> Columns:
    """The columns of graph_add_extractions.sql."""
    return {
        "chunks": [text.chunk for text, _ in read],
        "titles": [text.title for text, _ in read],
        "failures": [None if found.failed is None else storable(found.failed, _LONGEST_REASON) for _, found in read],
    }


def mention_columns(read: Read) -> Columns:
    """The columns of graph_add_mentions.sql."""
    rows = [(text, key, name) for text, found in read for key, name in _names(found).items()]
    spans = [_span(text, name) if name.placed == "text" else (0, 0) for text, _, name in rows]
    return {
        "keys": [key for _, key, _ in rows],
        "chunks": [text.chunk for text, _, _ in rows],
        "names": [storable(name.text) for _, _, name in rows],
        "kinds": [name.kind for _, _, name in rows],
        "places": [name.placed for _, _, name in rows],
        "counts": [max(1, min(name.count, MAX_COUNT)) for _, _, name in rows],
        "starts": [start for start, _ in spans],
        "ends": [end for _, end in spans],
    }


def relation_columns(read: Read) -> Columns:
    """The columns of graph_add_relations.sql."""
    rows = [(text, ends, relation) for text, found in read for ends, relation in _relations(found).items()]
    spans = [_span(text, relation) for text, _, relation in rows]
    return {
        "heads": [head for _, (head, _, _), _ in rows],
        "tails": [tail for _, (_, tail, _), _ in rows],
        "kinds": [kind for _, (_, _, kind), _ in rows],
        "chunks": [text.chunk for text, _, _ in rows],
        "starts": [start for start, _ in spans],
        "ends": [end for _, end in spans],
        "weights": [relation.weight for _, _, relation in rows],
    }


def alias_columns(read: Read) -> Columns:
    """The columns of graph_add_aliases.sql."""
    rows = [(text, keys, alias) for text, found in read for keys, alias in _aliases(found).items()]
    spans = [_span(text, alias) for text, _, alias in rows]
    return {
        "keys": [key for _, (key, _), _ in rows],
        "others": [other for _, (_, other), _ in rows],
        "chunks": [text.chunk for text, _, _ in rows],
        "starts": [start for start, _ in spans],
        "ends": [end for _, end in spans],
    }


def _names(found: Extraction) -> Mapping[str, Name]:
    """By key; of two names that share one the first stays."""
    names: dict[str, Name] = {}
    for name in found.names:
        key = storable(name.key)
        if key and storable(name.text):
            names.setdefault(key, name)
    return names


def _relations(found: Extraction) -> Mapping[tuple[str, str, str], Relation]:
    """By head, tail and kind; of several in one chunk the strongest stays, of equal ones the first."""
    known = _names(found)
    relations: dict[tuple[str, str, str], Relation] = {}
    for relation in sorted(found.relations, key=lambda one: -one.weight):
        head, tail, kind = storable(relation.head), storable(relation.tail), storable(relation.kind, _LONGEST_KIND)
        if head != tail and {head, tail} <= known.keys() and kind and 0 < relation.weight < math.inf:
            relations.setdefault((head, tail, kind), relation)
    return relations


def _aliases(found: Extraction) -> Mapping[tuple[str, str], Alias]:
    known = _names(found)
    aliases: dict[tuple[str, str], Alias] = {}
    for alias in found.aliases:
        key, other = storable(alias.key), storable(alias.same_as)
        if key != other and {key, other} <= known.keys():
            aliases.setdefault((key, other), alias)
    return aliases


def _span(text: GraphText, what: Name | Relation | Alias) -> tuple[int, int]:
    """Its span where it lies in the text, else 0 and 0."""
    return (what.start, what.end) if 0 <= what.start <= what.end <= len(text.text) else (0, 0)
