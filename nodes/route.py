"""Chooses how to look for the answer, and reads the time that the question names.

Follows the gate; heuristics only, far below a millisecond and without a model. What the gate's model suggested counts where they are
silent. No route is a dead end: whatever is chosen, the documents are searched before the turn gives up.
"""

import re
from dataclasses import dataclass

from langgraph.runtime import Runtime

from nodes.concepts import Concepts, concepts_of
from nodes.context import Clock, knobs, now
from nodes.exact import exact_terms, is_specific
from nodes.followup import own_words
from nodes.hops import is_nested
from nodes.knobs import Knobs
from nodes.periods import period_of
from nodes.records import Route
from nodes.state import RagState, RagUpdate
from nodes.structured import Decider
from retrievers.text.terms import content_terms

_POLITELY = r"^\s*(?:please\s+)?(?:(?:can|could|would)\s+you\s+)?(?:please\s+)?"
_JAPANESE_WEB = r"(?:ウェブ|[Ww]eb|ネット|インターネット|[Gg]oogle|グーグル)(?:上)?で"
_ASKS_FOR_WEB = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_POLITELY}(?:(?:search|check|browse)\s+(?:the\s+)?(?:web|internet)|(?:search|look|find\s+out)\s+online|google)(?:\s+for|\s+and\s+tell\s+me)?[\s,:]+(?P<what>.+)",
        rf"{_POLITELY}(?:search|look)\s+(?:it\s+)?(?:up\s+)?(?:on|in)\s+(?:the\s+)?(?:web|internet|google)(?:\s+for)?[\s,:]+(?P<what>.+)",
        rf"{_POLITELY}(?:search(?:\s+for)?|look\s+up|find(?:\s+out)?|check)\s+(?P<what>.+?)\s+(?:on\s+the\s+(?:web|internet)|on\s+google|online)[\s.?!]*$",
        rf"^(?P<what>.+?)[を、]?\s*{_JAPANESE_WEB}(?:検索|調べ|探し)[^。、]{{0,8}}[。?？]*$",
        rf"^{_JAPANESE_WEB}(?P<what>.+?)(?:を|について|か)?(?:検索|調べ|探し)[^。、]{{0,8}}[。?？]*$",
        rf"^{_JAPANESE_WEB}(?:検索|調べ|探し)[^。、:：]{{0,6}}[。、:：]\s*(?P<what>.+)$",
    )
)
_ONLY_WEB = re.compile(
    r"\b(?:weather|forecast|stock\s+price|share\s+price|exchange\s+rate|headlines)\b.*\b(?:now|today|tomorrow|tonight|currently|right\s+now|this\s+(?:week|weekend))\b"
    r"|\b(?:today|tomorrow|current|latest|right\s+now)(?:['’]s)?\b.*\b(?:weather|forecast|stock\s+price|share\s+price|exchange\s+rate|headlines)(?:\s+(?:of|for|in|between|at)\b|\s*[?.]*\s*$)"
    r"|(?:今日|明日|今|現在|最新)の[^。?？]{0,12}(?:天気|気温|株価|為替|ニュース)|(?:天気|株価|為替)(?:は|の)[^。?？]{0,6}(?:今日|明日|今|現在)",
    re.IGNORECASE,
)
"""What changes by the hour: no document that was ingested can know it."""

_EXPLAINS = re.compile(
    r"^\s*(?:(?:so|and|but)\s+)?(?:why|how\s+(?:do|does|did|can|could|should|would|is|are|come|to)|what\s+(?:happens|makes|causes)|explain)\b"
    r"|なぜ|何故|なんで|どうして|どのように|どうやって|どうすれば|どうなる|仕組み|理由",
    re.IGNORECASE,
)
_VAGUE_TERMS = 4
"""Words of its own: a question with more of them has something to be found by. Imagining a passage costs a call and up to 3 s."""


@dataclass(frozen=True)
class _Way:
    """A route with its reason."""

    route: Route
    reason: str


async def route(state: RagState, runtime: Runtime[Knobs], *, chat: Decider | None, graph: bool, web: bool) -> RagUpdate:
    """The first search query is the stand-alone question itself, in the user's words."""
    clock, wanted, question = Clock("route"), knobs(runtime), state.standalone
    # What is glued on from an earlier question is no second concept of this one.
    several = concepts_of(own_words(state.question or "", question))
    asked_for_web = _without_web(question) if web and wanted.web else None
    if asked_for_web:
        way, question = _Way("web", "asks for the web"), asked_for_web
    elif web and wanted.web and _ONLY_WEB.search(question):
        way = _Way("web", "asks for what changes by the hour; the documents come next")
    else:
        way = _way(state, several, wanted, chat is not None, graph and wanted.graph)
    # The user's own words first: a model may have put a date in the place of "last month".
    said = dict.fromkeys((state.question or question, question))
    period = next((period for words in said if (period := period_of(words, now(runtime)))), None)
    event = clock.event(
        "decision",
        way.route,
        way.reason,
        exact_terms=[*exact_terms(question)],
        cue=several.cue if several else None,
        period=period["said"] if period else None,
    )
    return {"route": way.route, "standalone": question, "query": question, "period": period, "trail": [event]}


def _way(state: RagState, several: Concepts | None, wanted: Knobs, model: bool, graph: bool) -> _Way:
    question = state.standalone
    if several is not None and several.relates and graph:
        return _Way("knowledge_graph", f"asks how things hang together ({several.cue})")
    if several is not None and wanted.decompose and (several.parts or (model and not exact_terms(question))):
        return _Way("decompose", f"holds several concepts ({several.cue})")
    if graph and is_nested(own_words(state.question or "", question)):
        return _Way("knowledge_graph", "describes what it does not name: one thing must be looked up to find the other")
    if exact_terms(question):
        return _Way("hybrid", "holds exact terms, which the lexical arm finds")
    if model and wanted.hyde and _is_vague(question):
        return _Way("hyde", "asks for an explanation in few words")
    if state.suggested == "decompose" and model and wanted.decompose:
        return _Way("decompose", "the model saw several concepts")
    if state.suggested == "hyde" and model and wanted.hyde and not is_specific(question):
        return _Way("hyde", "the model found the question vague")
    return _Way("hybrid", "a question in plain words")


def _is_vague(question: str) -> bool:
    return not is_specific(question) and _EXPLAINS.search(question) is not None and 0 < len(content_terms(question)) <= _VAGUE_TERMS


def _without_web(question: str) -> str:
    """What is to be looked for where the question asks for the web by name; empty where it does not."""
    found = next((found for pattern in _ASKS_FOR_WEB if (found := pattern.search(question))), None)
    return found["what"].strip() if found and content_terms(found["what"]) else ""
