"""Makes one ranking of what the searches of a round found.

Follows retrieve and knowledge_graph, once for all of them. One search alone is handed on as it is.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from nodes.context import Clock, knobs
from nodes.knobs import Knobs
from nodes.records import Found
from nodes.state import RagState, RagUpdate
from retrievers.fusion import rrf
from retrievers.types import Passage


async def fuse(state: RagState, runtime: Runtime[Knobs]) -> RagUpdate:
    """The round's passages, best first; the searches are noted as tried, and the next round starts empty."""
    clock, found = Clock("fuse"), state.found
    tried = [*state.tried, *dict.fromkeys(search["query"] for search in found if search["query"] not in state.tried)]
    update: RagUpdate = {
        "passages": found[0]["passages"] if len(found) == 1 else fused(found, knobs(runtime).top_k),
        "no_answer": next((search["no_answer"] for search in found if search["no_answer"] is not None), state.no_answer),
        "chunk_count": next((search["chunk_count"] for search in found if search["chunk_count"] is not None), state.chunk_count),
        "tried": tried,
        "found": Overwrite([]),
        "deeper": state.deeper or state.refetch,
        "refetch": False,
    }
    if len(found) > 1:
        reason = f"{len(found)} searches in one ranking"
        update["trail"] = [
            clock.event("decision", f"{len(update['passages'])} passages", reason, queries=[search["query"] for search in found])
        ]
    return update


def fused(found: Sequence[Found], top_k: int) -> list[Passage]:
    """At most `top_k` passages, or one for each search where that is more: by reciprocal rank, the best of each search among them.

    A passage that several searches found has the best of its absolute scores.
    """
    scores = rrf([[passage["id"] for passage in search["passages"]] for search in found])
    best: dict[str, Passage] = {}
    for search in found:
        for passage in search["passages"]:
            known = best.get(passage["id"])
            better = known is None or _absolute(passage) > _absolute(known)
            best[passage["id"]] = _with_imagined(passage if better or known is None else known, passage, known)
    firsts = {search["passages"][0]["id"] for search in found if search["passages"]}
    room = max(top_k, len(firsts)) - len(firsts)
    others = [name for name in scores if name not in firsts][:room]
    return [best[name] for name in scores if name in firsts or name in others]


def _with_imagined(best: Passage, *copies: Passage | None) -> Passage:
    """The best of the copies' scores with an imagined passage, whichever copy has the best score of its own."""
    scores = [copy["hypothetical"] for copy in copies if copy is not None and "hypothetical" in copy]
    return {**best, "hypothetical": max(scores)} if scores else best


def _absolute(passage: Passage) -> float:
    return passage["absolute"] if passage["absolute"] is not None else float("-inf")
