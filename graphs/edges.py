"""Where a turn goes next: every decision of the graph, a pure and total function of its state.

The budgets are decided here; the names returned are the nodes' own. `knobs` are the run's where none are given.
"""

from typing import Literal

from langgraph.runtime import get_runtime
from langgraph.types import Send

from nodes.knobs import MAX_REWRITES, MAX_WEB_TRIES, Knobs
from nodes.state import RagState

Search = Literal["retrieve", "knowledge_graph"]
AfterGate = Literal["route", "generate"]
AfterRoute = Literal["retrieve", "hyde", "decompose", "knowledge_graph", "web_search"]
AfterGraph = Literal["fuse", "retrieve"]
NextSearch = Literal["retrieve", "rewrite", "web_search", "generate"]
AfterGrade = Literal["sufficiency", "retrieve", "rewrite", "web_search", "generate"]
AfterSufficiency = Literal["clarify", "retrieve", "knowledge_graph", "rewrite", "web_search", "generate"]
AfterRewrite = Literal["retrieve", "knowledge_graph", "hyde", "web_search", "generate"]
AfterClarify = Literal["generate", "__end__"]
AfterGenerate = Literal["cite", "__end__"]


def after_gate(state: RagState) -> AfterGate:
    """A turn that needs no documents is answered at once, and neither graded nor cited."""
    return "route" if state.retrieve else "generate"


def after_route(state: RagState) -> AfterRoute:
    """The way that the route names; the knowledge graph's search is the documents' own with what the graph leads to."""
    match state.route:
        case "hyde" | "decompose" | "knowledge_graph":
            return state.route
        case "web":
            return "web_search"
        case _:
            return "retrieve"


def after_graph(state: RagState) -> AfterGraph:
    """Where the graph could not be searched, the documents are."""
    return "fuse" if state.found else "retrieve"


def after_decompose(state: RagState) -> Literal["retrieve"] | list[Send]:
    """The whole question and each part of it are searched side by side; without parts it is searched alone."""
    if not state.sub_questions:
        return "retrieve"
    queries = [state.query, *state.sub_questions]
    return [_branch(state, query=query, place=place) for place, query in enumerate(queries)]


def after_hyde(state: RagState) -> Literal["retrieve"] | list[Send]:
    """Where a passage was imagined for each part of the question, each is searched with beside its part, and the whole question too."""
    if not state.sub_questions or len(state.sub_questions) != len(state.hypothetical):
        return "retrieve"
    parts = enumerate(zip(state.sub_questions, state.hypothetical, strict=True), 1)
    return [
        _branch(state, hypothetical=[], place=0),
        *(_branch(state, query=part, hypothetical=[passage], place=place) for place, (part, passage) in parts),
    ]


def _branch(state: RagState, **changes: object) -> Send:
    """A search of its own, with plain values: what is sent lies in the checkpoint, where an object of ours could not be read again."""
    return Send("retrieve", {**vars(state), **changes})


def after_grade(state: RagState, knobs: Knobs | None = None) -> AfterGrade:
    """Something was kept: does it suffice? Else look further; the knobs may lower the budgets."""
    return "sufficiency" if state.kept else _next_search(state, knobs or _callers_knobs())


def after_sufficiency(state: RagState, knobs: Knobs | None = None) -> AfterSufficiency:
    """Enough is answered, perhaps after asking back; unsure fetches deeper once; too little looks further."""
    if state.sufficiency is None or state.sufficiency["sufficient"]:
        return "clarify" if (knobs or _callers_knobs()).clarify else "generate"
    return _again(state) if state.refetch else _next_search(state, knobs or _callers_knobs())


def after_rewrite(state: RagState, knobs: Knobs | None = None) -> AfterRewrite:
    """A rewrite that repeats what was tried ends the loop; the last one is searched with imagined passages where a model was at work."""
    knobs = knobs or _callers_knobs()
    if not state.rewrite_ended:
        last = state.rewrites >= MAX_REWRITES and state.usage["calls"] > 0 and knobs.hyde
        return "hyde" if last else _again(state)
    return "web_search" if state.web_tries < _web_budget(knobs) else "generate"


def after_clarify(state: RagState) -> AfterClarify:
    """A question that only the user can answer ends the turn where nobody can be waited for, and so does the reply that none is meant."""
    return "__end__" if state.status in ("needs_input", "no_evidence") else "generate"


def after_generate(state: RagState) -> AfterGenerate:
    """Only an answer from documents has citations to check."""
    return "cite" if state.retrieve else "__end__"


def next_search(state: RagState, *, max_rewrites: int = MAX_REWRITES, max_web_tries: int = MAX_WEB_TRIES) -> NextSearch:
    """Rewrite, then the web, then the honest end. No rewrite follows a web search; one that came first leads to the documents."""
    if not state.tried:
        return "retrieve"
    if state.web_tries == 0 and state.rewrites < max_rewrites and not state.rewrite_ended:
        return "rewrite"
    return "web_search" if state.web_tries < max_web_tries else "generate"


def _again(state: RagState) -> Search:
    """A further query goes the way of the first: what was missing may be the next step of several."""
    return "knowledge_graph" if state.route == "knowledge_graph" else "retrieve"


def _next_search(state: RagState, knobs: Knobs) -> NextSearch:
    return next_search(state, max_rewrites=knobs.max_rewrites, max_web_tries=_web_budget(knobs))


def _web_budget(knobs: Knobs) -> int:
    return MAX_WEB_TRIES if knobs.web else 0


def _callers_knobs() -> Knobs:
    """The run's; the defaults where nobody runs the graph, as when a state is edited at a checkpoint.

    A parameter `runtime` would be simpler: LangGraph refuses to decide without one there.
    """
    try:
        return get_runtime(Knobs).context or Knobs()
    except (RuntimeError, AttributeError):
        return Knobs()
