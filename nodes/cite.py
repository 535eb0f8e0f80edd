"""Checks every claim against the passage that it names, and writes the answer with its sources, or the honest end.

Last step; deterministic. What does not stand in its passage does not reach the user, and no passage is cited in another's place: a
quote of another passage was given that one's number before (nodes/evidence.py says when), or its claim is dropped here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from nodes.budget import stopped
from nodes.context import Clock, filters, knobs
from nodes.dates import of_another_time
from nodes.evidence import Finding, check
from nodes.knobs import Knobs
from nodes.parts import as_asked
from nodes.records import Citation, Claim, Rejected
from nodes.safety import harmless, shown
from nodes.state import RagState, RagUpdate
from nodes.support import WITHHELD, withheld
from nodes.wording import abstention, another_time, language_of_answer, told_apart, unanswered
from retrievers.passages import part_at
from retrievers.relevance import falls_short
from retrievers.types import Passage

_MISSING_CHARS = 200
"""A phrase: a model that was shown a planted text must have no room to pass it on."""


@dataclass(frozen=True)
class _Checked:
    """A claim that stands, with where."""

    claim: Claim
    finding: Finding


async def cite(state: RagState, runtime: Runtime[Knobs]) -> RagUpdate:
    """`answered` where every claim stands, else `partial`, or `no_evidence` where none does. `partial` too where a part stays open.

    `budget_exhausted` whatever stands, where a budget of the caller ended a step that the answer needed.
    """
    clock = Clock("cite")
    findings = [(claim, check(claim, state.kept, state.standalone)) for claim in state.claims]
    standing = [_Checked(claim, finding) for claim, finding in findings if finding.verdict != "unsupported"]
    said = {checked.claim["text"] for checked in standing}
    dropped = [f"“{claim['text'][:80]}”: {finding.why}" for claim, finding in findings if claim["text"] not in said]
    unverified = sum(checked.finding.verdict == "unquoted" for checked in standing)
    event = clock.event("check", f"{len(said)} claims stand", _checked_reason(findings, dropped, unverified), dropped=[*dropped])
    spent = stopped(state.trail)
    if not standing:
        return {**_abstained(state, runtime, dropped, spent), "trail": [event]}
    answer, citations = _written(standing, state)
    faults = [_checked_reason(findings, dropped, unverified)] if dropped or unverified else []
    faults += _incomplete(state)
    if named := _missed_time(standing, state, runtime):
        answer = f"{another_time(language_of_answer(state.question or ''), named)} {answer}"
        faults.append(f"nothing from {named} was found: what is cited is from another time")
    return {
        "answer": answer,
        "status": "budget_exhausted" if spent else "partial" if faults else "answered",
        "reason": "; ".join([*([spent] if spent else []), *faults]) or _checked_reason(findings, dropped, unverified),
        "citations": citations,
        "messages": [AIMessage(answer)],
        "trail": [event],
    }


def _missed_time(standing: Sequence[_Checked], state: RagState, runtime: Runtime[Knobs]) -> str:
    """The time that the question names, where nothing that is cited is from it; the caller's own dates are no such time."""
    own = filters(knobs(runtime))
    cited = [state.kept[(checked.claim["passage"] or 1) - 1] for checked in standing]
    return "" if own.since or own.until else of_another_time(state.question or "", state.period, cited)


def _incomplete(state: RagState) -> list[str]:
    """What an answer whose claims all stand still lacks."""
    faults = [f"not answered: {'; '.join(_open_parts(state)) or 'a part of the question'}"] if state.unanswered else []
    verdict = state.sufficiency
    if verdict and not verdict["sufficient"]:
        faults.append(f"what was found may not hold the whole answer: {verdict['missing'] or 'it is not known what is missing'}")
    return faults


def _checked_reason(findings: Sequence[tuple[Claim, Finding]], dropped: Sequence[str], unverified: int) -> str:
    if not findings:
        return "there are no claims to check"
    faults = [f"{len(dropped)} of the claims were dropped ({'; '.join(dropped)})"] if dropped else []
    faults += [f"{unverified} of the claims show no words of their passage"] if unverified else []
    return "; ".join(faults) or "every claim stands in the passage that it cites"


def _written(standing: Sequence[_Checked], state: RagState) -> tuple[str, list[Citation]]:
    """The answer with `[n]`, numbered in order of appearance; the same words of the same passage keep their number."""
    citations: list[Citation] = []
    numbers: dict[tuple[int, int, int], int] = {}
    texts: dict[str, list[int]] = {}
    for checked in standing:
        passage = state.kept[(checked.claim["passage"] or 1) - 1]
        key = (checked.claim["passage"] or 1, checked.finding.start, checked.finding.end)
        if key not in numbers:
            numbers[key] = len(numbers) + 1
            citations.append(shown(_citation(numbers[key], passage, checked.finding)))
        marks = texts.setdefault(checked.claim["text"], [])
        if numbers[key] not in marks:
            marks.append(numbers[key])
    sources = "\n".join([*(passage["text"] for passage in state.kept), *(citation["url"] or "" for citation in citations)])
    marked = [(harmless(text, sources), "".join(f"[{number}]" for number in marks)) for text, marks in texts.items()]
    left = harmless(unanswered(language_of_answer(state.question or ""), _open_parts(state))) if state.unanswered else ""
    return "\n\n".join(part for part in (_joined(marked), left) if part), citations


