"""The question-answering graph: decide, look, judge, look further, answer, check.

What `langgraph.json` serves and the command line runs; the decisions stand in graphs/edges.py, the steps in nodes/.
"""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, cast, get_args

from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from graphs import edges
from nodes.cite import cite
from nodes.clarify import clarify
from nodes.decompose import decompose
from nodes.failure import fail
from nodes.fuse import fuse
from nodes.gate import gate
from nodes.generate import generate
from nodes.grade import grade
from nodes.hyde import hyde
from nodes.knobs import Knobs
from nodes.knowledge_graph import knowledge_graph
from nodes.retrieve import retrieve
from nodes.rewrite import rewrite
from nodes.route import route
from nodes.state import RagInput, RagOutput, RagState
from nodes.sufficiency import sufficiency
from nodes.timing import no_pages, no_passages, no_rewrite, nothing, within_time
from nodes.web_search import web_search
from retrievers.passages import PassageReader
from retrievers.types import Embedder, PassageSearch

if TYPE_CHECKING:
    from nodes.structured import Decider

RECURSION_LIMIT = 40
"""The longest turn has 29 steps: gate, route, decompose, four rounds of retrieve, fuse, grade and sufficiency (the first, the refetch, two
rewrites), two rewrites, hyde, web search, grade and sufficiency once more, clarify, generate, cite. The budgets end a turn, this only
catches a mistake in them."""

RagGraph = CompiledStateGraph[RagState, Knobs, RagInput, RagOutput]
"""What `ainvoke` takes and returns: RagInput, RagOutput; its context is Knobs."""


def build_graph(
    *,
    search: PassageSearch,
    search_tool: BaseTool,
    embedder: Embedder,
    reader: PassageReader | None = None,
    web_tool: BaseTool | None = None,
    graph_tool: BaseTool | None = None,
    chat: "Decider | None" = None,
    fast_chat: "Decider | None" = None,
    checkpointer: BaseCheckpointSaver[str] | None = None,
) -> RagGraph:
    """The graph over these services; without `chat` every step decides by its rules. `fast_chat` decides, `chat` writes the answer.

    Without `reader` a model is shown the passages as they were found; without `graph_tool` the knowledge graph is never chosen.
    """
    fast = fast_chat or chat
    graph = StateGraph(RagState, context_schema=Knobs, input_schema=RagInput, output_schema=RagOutput)
    # LangGraph injects the NodeError by the parameter's type; its annotations do not know it yet.
    graph.set_node_defaults(error_handler=cast(Any, fail))

    graph.add_node("gate", partial(gate, chat=fast))
    graph.add_node("route", partial(route, chat=fast, graph=graph_tool is not None, web=web_tool is not None))
    graph.add_node("decompose", within_time("decompose", partial(decompose, chat=fast), nothing))
    graph.add_node("hyde", within_time("hyde", partial(hyde, chat=fast), nothing))
    graph.add_node("retrieve", within_time("retrieve", partial(retrieve, tool=search_tool), no_passages))
    graph.add_node("knowledge_graph", within_time("knowledge_graph", partial(knowledge_graph, tool=graph_tool), nothing))
    graph.add_node("fuse", fuse)
    graph.add_node("grade", partial(grade, chat=fast))
    graph.add_node("sufficiency", partial(sufficiency, chat=fast))
    graph.add_node("rewrite", within_time("rewrite", partial(rewrite, search=search, chat=fast), no_rewrite))
    graph.add_node("web_search", within_time("web_search", partial(web_search, tool=web_tool, embedder=embedder), no_pages))
    graph.add_node("clarify", partial(clarify, pausable=checkpointer is not None))
    graph.add_node("generate", partial(generate, chat=chat, embedder=embedder, reader=reader))
    graph.add_node("cite", cite)

    graph.add_edge(START, "gate")
    graph.add_conditional_edges("gate", _awaited(edges.after_gate))
    graph.add_conditional_edges("route", _awaited(edges.after_route), [*get_args(edges.AfterRoute)])
    graph.add_conditional_edges("decompose", _awaited(edges.after_decompose), ["retrieve"])
    graph.add_conditional_edges("hyde", _awaited(edges.after_hyde), ["retrieve"])
    graph.add_edge("retrieve", "fuse")
    graph.add_conditional_edges("knowledge_graph", _awaited(edges.after_graph))
    graph.add_edge("fuse", "grade")
    graph.add_conditional_edges("grade", _awaited(edges.after_grade))
    graph.add_conditional_edges("sufficiency", _awaited(edges.after_sufficiency))
    graph.add_conditional_edges("rewrite", _awaited(edges.after_rewrite))
    graph.add_edge("web_search", "grade")
    graph.add_conditional_edges("clarify", _awaited(edges.after_clarify))
    graph.add_conditional_edges("generate", _awaited(edges.after_generate))
    graph.add_edge("cite", END)

    compiled: RagGraph = graph.compile(checkpointer=checkpointer, name="rag").with_config(recursion_limit=RECURSION_LIMIT)
    return compiled


_Next = Hashable | Sequence[Hashable]


def _awaited(edge: Callable[[RagState], _Next]) -> Callable[[RagState], Awaitable[_Next]]:
    """LangGraph hands a plain function to a thread, which costs more than it decides: a third of the graph's own time."""

    @wraps(edge)
    async def awaited(state: RagState) -> _Next:
        return edge(state)

    return awaited


def make_graph() -> RagGraph:
    """The graph of this process's settings, for the server: no I/O here, everything connects at first use."""
    from graphs.wiring import default_services

    services = default_services()
    return services.rag(services.member)
