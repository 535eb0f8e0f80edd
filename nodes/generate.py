"""Drafts the answer from the kept passages, or replies to a turn that needs none.

Follows grade, or the gate directly. It never answers from a model's own knowledge: nothing kept means no claims.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from nodes.attributes import unmentioned_attribute
from nodes.budget import END_S, RESERVE_S, SKIPPED, SPENT, allowance, seconds_for, tokens_left, unaffordable
from nodes.context import Clock, knobs, now
from nodes.direct import EXACT, direct_reply
from nodes.drafting import Written, draft
from nodes.followup import without_opener
from nodes.knobs import Knobs
from nodes.prompting import context_tokens, moment, prompt, transcript, within_budget
from nodes.quoting import OVER, quote
from nodes.quoting_parts import quote_documents, quote_parts
from nodes.quoting_paths import quote_path
from nodes.records import SURE, Claim, Degraded, TrailEvent
from nodes.safety import harmless, uncited
from nodes.state import RagState, RagUpdate, model_failed
from nodes.structured import Consulted, Decider, OutOfTime
from nodes.support import WITHHELD, withheld
from nodes.telling import Teller
from nodes.wording import about, language_of_answer, no_time
from retrievers.errors import ProviderError, ProviderReplyInvalid, StorageError
from retrievers.passages import PassageReader, part_ids
from retrievers.types import Embedder, Passage

_LEAST_CONTEXT = 200
"""Tokens of passages that an answer needs at least: where the caller's limit leaves fewer, the model is not asked."""

_PROMPT_TOKENS = 700
"""Of the rules, the examples and the question, beside the passages."""

_POLICY = "quote the best sentences"
_AS_FOUND = "the passages as they were found"


async def generate(
    state: RagState, runtime: Runtime[Knobs], *, chat: Decider | None, embedder: Embedder, reader: PassageReader | None = None
) -> RagUpdate:
    """Claims for cite to check; for a turn that the gate let skip, the whole answer.

    A model reads the kept passages with what `reader` finds around them. The rules quote from what was found and judged, nothing else.
    """
    clock = Clock("generate")
    if not state.retrieve:
        return await _direct(state, runtime, chat, clock)
    if not state.kept:
        return {"claims": [], "trail": [clock.event("decision", "abstain", "no passage was found relevant")]}
    if missing := surely_missing(state):
        return {"claims": [], "trail": [clock.event("decision", "abstain", f"what was kept does not suffice: {missing}")]}
    step = _Step(runtime, clock, reader)
    if chat is None:
        return await _quoted(within_budget(state.kept), state, step, embedder, Consulted())
    kept = within_budget(state.kept, await _room(state, chat))
    wide, drafted = await _drafted(kept, state, step, chat)
    if drafted.value is None:
        return await _quoted(within_budget(state.kept), state, step, embedder, drafted)
    return {
        "kept": wide,
        "claims": drafted.value.claims,
        "unanswered": drafted.value.unanswered,
        "trail": drafted.events,
        "degraded": drafted.degraded,
        "usage": drafted.usage,
    }


@dataclass(frozen=True)
class _Step:
    """This run of the step."""

    runtime: Runtime[Knobs]
    clock: Clock
    reader: PassageReader | None


def surely_missing(state: RagState) -> str:
    """What the kept passages lack, where that is sure enough to say nothing; empty where they may be answered from."""
    verdict = state.sufficiency
    return verdict["missing"] or "the answer" if verdict and not verdict["sufficient"] and verdict["confidence"] > SURE else ""


async def _quoted(kept: list[Passage], state: RagState, step: _Step, embedder: Embedder, drafted: Consulted[Written]) -> RagUpdate:
    """The sentences that fit best, after whatever became of a model's draft."""
    clock, seconds = step.clock, seconds_for(state, END_S)
    if state.sub_questions:
        claims, failure, unanswered = await quote_parts(state.sub_questions, kept, embedder, seconds=seconds)
    elif len(state.meant) > 1:
        claims, failure = await quote_documents(state.standalone, kept, state.meant, embedder, seconds=seconds)
        unanswered = []
    else:
        claims, failure = await _quoted_whole(kept, state, embedder, seconds)
        unanswered = _unmentioned(kept, state)
    events, degraded = _without_meaning(failure, clock)
    Teller(step.runtime.stream_writer, kept, state.standalone).tell(claims)
    reason = WITHHELD if not claims and withheld(kept, state.standalone) else "the sentences that fit the question best"
    quoted = clock.event("decision", f"{len(claims)} quote{'' if len(claims) == 1 else 's'}", reason)
    return {
        "kept": kept,
        "claims": claims,
        "unanswered": unanswered,
        "trail": [*drafted.events, *events, quoted],
        "degraded": [*drafted.degraded, *degraded],
        "usage": drafted.usage,
    }


async def _quoted_whole(kept: list[Passage], state: RagState, embedder: Embedder, seconds: float | None) -> tuple[list[Claim], str | None]:
    """Of a question that is one: along the path that the knowledge graph took, where there is one, else what fits best."""
    claims, failure = await quote_path(state.standalone, kept, embedder, seconds=seconds)
    if claims:
        return claims, failure
    follow_up = "" if state.question == state.standalone else without_opener(state.question or "")
    return await quote(state.standalone, kept, embedder, follow_up=follow_up, seconds=seconds)