def _open_parts(state: RagState) -> list[str]:
    """The open parts that can be told in the user's own words: as a whole, or by what the other parts do not have."""
    told = (as_asked(part, state.sub_questions, state.question or state.standalone) for part in state.unanswered)
    return [*dict.fromkeys(part for part in told if part)]


def _joined(marked: Sequence[tuple[str, str]]) -> str:
    """Sentences in one line; a block on lines of its own, its marker below it."""
    answer = ""
    for text, marks in marked:
        block = "\n" in text
        piece = f"{text}\n\n{marks}" if block else f"{text} {marks}"
        answer += (("\n\n" if block or answer.endswith("\n") or "\n\n[" in answer[-12:] else " ") if answer else "") + piece
    return answer


def _citation(number: int, passage: Passage, finding: Finding) -> Citation:
    """Of a wide passage, the chunk that the quote stands in. A web page is not stored, so its quote has no place in a stored text."""
    verified, stored = finding.verdict == "verified", passage["origin"] != "web"
    part = part_at(passage, finding.start)
    citation: Citation = {
        "n": number,
        "id": part["id"],
        "document": passage["document"],
        "title": passage["title"],
        "heading_path": part["heading_path"],
        "page": part["page"],
        "url": passage["url"],
        "origin": passage["origin"],
        "quote": passage["text"][finding.start : finding.end],
        "start": passage["start"] + finding.start if verified and stored else None,
        "end": passage["start"] + finding.end if verified and stored else None,
        "verified": verified,
    }
    return {**citation, "path": passage["path"]} if "path" in passage else citation


def _abstained(state: RagState, runtime: Runtime[Knobs], dropped: Sequence[str], spent: str) -> RagUpdate:
    """No claim stands: say so, name the closest passage, and what became of the web."""
    held_back = [passage for passage in state.kept if withheld([passage], state.standalone)]
    unfit: list[Rejected] = [
        {
            "id": passage["id"],
            "document": passage["document"],
            "score": passage["absolute"],
            "why": WITHHELD if passage in held_back else "does not hold the answer",
        }
        for passage in state.kept
    ]
    outcome = state.web_outcome or ("off" if not knobs(runtime).web and not state.web_tries and not state.kept else None)
    answer = abstention(
        language_of_answer(state.question or ""),
        closest=next(iter([*held_back, *state.kept]), state.closest),
        threshold=state.no_answer,
        web_outcome=outcome,
        empty=knobs(runtime).collection if state.chunk_count == 0 else None,
        missing=_missing(state),
        withheld=bool(held_back),
    )
    answer = harmless(answer)
    return {
        "answer": answer,
        "status": "budget_exhausted" if spent else "no_evidence",
        "reason": "; ".join(part for part in (spent, WITHHELD if held_back else "", *_why(state, dropped, held_back)) if part),
        "citations": [],
        "rejected": [*unfit, *state.rejected],
        "messages": [AIMessage(answer)],
    }


def _why(state: RagState, dropped: Sequence[str], held_back: Sequence[Passage]) -> list[str]:
    """Why no claim stands; where the answer is withheld, what was dropped besides."""
    return [_why_none(state, dropped)] if dropped or not held_back else []


def _missing(state: RagState) -> str:
    """What the kept passages lack, as one phrase."""
    verdict = state.sufficiency
    return (
        " ".join(verdict["missing"].split())[:_MISSING_CHARS].rstrip(".。 ") if state.kept and verdict and not verdict["sufficient"] else ""
    )


def _why_none(state: RagState, dropped: Sequence[str]) -> str:
    if dropped:
        return f"no claim of the draft stands in the passage that it names ({'; '.join(dropped)})"
    if state.kept:
        missing = _missing(state)
        return "the passages that were kept do not hold the answer" + (f": {missing}" if missing else "")
    if state.chunk_count == 0:
        found = "the collection is empty"
    elif state.closest is None or state.closest["absolute"] is None or state.no_answer is None:
        found = "no passage was found relevant"
    else:
        best = state.closest["absolute"]
        beyond = "is below" if best < state.no_answer else "reaches"
        shown_score, limit = told_apart(best, state.no_answer)
        found = f"no passage was found relevant: the best score {shown_score} {beyond} the threshold {limit}"
        if best >= state.no_answer and (below := falls_short(state.closest.get("reranked"))):
            found = f"{found}, but its {below}"
    searches = f"{len(state.tried)} search{'' if len(state.tried) == 1 else 'es'}"
    return f"{found}, after {searches}; the web: {(state.web_outcome or 'not tried').replace('_', ' ')}"
