"""Drafts the answer from the kept passages, or replies to a turn that needs none.

Follows grade, or the gate directly. It never answers from a model's own knowledge: nothing kept means no claims.
"""

from dataclasses import replace

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from nodes.context import Clock, knobs, now
from nodes.direct import EXACT, direct_reply
from nodes.drafting import draft
from nodes.knobs import Knobs
from nodes.prompting import CONTEXT_TOKENS, moment, prompt, transcript, within_budget
from nodes.quoting import quote
from nodes.records import Claim, Degraded, TrailEvent
from nodes.state import RagState, RagUpdate, model_failed
from nodes.structured import Consulted, Decider
from retrievers.errors import ProviderError, ProviderReplyInvalid, StorageError
from retrievers.passages import PassageReader, part_ids
from retrievers.types import Embedder, Passage

_POLICY = "quote the best sentences"


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
    kept = within_budget(state.kept)
    wide, drafted = await _drafted(kept, state, runtime, chat, reader, clock) if chat else (kept, Consulted[list[Claim]]())
    if drafted.value is not None:
        return {"kept": wide, "claims": drafted.value, "trail": drafted.events, "degraded": drafted.degraded, "usage": drafted.usage}
    claims, failure = await quote(
        state.standalone, kept, embedder, follow_up="" if state.question == state.standalone else state.question or ""
    )
    event, degraded = clock.fallback(f"embedder: {failure}", "choose the sentences by their words") if failure else (None, None)
    quoted = clock.event("decision", f"{len(claims)} quotes", "the sentences that fit the question best")
    return {
        "kept": kept,
        "claims": claims,
        "trail": [*drafted.events, *([event] if event else []), quoted],
        "degraded": [*drafted.degraded, *([degraded] if degraded else [])],
        "usage": drafted.usage,
    }


async def _drafted(
    kept: list[Passage], state: RagState, runtime: Runtime[Knobs], chat: Decider, reader: PassageReader | None, clock: Clock
) -> tuple[list[Passage], Consulted[list[Claim]]]:
    """What the model read, and its draft."""
    wide, events, degraded = await _in_context(kept, state, knobs(runtime), reader, clock)
    drafted = await draft(wide, state, now(runtime), chat, clock, instead=_POLICY)
    return wide, replace(drafted, events=[*events, *drafted.events], degraded=[*degraded, *drafted.degraded])


async def _in_context(
    kept: list[Passage], state: RagState, wanted: Knobs, reader: PassageReader | None, clock: Clock
) -> tuple[list[Passage], list[TrailEvent], list[Degraded]]:
    """The kept passages with what stands around them; as they are when that cannot be read, or nobody will read it."""
    if reader is None or model_failed(state):
        return kept, [], []
    dropped = {entry["id"] for entry in state.rejected} | {verdict["id"] for verdict in state.grades if not verdict["relevant"]}
    try:
        wide = await reader.widen(kept, each=wanted.passage_tokens, total=CONTEXT_TOKENS, without=dropped, collection=wanted.collection)
    except StorageError as exc:
        event, entry = clock.fallback(str(exc), "the passages as they were found")
        return kept, [event], [entry]
    parts, tokens = sum(len(part_ids(passage)) for passage in wide), sum(passage["token_count"] for passage in wide)
    reason = f"{len(kept)} found ones with what stands around them"
    return [*wide], [clock.event("decision", f"{len(wide)} passages", reason, parts=parts, tokens=tokens)], []


async def _direct(state: RagState, runtime: Runtime[Knobs], chat: Decider | None, clock: Clock) -> RagUpdate:
    """A computed reply as it is; small talk by the model where there is one, else by a fixed sentence."""
    question, history = state.question or "", state.messages[:-1]
    fixed = direct_reply(question, history, now(runtime))
    if chat is None or (fixed is not None and fixed.kind in EXACT):
        return _replied(fixed.text if fixed else "", clock, fixed.kind if fixed else "")
    messages = prompt("direct", now=moment(now(runtime)), history=transcript(history), question=question)
    try:
        reply = await chat.say(messages)
    except ProviderError as exc:
        if fixed is None:
            raise
        event, degraded = clock.fallback(str(exc), "a fixed sentence")
        return {**_replied(fixed.text, clock, fixed.kind), "trail": [event], "degraded": [degraded]}
    text = reply.value or (fixed.text if fixed else "")
    if not text:
        raise ProviderReplyInvalid("the chat model gave an empty reply: try again, or another model")
    return {**_replied(text, clock, "the model's reply"), "usage": reply.usage}


def _replied(text: str, clock: Clock, reason: str) -> RagUpdate:
    event = clock.event("decision", "direct", reason)
    return {"answer": text, "status": "direct", "reason": f"needs no documents: {reason}", "messages": [AIMessage(text)], "trail": [event]}