def _unmentioned(kept: Sequence[Passage], state: RagState) -> list[str]:
    """What is asked of a thing that was only described, where the passages tell of the thing alone: a first step is no answer."""
    what = unmentioned_attribute(state.standalone, kept) if state.route == "knowledge_graph" else None
    return [what] if what else []


def _without_meaning(failure: str | None, clock: Clock) -> tuple[list[TrailEvent], list[Degraded]]:
    """What is said where the embedder could not compare."""
    if failure is None:
        return [], []
    if failure == OVER:
        return [clock.event("limit", "choose the sentences by their words", OVER, **{SPENT: OVER})], []
    event, degraded = clock.fallback(f"embedder: {failure}", "choose the sentences by their words")
    return [event], [degraded]


async def _room(state: RagState, chat: Decider) -> int:
    """Tokens of passages for this prompt: what the model's window and the caller's limit leave."""
    if model_failed(state):
        return context_tokens(None)
    room, left = context_tokens(await chat.window()), tokens_left(state)
    return room if left is None else min(room, max(_LEAST_CONTEXT, left - _PROMPT_TOKENS))


async def _drafted(kept: list[Passage], state: RagState, step: _Step, chat: Decider) -> tuple[list[Passage], Consulted[Written]]:
    """What the model read, and its draft."""
    wide, events, degraded = await _in_context(kept, state, step, await _room(state, chat))
    teller = Teller(step.runtime.stream_writer, wide, state.standalone)
    drafted = await draft(wide, state, now(step.runtime), chat, step.clock, teller, instead=_POLICY)
    return wide, replace(drafted, events=[*events, *drafted.events], degraded=[*degraded, *drafted.degraded])


async def _in_context(
    kept: list[Passage], state: RagState, step: _Step, room: int
) -> tuple[list[Passage], list[TrailEvent], list[Degraded]]:
    """The kept passages with what stands around them; as they are when that cannot be read, or nobody will read it."""
    reader, wanted = step.reader, knobs(step.runtime)
    if reader is None or model_failed(state) or unaffordable(state, []):
        return kept, [], []
    dropped = {entry["id"] for entry in state.rejected} | {verdict["id"] for verdict in state.grades if not verdict["relevant"]}
    try:
        async with asyncio.timeout(seconds_for(state, RESERVE_S)):
            wide = await reader.widen(kept, each=wanted.passage_tokens, total=room, without=dropped, collection=wanted.collection)
    except StorageError as exc:
        event, entry = step.clock.fallback(str(exc), _AS_FOUND)
        return kept, [event], [entry]
    except TimeoutError:
        return kept, [step.clock.event("limit", _AS_FOUND, OVER, **{SKIPPED: OVER})], []
    parts, tokens = sum(len(part_ids(passage)) for passage in wide), sum(passage["token_count"] for passage in wide)
    reason = f"{len(kept)} found ones with what stands around them"
    return [*wide], [step.clock.event("decision", f"{len(wide)} passages", reason, parts=parts, tokens=tokens)], []


async def _direct(state: RagState, runtime: Runtime[Knobs], chat: Decider | None, clock: Clock) -> RagUpdate:
    """A computed reply as it is; small talk by the model where there is one, else by a fixed sentence."""
    question, history = state.question or "", state.messages[:-1]
    fixed = direct_reply(question, history, now(runtime))
    if chat is None or (fixed is not None and fixed.kind in EXACT):
        return _replied(fixed.text if fixed else "", clock, fixed.kind if fixed else "")
    messages = prompt("direct", now=moment(now(runtime)), history=transcript(history), question=question)
    if reason := unaffordable(state, messages):
        return _limited(reason, fixed.text if fixed else "", question, clock)
    try:
        reply = await chat.say(messages, allowance(state, messages))
    except OutOfTime as exc:
        return _limited(str(exc), fixed.text if fixed else "", question, clock)
    except ProviderError as exc:
        if fixed is None:
            raise
        event, degraded = clock.fallback(str(exc), "a fixed sentence")
        return {**_replied(fixed.text, clock, fixed.kind), "trail": [event], "degraded": [degraded]}
    said = harmless(uncited(reply.value or ""))
    instead = fixed.text if fixed else about(language_of_answer(question)) if reply.value else ""
    text = said or instead
    if not text:
        raise ProviderReplyInvalid("the chat model gave an empty reply: try again, or another model")
    if not said:
        why = "has data or sources only, and no sentence" if reply.value else "is empty"
        event, degraded = clock.unreadable(why, "a fixed sentence", reply.text)
        return {**_replied(text, clock, "a fixed sentence"), "trail": [event], "degraded": [degraded], "usage": reply.usage}
    return {**_replied(text, clock, "the model's reply"), "usage": reply.usage}


def _limited(reason: str, fixed: str, question: str, clock: Clock) -> RagUpdate:
    """A reply that a budget kept from the model: the fixed sentence, else that there is none."""
    event = clock.event("limit", "a fixed sentence", reason, **{SPENT: reason})
    if fixed:
        return {**_replied(fixed, clock, "a fixed sentence"), "trail": [event]}
    text = no_time(language_of_answer(question))
    return {"answer": text, "status": "budget_exhausted", "reason": reason, "messages": [AIMessage(text)], "trail": [event]}


def _replied(text: str, clock: Clock, reason: str) -> RagUpdate:
    event = clock.event("decision", "direct", reason)
    return {"answer": text, "status": "direct", "reason": f"needs no documents: {reason}", "messages": [AIMessage(text)], "trail": [event]}
