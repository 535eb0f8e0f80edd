"""Where a turn goes next: every decision of the graph, a pure and total function of its state.

The budgets are decided here, in the signatures; the names returned are the nodes' own.
"""

from typing import Literal

from langgraph.runtime import Runtime

from nodes.state import MAX_REWRITES, MAX_WEB_TRIES, Knobs, RagState

AfterGate = Literal["route", "generate"]
AfterGrade = Literal["generate", "rewrite", "web_search"]
AfterRewrite = Literal["retrieve", "web_search", "generate"]
AfterGenerate = Literal["cite", "__end__"]


def after_gate(state: RagState) -> AfterGate:
    """A turn that needs no documents is answered at once, and neither graded nor cited."""
    return "route" if state.retrieve else "generate"


def after_grade(state: RagState, runtime: Runtime[Knobs]) -> AfterGrade:
    """See `next_after_grade`; the knobs may lower the budgets."""
    knobs = runtime.context or Knobs()
    return next_after_grade(state, max_rewrites=knobs.max_rewrites, max_web_tries=MAX_WEB_TRIES if knobs.web else 0)


def next_after_grade(state: RagState, *, max_rewrites: int = MAX_REWRITES, max_web_tries: int = MAX_WEB_TRIES) -> AfterGrade:
    """One kept passage is enough to answer. Else rewrite, then the web, then the honest end; the web is never followed by a rewrite."""
    if state.kept:
        return "generate"
    if state.web_tries == 0 and state.rewrites < max_rewrites and not state.rewrite_ended:
        return "rewrite"
    return "web_search" if state.web_tries < max_web_tries else "generate"


def after_rewrite(state: RagState, runtime: Runtime[Knobs]) -> AfterRewrite:
    """See `next_after_rewrite`."""
    knobs = runtime.context or Knobs()
    return next_after_rewrite(state, max_web_tries=MAX_WEB_TRIES if knobs.web else 0)


def next_after_rewrite(state: RagState, *, max_web_tries: int = MAX_WEB_TRIES) -> AfterRewrite:
    """A rewrite that repeats what was tried ends the loop."""
    if not state.rewrite_ended:
        return "retrieve"
    return "web_search" if state.web_tries < max_web_tries else "generate"


def after_generate(state: RagState) -> AfterGenerate:
    """Only an answer from documents has citations to check."""
    return "cite" if state.retrieve else "__end__"
