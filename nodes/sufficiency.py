"""Decides whether the kept passages hold the answer, and what is missing.

Follows grade; leads to the answer, to a deeper search or to a rewrite. With a model the verdict came with the grades, in the same
call; without one the question's own words tell the near miss: what it names, or the kind of answer it asks for, is nowhere in them.
"""

import re
from collections.abc import Sequence

from langgraph.runtime import Runtime

from nodes.budget import seconds_left
from nodes.context import Clock, knobs, now
from nodes.disagreement import disagreement
from nodes.knobs import Knobs
from nodes.lacking import Lack, lacking
from nodes.records import SURE, Sufficiency
from nodes.state import RagState, RagUpdate
from nodes.structured import Decider

_BY_RULES = 0.9
"""The rules' confidence in a lack: under 1 in 100 answerable questions has one."""

_PARTLY = 0.5
"""Where the passages hold others of what the question names, or the text is no question, a lack may be beside the point."""

_STATEMENT = re.compile(r"[.。]\s*$")


async def sufficiency(state: RagState, runtime: Runtime[Knobs], *, chat: Decider | None) -> RagUpdate:
    """The verdict on what was kept, and whether to look deeper once: the same query, more passages."""
    clock = Clock("sufficiency")
    given = state.sufficiency
    verdict = given or by_rules(state, now(runtime).year)
    refetch = not verdict["sufficient"] and verdict["confidence"] <= SURE and _can_go_deeper(state)
    decision = "sufficient" if verdict["sufficient"] else "look deeper" if refetch else "not sufficient"
    event = clock.event("check", decision, _reason(verdict, by_model=given is not None), **verdict)
    found = disagreement(state.standalone, state.kept)
    told = [clock.event("check", "the sources disagree", found["reason"], values=found["values"])] if found else []
    update: RagUpdate = {"sufficiency": verdict, "refetch": refetch, "trail": [event, *told]}
    return {**update, "time_left": seconds_left(state)} if knobs(runtime).clarify else update


def by_rules(state: RagState, year: int) -> Sufficiency:
    """Sufficient unless something that the question names or asks for is in none of the kept passages.

    The current `year` need not stand in them, nor the period that was searched: a text that is in force does not repeat it.
    """
    lacks = lacking(state.standalone, state.kept, given=f"{year} {state.period['said'] if state.period else ''}")
    if not lacks:
        return {"sufficient": True, "confidence": 1.0, "missing": ""}
    missing = ", ".join(dict.fromkeys(lack.words for lack in lacks))
    return {"sufficient": False, "confidence": _PARTLY if _is_partial(state, lacks) else _BY_RULES, "missing": missing}


def _is_partial(state: RagState, lacks: Sequence[Lack]) -> bool:
    return bool(state.sub_questions) or all(lack.partly for lack in lacks) or _STATEMENT.search(state.standalone) is not None


def _can_go_deeper(state: RagState) -> bool:
    """Once in a turn, in the documents, while there is more in them and time for it."""
    more = state.chunk_count is None or state.chunk_count > len(state.passages)
    return not state.deeper and not state.web_tries and bool(state.tried) and more and seconds_left(state) != 0.0


def _reason(verdict: Sufficiency, *, by_model: bool) -> str:
    who = "the model found that the kept passages" if by_model else "the kept passages"
    if verdict["sufficient"]:
        return f"{who} hold the answer" if by_model else "nothing that the question names or asks for is missing"
    return f"{who} lack: {verdict['missing'] or 'the answer'} (confidence {verdict['confidence']:.2f})"
