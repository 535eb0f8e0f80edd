"""Lets a model imagine a passage that answers the question, to search with in the question's place: one for each concept.

Follows route, or the last rewrite when simpler ways have failed; leads to retrieve. What was imagined is searched with and never shown:
it is no evidence of anything. Where nothing comes in time the plain query is searched, and the trail says so.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from langchain_core.messages import BaseMessage
from langgraph.runtime import Runtime

from nodes.budget import SKIPPED, Allowance, crowds_out
from nodes.concepts import concepts_of
from nodes.context import Clock, now
from nodes.exact import exact_terms
from nodes.knobs import Knobs
from nodes.prompting import moment, prompt
from nodes.records import Usage, add_usage, no_usage
from nodes.remembering import recalled, remember
from nodes.replies import Reply
from nodes.state import RagState, RagUpdate
from nodes.structured import Consulted, Decider, consult_by
from retrievers.errors import ProviderUnavailable
from retrievers.text.language import language_of
from retrievers.text.terms import has_code

DEADLINE_S = 3.0
"""For all passages together: they are written side by side."""

TOKENS = 150
"""A passage of the length that documents' paragraphs have."""

TEMPERATURE = 0.3
"""Some freedom of wording: the passage shall sound like a document, not like the question."""

_PLAIN = "the plain query"
_MOST_CHARS = 1200
"""150 tokens in any script; a model without a limit of its own is cut here."""


async def hyde(state: RagState, runtime: Runtime[Knobs], *, chat: Decider | None) -> RagUpdate:
    """Imagined passages, one for each of `sub_questions` where there are several, or none: then the plain query is searched."""
    clock, question = Clock("hyde"), state.standalone
    if chat is None or exact_terms(question) or has_code(question):
        reason = "no chat model is configured" if chat is None else "exact terms are found by themselves"
        return {"hypothetical": [], "sub_questions": [], "trail": [clock.event("decision", _PLAIN, reason)]}
    concepts = _concepts(state)
    if reason := crowds_out(state, calls=len(concepts), seconds=DEADLINE_S):
        return {"hypothetical": [], "sub_questions": [], "trail": [clock.event("limit", _PLAIN, reason, **{SKIPPED: reason})]}
    await chat.prepare()
    wanted = [_imagined(concept, state, runtime, chat, clock) for concept in concepts]
    replies = await asyncio.gather(*wanted)
    passages = [reply.value for reply in replies if reply.value]
    # Concepts that stayed without a passage would be searched for nothing: then all are searched as one question.
    apart = len(concepts) > 1 and len(passages) == len(concepts)
    decision = f"{len(passages)} imagined passages" if passages else _PLAIN
    reason = "to search with beside the query" if passages else "no passage was imagined"
    event = clock.event("decision", decision, reason, passages=[*passages], concepts=[*concepts])
    usage: Usage = no_usage()
    for reply in replies:
        usage = add_usage(usage, reply.usage)
    first = next((reply for reply in replies if reply.events), None)
    return {
        "hypothetical": passages,
        "sub_questions": [*concepts] if apart else [],
        "trail": [*(first.events if first else ()), event],
        "degraded": [*(first.degraded if first else ())],
        "usage": usage,
    }


def _concepts(state: RagState) -> Sequence[str]:
    """What a passage is imagined for: the parts that were found before, else those that the rules find, else the question."""
    several = concepts_of(state.standalone)
    return state.sub_questions or (several.parts if several else ()) or (state.standalone,)


async def _imagined(concept: str, state: RagState, runtime: Runtime[Knobs], chat: Decider, clock: Clock) -> Consulted[str]:
    if kept := recalled(chat, "hyde", concept):
        return Consulted(kept[0])
    messages = prompt("hyde", language=language_of(concept), now=moment(now(runtime)), question=concept)
    written = await _written(messages, state, chat, clock)
    if written.value:
        written = replace(written, value=" ".join(written.value.split())[:_MOST_CHARS])
        remember(chat, "hyde", concept, (written.value or "",))
    return written


async def _written(messages: list[BaseMessage], state: RagState, chat: Decider, clock: Clock) -> Consulted[str]:
    async def ask(allowed: Allowance) -> Reply[str]:
        tokens = TOKENS if allowed.tokens is None else min(TOKENS, allowed.tokens)
        try:
            async with asyncio.timeout(DEADLINE_S):
                return await chat.say(messages, replace(allowed, tokens=tokens, temperature=TEMPERATURE))
        except TimeoutError as exc:
            raise ProviderUnavailable(f"the chat model imagined no passage within {DEADLINE_S:g} s") from exc

    consulted: Consulted[str] = await consult_by(ask, messages, state, clock, instead=_PLAIN, optional=True)
    return consulted
