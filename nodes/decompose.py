"""Splits a question of several parts into sub-questions, which are then searched side by side.

Follows route. A model writes them, within seconds; without one, or where it is late, the rules that found the parts name them. The whole
question is always searched too; where no parts are found, alone.
"""

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from langgraph.runtime import Runtime
from pydantic import BaseModel, BeforeValidator, model_validator

from nodes.budget import SKIPPED, Allowance, crowds_out
from nodes.concepts import MOST, concepts_of
from nodes.context import Clock, now
from nodes.exact import exact_terms
from nodes.followup import own_words
from nodes.knobs import Knobs
from nodes.prompting import moment, prompt
from nodes.remembering import recalled, remember
from nodes.replies import Reply
from nodes.state import RagState, RagUpdate
from nodes.structured import Consulted, Decider, consult_by
from nodes.wording import same_language
from retrievers.errors import ProviderUnavailable
from retrievers.text.language import language_of
from retrievers.text.terms import content_terms

DEADLINE_S = 5.0
"""For the sub-questions: a hosted model needs one second for a reply of this length, and the plain search needs none of them."""

_LEAST = 2
_MOST_CHARS = 300
"""A sub-question is shorter than most questions."""

_POLICY = "the rules split it, or it is searched as a whole"


_LISTED = re.compile(r"^\s*(?:\d+\s*[.)、.]|[-*•・])\s*(.+?)\s*$", re.MULTILINE)


def _listed(value: object) -> object:
    """The entries of a list that came as text: as JSON, or one a line. Raises ValueError where there is none."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value[value.index("[") : value.rindex("]") + 1])
    except ValueError:
        if lines := _LISTED.findall(value):
            return lines
        raise


class Parts(BaseModel):
    """What the model replies; a bare list is taken too, also one a line."""

    questions: Annotated[list[str], BeforeValidator(_listed)]

    @model_validator(mode="before")
    @classmethod
    def _wrapped(cls, value: Any) -> Any:
        return {"questions": value} if isinstance(value, list) else value


async def decompose(state: RagState, runtime: Runtime[Knobs], *, chat: Decider | None) -> RagUpdate:
    """Two to four sub-questions, or none."""
    clock, question = Clock("decompose"), state.standalone
    consulted: Consulted[Parts] = Consulted()
    parts = recalled(chat, "decompose", question) if chat else ()
    by = "remembered" if parts else "model"
    if chat is not None and not parts:
        consulted = await _asked(state, runtime, chat, clock)
        parts = _usable(consulted.value.questions if consulted.value else (), question)
        if parts:
            remember(chat, "decompose", question, parts)
    if not parts:
        several = concepts_of(own_words(state.question or "", question))
        parts, by = (several.parts if several else ()), "rules"
    decision, reason = (f"{len(parts)} parts", f"split by: {by}") if parts else ("whole", "no rule can tell its parts apart")
    event = clock.event("decision", decision, reason, parts=[*parts], by=by)
    return {
        "sub_questions": [*parts],
        "trail": [*consulted.events, event],
        "degraded": consulted.degraded,
        "usage": consulted.usage,
    }


async def _asked(state: RagState, runtime: Runtime[Knobs], chat: Decider, clock: Clock) -> Consulted[Parts]:
    if reason := crowds_out(state, calls=1, seconds=DEADLINE_S):
        return Consulted(events=[clock.event("limit", _POLICY, reason, **{SKIPPED: reason})])
    messages = prompt("decompose", language=language_of(state.standalone), now=moment(now(runtime)), question=state.standalone)
    # What the model's making takes is not the question's: it happens once in a process.
    await chat.prepare()

    async def ask(allowed: Allowance) -> Reply[Parts]:
        try:
            async with asyncio.timeout(DEADLINE_S):
                return await chat.decide(messages, Parts, bare="questions", allowed=replace(allowed, temperature=0.0))
        except TimeoutError as exc:
            raise ProviderUnavailable(f"the chat model wrote no sub-questions within {DEADLINE_S:g} s") from exc

    return await consult_by(ask, messages, state, clock, instead=_POLICY, optional=True)


def _usable(questions: Sequence[str], whole: str) -> tuple[str, ...]:
    """At most four that can be searched for, in the question's language; none where fewer than two are left, or a code was lost."""
    said = [" ".join(question.split()) for question in questions]
    kept = [
        question
        for question in dict.fromkeys(said)
        if question != whole and len(question) <= _MOST_CHARS and same_language(question, whole) and content_terms(question)
    ][:MOST]
    lost = any(term.casefold() not in " ".join(kept).casefold() for term in exact_terms(whole))
    return () if lost or len(kept) < _LEAST else tuple(kept)
