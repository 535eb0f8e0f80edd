"""Asks a chat model for the entities and relations of several texts, all in one call.

No step of the graph: graphs/extractors.py hands it to the extractor, which sits below the nodes and cannot see them.
"""

import json
import secrets
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, get_args

from langchain_core.messages import BaseMessage
from pydantic import BaseModel, BeforeValidator, Field, ValidationError, model_validator

from nodes.budget import Allowance, estimated_tokens
from nodes.prompting import moment, prompt
from nodes.replies import Reply
from nodes.structured import Decider
from retrievers.entities import EntityKind, GraphText
from retrievers.relevance import Spent
from retrievers.said import Most, Said, SaidName, SaidRelation, SaidText
from retrievers.text.language import Language

_CUT_FROM = 0.9
"""Of the tokens that a reply was allowed: one that has so many and cannot be read was cut off. Less than all, as they may be estimated."""


def _known_kind(value: Any) -> Any:
    """A kind of the model's own making says no more than that there is a name."""
    kind = value.strip().lower() if isinstance(value, str) else value
    return kind if kind in get_args(EntityKind) else "name"


class Entity(BaseModel):
    """A name as the text writes it."""

    name: str
    kind: Annotated[EntityKind, BeforeValidator(_known_kind)] = "name"


class Tie(BaseModel):
    """A relation with the words that state it."""

    head: str
    predicate: str
    tail: str
    quote: str


def _fitting(schema: type[BaseModel]) -> BeforeValidator:
    """Leaves out what is no `schema`: one odd entry does not spoil the others."""

    def fits(entry: Any) -> bool:
        try:
            schema.model_validate(entry)
        except (ValidationError, RecursionError):
            return False
        return True

    def fitting(value: Any) -> Any:
        return [entry for entry in value if fits(entry)] if isinstance(value, list) else value or []

    return BeforeValidator(fitting)


class Entry(BaseModel):
    """What one text holds, by its number."""

    id: int | None = None
    entities: Annotated[list[Entity], _fitting(Entity)]
    relations: Annotated[list[Tie], _fitting(Tie)] = Field(default_factory=list)


class Entries(BaseModel):
    """What the model replies; a bare list is taken too, and a single entry without one."""

    texts: list[Entry]

    @model_validator(mode="before")
    @classmethod
    def _wrapped(cls, value: Any) -> Any:
        if isinstance(value, dict) and "texts" not in value and "entities" in value:
            return {"texts": [value]}
        return {"texts": value} if isinstance(value, list) else value


class ChatReader:
    """A chat model as a TextReader."""

    def __init__(self, chat: Decider) -> None:
        self._chat = chat

    def tokens(self, texts: Sequence[GraphText]) -> int:
        """Rather too many than too few: the provider's tokeniser is not known."""
        return estimated_tokens(_messages(texts))

    async def prepare(self) -> None:
        """Makes the model's client, whose import takes seconds."""
        await self._chat.prepare()

    async def read(self, texts: Sequence[GraphText], most: Most) -> Said:
        """What the model says as it says it: which text is missing or doubled is for the caller to see. Raises ProviderError."""
        messages = _messages(texts)
        room = None if most.tokens is None else most.tokens - estimated_tokens(messages)
        reply = await self._chat.decide(messages, Entries, allowed=Allowance(calls=most.calls, tokens=room))
        said = None if reply.value is None else [_said(entry) for entry in reply.value.texts]
        if said and not _ended(reply.text):
            # LangChain closes the brackets of a reply that was cut off: of its last text a part is missing.
            said = said[:-1] or None
        cut = room is not None and reply.usage["output_tokens"] >= room * _CUT_FROM
        return Said(said, reply.text, _spent(reply), cut)


def _ended(text: str) -> bool:
    """Whether a reply that begins as JSON is whole; what stands in a tool call is."""
    if not text.startswith(("{", "[")):
        return True
    try:
        json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _said(entry: Entry) -> SaidText:
    names = [SaidName(entity.name, entity.kind) for entity in entry.entities]
    return SaidText(entry.id, names, [SaidRelation(tie.head, tie.predicate, tie.tail, tie.quote) for tie in entry.relations])


def _spent(reply: Reply[Any]) -> Spent:
    usage = reply.usage
    spent = Spent(calls=usage["calls"], input_tokens=usage["input_tokens"], output_tokens=usage["output_tokens"])
    if usage["cost_usd"] is not None:
        spent["cost_usd"] = usage["cost_usd"]
    return spent


def _messages(texts: Sequence[GraphText]) -> list[BaseMessage]:
    now = moment(datetime.now().astimezone())
    return prompt("extract", language=_language(texts), now=now, texts=_fenced(texts))


def _language(texts: Sequence[GraphText]) -> Language:
    """That of most texts, whose examples are shown."""
    found = Counter(text.language for text in texts).most_common(1)
    return next((known for known in get_args(Language) if found and known == found[0][0]), "en")


def _fenced(texts: Sequence[GraphText]) -> str:
    """The texts numbered from 1, each between delimiters that no document can know; the title and the headings are its words too."""
    code = secrets.token_hex(8)
    return "\n\n".join(_block(number, text, code) for number, text in enumerate(texts, 1))


def _block(number: int, text: GraphText, code: str) -> str:
    place = " > ".join(dict.fromkeys([text.title, *text.heading_path]))
    return f'<text-{code} id="{number}">\n{place}\n\n{text.text.strip()}\n</text-{code}>'
