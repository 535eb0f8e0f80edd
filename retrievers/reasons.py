"""What is told of a search's candidates, and of a passage that was named: which reason, in words and figures.

Pure; retrievers/explaining.py brings the facts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from typing_extensions import TypedDict

from retrievers.passages import unknown_passage
from retrievers.relevance import RerankScore
from retrievers.request import Request
from retrievers.text.snippets import snippet
from retrievers.types import Filters, Passage, Ranks, Scores, SearchResult

Verdict = Literal["unknown", "filtered", "not_candidate", "below_k", "reranked_down", "below_threshold", "kept"]


class Candidate(TypedDict):
    """A passage that at least one arm brought. `rank` is its final place, `fused_rank` that before a reranker, both from 1.

    `kept`: among the k hits, and not under a threshold; `why` says so, or why not. `prompt` is the number of the passage in the prompt of
    `ask` that holds it, None where none would; several may share one.
    """

    id: str
    document: str
    title: str
    heading_path: list[str]
    page: int | None
    snippet: str
    rank: int
    fused_rank: int
    ranks: Ranks
    scores: Scores
    score: float
    absolute: float | None
    factors: dict[str, float]
    reranked: RerankScore | None
    kept: bool
    verdict: Verdict
    why: str
    prompt: int | None


class Condition(TypedDict):
    """A condition of the filter, as text, and whether the document meets it."""

    condition: str
    met: bool


class QueryWord(TypedDict):
    """A word of the query: how many chunks hold it, the most it can add to bm25 in this collection, and how often the passage holds it."""

    word: str
    df: int
    weight: float
    count: int


class ArmScores(TypedDict):
    """None where an arm did not run or there is none."""

    bm25: float | None
    cosine: float | None


class Why(TypedDict):
    """Why the passage `name` is not among the hits, or that it is. All but `name`, `verdict` and `why` are empty where it is unknown.

    `scores` are its own in each arm, `last` those of the last candidate that each arm brought; `candidate` its entry where it was one.
    """

    name: str
    id: str | None
    document: str | None
    verdict: Verdict
    why: str
    scores: ArmScores
    last: ArmScores
    absolute: float | None
    no_answer: float | None
    candidate: Candidate | None
    conditions: list[Condition]
    words: list[QueryWord]


class Explanation(SearchResult):
    """`candidates` best first; `why` None where no passage was named."""

    candidates: list[Candidate]
    why: Why | None


@dataclass(frozen=True)
class Found:
    """All candidates as the fusion ordered them and in their final order, of which the first `reranked` were read by a reranker.

    `words` are the query's, `fetch` is how many candidates each arm could bring, `no_answer` the threshold.
    """

    fused: Sequence[Passage]
    ordered: Sequence[Passage]
    reranked: int
    request: Request
    words: Sequence[str]
    fetch: int
    no_answer: float

    def last(self) -> ArmScores:
        """The scores of the last candidate of each arm."""
        return {"bm25": self._last("lexical", "bm25"), "cosine": self._last("vector", "cosine")}

    def _last(self, arm: Literal["lexical", "vector"], score: Literal["bm25", "cosine"]) -> float | None:
        ranked = [(rank, passage["scores"][score]) for passage in self.fused if (rank := passage["ranks"][arm]) and rank <= self.fetch]
        return max(ranked, key=lambda entry: entry[0])[1] if ranked else None


def candidates_of(found: Found) -> list[Candidate]:
    """The candidates in their final order; places in the prompt are not known here."""
    fused_ranks = {passage["id"]: rank for rank, passage in enumerate(found.fused, 1)}
    return [_candidate(rank, fused_ranks[passage["id"]], passage, found) for rank, passage in enumerate(found.ordered, 1)]


def _candidate(rank: int, fused_rank: int, passage: Passage, found: Found) -> Candidate:
    verdict, why = _decision(rank, fused_rank, passage, found)
    return {
        "id": passage["id"],
        "document": passage["document"],
        "title": passage["title"],
        "heading_path": passage["heading_path"],
        "page": passage["page"],
        "snippet": snippet(passage["text"], found.words),
        "rank": rank,
        "fused_rank": fused_rank,
        "ranks": passage["ranks"],
        "scores": passage["scores"],
        "score": passage["score"],
        "absolute": passage["absolute"],
        "factors": passage["factors"],
        "reranked": passage.get("reranked"),
        "kept": verdict == "kept",
        "verdict": verdict,
        "why": why,
        "prompt": None,
    }


def _decision(rank: int, fused_rank: int, passage: Passage, found: Found) -> tuple[Verdict, str]:
    k = found.request.k
    moved = f", {'up' if rank < fused_rank else 'down'} from {fused_rank} by the reranker" if rank != fused_rank else ""
    if rank > k:
        unread = f", and only the first {found.reranked} were reranked" if found.reranked and fused_rank > found.reranked else ""
        place = f"rank {rank} of {len(found.ordered)}{moved}, and k is {k}{unread}"
        return ("reranked_down", f"reranked down: {place}") if fused_rank <= k else ("below_k", f"below k: {place}")
    if passage["absolute"] is not None and passage["absolute"] < found.no_answer:
        figures = f"{passage['absolute']:.3f} < {found.no_answer:.3f}"
        return "below_threshold", f"hit {rank}{moved}, but below the no-answer threshold: {figures}"
    reranked = passage.get("reranked")
    if reranked and reranked["threshold"] is not None and reranked["score"] < reranked["threshold"]:
        figures = f"{reranked['scale']} {reranked['score']:.3f} < {reranked['threshold']:.3f}"
        return "below_threshold", f"hit {rank}{moved}, but below the reranker's threshold: {figures}"
    return "kept", f"hit {rank}{moved}"


def not_found(name: str) -> Why:
    """Of a name that means nothing here, or something that may not be read."""
    return {
        "name": name,
        "id": None,
        "document": None,
        "verdict": "unknown",
        "why": unknown_passage(name),
        "scores": {"bm25": None, "cosine": None},
        "last": {"bm25": None, "cosine": None},
        "absolute": None,
        "no_answer": None,
        "candidate": None,
        "conditions": [],
        "words": [],
    }


def stated(filters: Filters, met: Sequence[bool]) -> list[Condition]:
    """The filter's conditions that were set; `met` is for since, until and each pair, in that order."""
    texts = [
        f"since {filters.since.isoformat()}" if filters.since else None,
        f"until {filters.until.isoformat()}" if filters.until else None,
        *(f"{key}={value}" for key, value in filters.metadata),
    ]
    return [{"condition": text, "met": ok} for text, ok in zip(texts, met, strict=True) if text is not None]


def decide(candidate: Candidate | None, scores: ArmScores, last: ArmScores, conditions: Sequence[Condition]) -> tuple[Verdict, str]:
    """The first of the reasons that holds: filtered, not brought by an arm, or what became of the candidate."""
    unmet = [entry["condition"] for entry in conditions if not entry["met"]]
    if unmet:
        return "filtered", f"its document does not meet the filter {', '.join(unmet)}"
    if candidate is not None:
        return candidate["verdict"], candidate["why"]
    arms = [_missed("words", "bm25", scores["bm25"], last["bm25"]), _missed("meaning", "cosine", scores["cosine"], last["cosine"])]
    return "not_candidate", f"in neither arm's candidates: {'; '.join(arm for arm in arms if arm)}"


def _missed(arm: str, name: str, own: float | None, last: float | None) -> str:
    if own is None:
        return ""
    if name == "bm25" and own == 0:
        return "it holds no word of the query"
    reached = "nothing was found there" if last is None else f"the last candidate has {last:.3f}"
    return f"by {arm} its {name} is {own:.3f}, and {reached}"
