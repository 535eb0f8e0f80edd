"""Writes the next search query when the last one found nothing that helps.

Follows grade, leads back to retrieve. The user's question stays what it is; a query that was tried is never tried again.
"""

import difflib
import unicodedata
from collections.abc import Sequence

from langchain_core.messages import BaseMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel

from nodes.context import Clock, knobs, now
from nodes.prompting import moment, prompt
from nodes.state import Knobs, RagState, RagUpdate
from nodes.structured import Consulted, Decider, consult
from retrievers.text.analysis import query_words
from retrievers.text.terms import content_terms
from retrievers.types import CorpusHints, PassageSearch

RARE_TERMS = 4
"""The rarest words of a question say what it is about; beyond four they are its grammar."""

HEADINGS = 2
"""More headings than this pull the query away from the question."""

_SPELLING = 0.8
"""difflib's ratio from which two words are one, misspelt: "torqe" and "torque" have 0.91, "return" and "turn" 0.8 only just."""

_SPELT_CHARS = 4
"""Shorter words are too near to each other."""

MAX_QUERY_CHARS = 500


class Rewrite(BaseModel):
    """What the model replies; an empty query means that it has nothing new."""

    query: str


async def rewrite(state: RagState, runtime: Runtime[Knobs], *, search: PassageSearch, chat: Decider | None) -> RagUpdate:
    """One more query and one more rewrite counted, or `rewrite_ended`. Raises StorageError."""
    clock = Clock("rewrite")
    hints = await search.hints(state.standalone, collection=knobs(runtime).collection)
    consulted: Consulted[Rewrite] = Consulted()
    if chat is not None:
        consulted = await consult(chat, _prompt(state, hints, runtime), Rewrite, state, clock, instead="the corpus decides")
    # A model's empty query stays a candidate, one that is never new: the model said that it has nothing to try.
    candidates = [_bounded(consulted.value.query)] if consulted.value else by_corpus(state.standalone, hints)
    query = next((candidate for candidate in candidates if _is_new(candidate, state.tried)), None)
    update: RagUpdate = {"rewrites": state.rewrites + 1, "degraded": consulted.degraded, "usage": consulted.usage}
    if query is None:
        reason = "every rewrite would repeat a query that was tried" if candidates else "the documents hold no word of the question"
        event = clock.event("limit", "ended", reason, tried=[*state.tried])
        return {**update, "rewrite_ended": True, "trail": [*consulted.events, event]}
    event = clock.event("model" if consulted.value else "decision", query, _reason(hints), rewrite=state.rewrites + 1)
    return {**update, "query": query, "trail": [*consulted.events, event]}


def _prompt(state: RagState, hints: CorpusHints, runtime: Runtime[Knobs]) -> list[BaseMessage]:
    return prompt(
        "rewrite",
        now=moment(now(runtime)),
        question=state.standalone,
        tried=_listed(state.tried),
        words=_listed([f"{entry['word']}: {entry['df']}" for entry in hints["words"]]),
        headings=_listed(hints["headings"]),
    )


def _listed(entries: Sequence[str]) -> str:
    return "\n".join(f"- {entry}" for entry in entries) or "(none)"


def _bounded(query: str) -> str:
    return " ".join(query.split())[:MAX_QUERY_CHARS]


def _reason(hints: CorpusHints) -> str:
    missing = [entry["word"] for entry in hints["words"] if entry["df"] == 0]
    return f"not in the documents: {', '.join(missing[:5])}" if missing else "other words for the same question"


def by_corpus(question: str, hints: CorpusHints) -> list[str]:
    """Queries made of the question and of what the collection holds, likeliest first.

    First its words with misspelt ones corrected after the headings, and those that the documents lack left out; then its
    rarest words with the nearest headings. Nothing where the documents know no word of the question: what is left would ask for
    something else.
    """
    counts = {entry["word"]: entry["df"] for entry in hints["words"]}
    spelt = [_corrected(term, counts, hints["headings"]) for term in content_terms(question)]
    known = [term for term, frequency in spelt if frequency > 0]
    if not known:
        return []
    rare = [term for term, frequency in sorted(spelt, key=lambda entry: entry[1]) if frequency > 0][:RARE_TERMS]
    return [" ".join(known), " ".join([*(term for term in known if term in rare), *hints["headings"][:HEADINGS]])]


def _corrected(term: str, counts: dict[str, int], headings: Sequence[str]) -> tuple[str, int]:
    """The term as the documents spell it, and how many chunks hold it; 0 where it is unknown.

    A code or a number is never corrected: XR-4300 is not XR-4200.
    """
    frequency = max((counts.get(word, 0) for word in query_words(term)), default=0)
    if frequency or len(term) < _SPELT_CHARS or not term.isalpha():
        return term, frequency
    vocabulary = {word.casefold(): word for heading in headings for word in content_terms(heading)}
    near = difflib.get_close_matches(term.casefold(), list(vocabulary), n=1, cutoff=_SPELLING)
    return (vocabulary[near[0]], 1) if near else (term, 0)


def _is_new(query: str, tried: Sequence[str]) -> bool:
    """Whether the query, white space and case aside, was not tried; an empty one never is."""
    return bool(query.strip()) and _folded(query) not in {_folded(other) for other in tried}


def _folded(query: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", query).casefold().split()).rstrip("?.!。 ")
