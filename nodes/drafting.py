"""Answers with a chat model: claims with verbatim quotes, and one chance to correct those that do not stand in their passage.

Shared ground of generate.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, model_validator

from nodes.context import Clock
from nodes.evidence import check, claims_in, without_markers
from nodes.prompting import fenced, moment, prompt
from nodes.records import Claim, add_usage
from nodes.state import RagState
from nodes.structured import Consulted, Decider, consult
from retrievers.types import Passage

_MOST_CLAIMS = 12
"""The prompt asks for five; a model that does not stop is cut here."""


def _number(value: object) -> int | None:
    """`2`, `"2"` and `"[2]"`; None for what names no passage."""
    found = re.search(r"\d+", str(value))
    return int(found[0]) if found else None


class DraftedClaim(BaseModel):
    """One sentence of the answer."""

    text: str
    passage: Annotated[int | None, BeforeValidator(_number)] = None
    quote: str | None = None


class Draft(BaseModel):
    """What the model replies; no claims mean that the passages do not answer."""

    claims: list[DraftedClaim]

    @model_validator(mode="before")
    @classmethod
    def _wrapped(cls, value: Any) -> Any:
        return {"claims": value} if isinstance(value, list) else value


async def draft(
    passages: Sequence[Passage], state: RagState, at: datetime, chat: Decider, clock: Clock, *, instead: str
) -> Consulted[list[Claim]]:
    """The model's claims; no value when it failed or said nothing, so that `instead` answers.

    Text with `[n]` markers in place of JSON is taken too. Claims that their passage does not bear out go back to the model
    once, with what is wrong; of both drafts the one with more supported claims is kept.
    """
    messages = prompt("generate", now=moment(at), passages=fenced(passages), question=state.standalone)
    reply = await consult(chat, messages, Draft, state, clock, instead=instead)
    claims = _claims(reply)
    if claims is None:
        return Consulted(None, reply.text, reply.events, reply.degraded, reply.usage)
    event = clock.event("model", f"{len(claims)} claims" if claims else "no answer", "drafted from the kept passages")
    first = Consulted(claims, reply.text, [*_tolerated(reply, claims), event], reply.degraded, reply.usage)
    return first if _supported(claims, passages) == claims else await _repaired(first, passages, state, at, chat, clock)


def _claims(reply: Consulted[Draft]) -> list[Claim] | None:
    """From the JSON, else from text with markers; None for a reply that is neither."""
    if reply.value is None:
        claims = claims_in(reply.text)
        return claims if any(claim["passage"] is not None for claim in claims) else None
    said = [(without_markers(claim.text), claim) for claim in reply.value.claims[:_MOST_CLAIMS]]
    return [{"text": text, "passage": claim.passage, "quote": claim.quote} for text, claim in said if text]


def _tolerated(reply: Consulted[Draft], claims: Sequence[Claim]) -> list[Any]:
    """The events of the reply, without the one that calls it unreadable when its text could be used."""
    return [event for event in reply.events if not (claims and event["kind"] == "unparsable")]


def _supported(claims: Sequence[Claim], passages: Sequence[Passage]) -> list[Claim]:
    return [claim for claim in claims if check(claim, passages).verdict != "unsupported"]


async def _repaired(
    first: Consulted[list[Claim]], passages: Sequence[Passage], state: RagState, at: datetime, chat: Decider, clock: Clock
) -> Consulted[list[Claim]]:
    claims = first.value or []
    findings = [(claim, check(claim, passages)) for claim in claims]
    wrong = [f"- {claim['text']} ({finding.why})" for claim, finding in findings if finding.verdict == "unsupported"]
    messages = prompt(
        "repair",
        now=moment(at),
        passages=fenced(passages),
        question=state.standalone,
        supported="\n".join(f"- {claim['text']} [{claim['passage']}]" for claim in _supported(claims, passages)) or "(none)",
        unsupported="\n".join(wrong),
    )
    reply = await consult(chat, messages, Draft, state, clock, instead="the first draft stays")
    second = _claims(reply) or []
    better = len(_supported(second, passages)) > len(_supported(claims, passages)) or (
        bool(second) and _supported(second, passages) == second and len(second) >= len(_supported(claims, passages))
    )
    event = clock.event(
        "check", "the second draft" if better else "the first draft", f"{len(wrong)} claims were not supported: {wrong[0][2:200]}"
    )
    return replace(
        first,
        value=second if better else claims,
        events=[*first.events, *_tolerated(reply, second), event],
        degraded=[*first.degraded, *reply.degraded],
        usage=add_usage(first.usage, reply.usage),
    )
