"""Answers with a chat model: claims with verbatim quotes, and one chance to correct those that do not stand in their passage.

Shared ground of generate.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, model_validator

from nodes.context import Clock
from nodes.evidence import about_question, attributed, check, claims_in, without_markers
from nodes.prompting import fenced, language_name, moment, prompt
from nodes.records import Claim, Degraded, TrailEvent, add_usage, is_unreadable
from nodes.replies import entries_so_far, readable
from nodes.state import RagState
from nodes.structured import Consulted, Decider, consult
from nodes.telling import MOST_CLAIMS, Teller
from retrievers.text.language import language_of
from retrievers.types import Passage

_CUT_OFF = "the claims that were complete"


def _number(value: object) -> int | None:
    """`2`, `"2"` and `"[2]"`; None for what names no passage. -1 stays what it is: no passage has it."""
    found = re.search(r"-?\d+", str(value))
    return int(found[0]) if found else None


def _numbers(value: object) -> list[int]:
    """Those of a list, or of one number."""
    return [number for entry in (value if isinstance(value, list) else [value]) if (number := _number(entry)) is not None]


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


class DraftOfParts(Draft):
    """The same for a question of several parts."""

    unanswered: Annotated[list[int], BeforeValidator(_numbers)] = Field(default_factory=list)


@dataclass(frozen=True)
class Written:
    """The claims of a draft, and the parts of the question that it leaves open."""

    claims: list[Claim]
    unanswered: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Task:
    """What is asked, and of what."""

    passages: Sequence[Passage]
    state: RagState
    at: datetime
    clock: Clock

    @property
    def question(self) -> str:
        return self.state.standalone

    @property
    def fields(self) -> dict[str, str]:
        """Of both prompts."""
        language = language_name(language_of(self.state.question or self.question))
        return {"now": moment(self.at), "language": language, "passages": fenced(self.passages), "question": self.question}

    def fault(self, claim: Claim) -> str:
        """Why the claim may not stay as it is; empty when it may."""
        finding = check(claim, self.passages, self.question)
        return finding.why if finding.verdict == "unsupported" else about_question(claim, self.passages, self.question)

    def supported(self, claims: Sequence[Claim]) -> list[Claim]:
        return [claim for claim in claims if not self.fault(claim)]


async def draft(
    passages: Sequence[Passage], state: RagState, at: datetime, chat: Decider, clock: Clock, teller: Teller, *, instead: str
) -> Consulted[Written]:
    """The model's claims; no value when it failed or said nothing, so that `instead` answers.

    Text with `[n]` markers in place of JSON is taken too. Claims that their passage does not bear out go back to the model
    once, with what is wrong; of both drafts the one with more supported claims is kept. The teller hears each claim as it comes; where a
    draft that is heard breaks off, by the deadline or by itself, the claims that stand are the answer.
    """
    task = _Task(passages, state, at, clock)
    schema = DraftOfParts if state.sub_questions else Draft
    heard = _heard(teller) if teller.is_heard else None
    messages = _asked(task)
    reply: Consulted[Any] = await consult(chat, messages, schema, state, clock, instead=instead, heard=heard)
    if reply.value is None and not reply.text and (standing := task.supported(attributed(_complete(teller.said), passages, task.question))):
        return _cut_off(reply, standing, task, teller)
    claims = _claims(reply, task)
    if claims is None:
        teller.settle([])
        return Consulted(None, reply.text, reply.events, reply.degraded, reply.usage)
    event = clock.event("model", f"{len(claims)} claims" if claims else "no answer", "drafted from the kept passages")
    reply = _tolerated(reply, claims)
    first = Consulted(claims, reply.text, [*reply.events, event], reply.degraded, reply.usage)
    last = first if task.supported(claims) == claims else await _repaired(first, task, chat)
    kept, events = _about_the_question(last.value or [], task)
    teller.settle(kept)
    return Consulted(Written(kept, _open(reply.value, state)), last.text, [*last.events, *events], last.degraded, last.usage)


def _cut_off(reply: Consulted[Any], standing: list[Claim], task: _Task, teller: Teller) -> Consulted[Written]:
    """What was told stays told: the answer of a draft that nobody heard the end of."""
    teller.settle(standing)
    event = task.clock.event("model", f"{len(standing)} claims", "those that were complete when the draft was cut off")
    events: list[TrailEvent] = [{**entry, "decision": _CUT_OFF} for entry in reply.events]
    degraded: list[Degraded] = [{**entry, "fallback": _CUT_OFF} for entry in reply.degraded]
    return Consulted(Written(standing), teller.said, [*events, event], degraded, reply.usage)


def _asked(task: _Task) -> list[Any]:
    language = language_of(task.state.question or task.question)
    fields = task.fields
    return prompt(
        "generate",
        language=language,
        now=fields["now"],
        passages=fields["passages"],
        question=fields["question"],
        parts=_parts(task.state.sub_questions),
        language_name=fields["language"],
    )


def _parts(sub_questions: Sequence[str]) -> str:
    """The parts of the question as the prompt lists them; nothing for a question of one."""
    if not sub_questions:
        return ""
    listed = "\n".join(f"{number}. {part}" for number, part in enumerate(sub_questions, 1))
    rule = 'Answer each, and add to the JSON object "unanswered": the list of the numbers of those that no passage answers.'
    return f"Parts of the question:\n{listed}\n{rule}\n\n"


def _open(reply: object, state: RagState) -> list[str]:
    numbers = reply.unanswered if isinstance(reply, DraftOfParts) else []
    return [part for number, part in enumerate(state.sub_questions, 1) if number in numbers]


def _heard(teller: Teller) -> Callable[[str], None]:
    return lambda said: teller.hear(said, _read)


def _read(entry: dict[str, Any]) -> Claim | None:
    claim = DraftedClaim.model_validate(entry)
    text = without_markers(claim.text)
    return {"text": text, "passage": claim.passage, "quote": claim.quote} if text else None


def _claims(reply: Consulted[Any], task: _Task) -> list[Claim] | None:
    """From the JSON, else from what is complete of it, else from text with markers; None for a reply that is none of these."""
    if isinstance(reply.value, Draft):
        said = [claim for entry in reply.value.claims[:MOST_CLAIMS] if (claim := _read(entry.model_dump()))]
        return attributed(said, task.passages, task.question)
    claims = _complete(reply.text) or claims_in(readable(reply.text))
    return attributed(claims, task.passages, task.question) if any(claim["passage"] is not None for claim in claims) else None


def _complete(text: str) -> list[Claim]:
    """The claims of a reply that was cut off."""
    found: list[Claim] = []
    for entry in entries_so_far(text, MOST_CLAIMS):
        try:
            claim = _read(entry)
        except ValidationError:
            continue
        found += [claim] if claim else []
    return found


def _tolerated(reply: Consulted[Any], claims: Sequence[Claim]) -> Consulted[Any]:
    """The reply without what calls it unreadable, when its text could be used."""
    if not claims:
        return reply
    events = [event for event in reply.events if event["kind"] != "unparsable"]
    return replace(reply, events=events, degraded=[entry for entry in reply.degraded if not is_unreadable(entry)])


def _about_the_question(claims: Sequence[Claim], task: _Task) -> tuple[list[Claim], list[TrailEvent]]:
    """Without those that stand in their passage but have nothing to do with the question: a planted line is verbatim too."""
    beside = [(claim, why) for claim in claims if (why := about_question(claim, task.passages, task.question))]
    left = [claim for claim in claims if all(claim is not other for other, _ in beside)]
    reasons = "; ".join(f"“{claim['text'][:80]}”: {why}" for claim, why in beside)
    return left, [task.clock.event("check", f"{len(beside)} claims left out", reasons)] if beside else []


async def _repaired(first: Consulted[list[Claim]], task: _Task, chat: Decider) -> Consulted[list[Claim]]:
    claims, state, clock = first.value or [], task.state, task.clock
    wrong = [f"- {claim['text']} ({why})" for claim in claims if (why := task.fault(claim))]
    fields = task.fields
    messages = prompt(
        "repair",
        now=fields["now"],
        language_name=fields["language"],
        passages=fields["passages"],
        question=fields["question"],
        supported="\n".join(f"- {claim['text']} [{claim['passage']}]" for claim in task.supported(claims)) or "(none)",
        unsupported="\n".join(wrong),
    )
    spent_so_far = replace(state, usage=add_usage(state.usage, first.usage))
    reply: Consulted[Any] = await consult(chat, messages, Draft, spent_so_far, clock, instead="the first draft stays", optional=True)
    second = _claims(reply, task) or []
    reply = _tolerated(reply, second)
    good, before = task.supported(second), len(task.supported(claims))
    better = len(good) > before or (bool(second) and good == second and len(second) >= before)
    event = clock.event(
        "check", "the second draft" if better else "the first draft", f"{len(wrong)} claims were not supported: {wrong[0][2:200]}"
    )
    return replace(
        first,
        value=second if better else claims,
        events=[*first.events, *reply.events, event],
        degraded=[*first.degraded, *reply.degraded],
        usage=add_usage(first.usage, reply.usage),
    )
