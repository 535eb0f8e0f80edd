"""What reads entities out of texts: a part of the composition root.

Called by graphs/wiring.py alone; nothing is loaded or connected here.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from graphs.settings import Settings
from retrievers.entities import EntityExtractor
from retrievers.errors import ConfigurationError
from retrievers.providers.names_rules import RuleExtractor

if TYPE_CHECKING:
    from nodes.structured import Decider
    from retrievers.said import Most


def extractor_for(
    settings: Settings, *, chat: "Callable[[], Decider | None]", count: Callable[[str], int], with_model: bool, most: "Most | None"
) -> EntityExtractor:
    """What TADORI_GRAPH names, the rules or spaCy with them, and the chat model beside it, at most so much of that.

    Raises ConfigurationError where the model is wanted and none is set, MissingExtra for spaCy that is not installed.
    """
    rules = _spacy() if settings.graph == "spacy" else RuleExtractor()
    if not with_model:
        return rules
    model, name = chat(), settings.chat_model
    if model is None or name is None:
        raise ConfigurationError("no chat model is set that could read entities: set TADORI_CHAT_MODEL, or let the rules do it")
    from nodes.extracting import ChatReader
    from retrievers.providers.names_chat import ChatExtractor

    return ChatExtractor(ChatReader(model), rules, name=name, count=count, most=most, at_once=settings.chat_concurrency)


def _spacy() -> EntityExtractor:
    from retrievers.providers.names_spacy import SpacyExtractor

    return SpacyExtractor()
