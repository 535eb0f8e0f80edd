"""The question-answering graph: gate, route, retrieve, grade, perhaps rewrite and web search, generate, cite.

What `langgraph.json` serves and the command line runs; the decisions stand in graphs/edges.py, the steps in nodes/.
"""

from functools import partial
from typing import TYPE_CHECKING

from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from graphs.edges import after_gate, after_generate, after_grade, after_rewrite
from nodes.cite import cite
from nodes.failure import fail
from nodes.gate import gate
from nodes.generate import generate
from nodes.grade import grade
from nodes.retrieve import retrieve
from nodes.rewrite import rewrite
from nodes.route import route
from nodes.state import Knobs, RagInput, RagOutput, RagState
from nodes.web_search import web_search
from retrievers.passages import PassageReader
from retrievers.types import Embedder, PassageSearch

if TYPE_CHECKING:
    from nodes.structured import Decider

RECURSION_LIMIT = 25
"""The longest turn has 14 steps: gate, route, three rounds of retrieve and grade with two rewrites between, web search, grade,
generate, cite. The budgets end a turn, this only catches a mistake in them."""

RagGraph = CompiledStateGraph[RagState, Knobs, RagInput, RagOutput]
"""What `ainvoke` takes and returns: RagInput, RagOutput; its context is Knobs."""


def build_graph(
    *,
    search: PassageSearch,
    search_tool: BaseTool,
    embedder: Embedder,
    reader: PassageReader | None = None,
    web_tool: BaseTool | None = None,
    chat: "Decider | None" = None,
    fast_chat: "Decider | None" = None,
    checkpointer: BaseCheckpointSaver[str] | None = None,
) -> RagGraph:
    """The graph over these services; without `chat` every step decides by its rules. `fast_chat` serves gate, grade and rewrite.

    Without `reader` a model is shown the passages as they were found.
    """
    fast = fast_chat or chat
    graph = StateGraph(RagState, context_schema=Knobs, input_schema=RagInput, output_schema=RagOutput)
    # LangGraph injects the NodeError by the parameter's type; its annotations do not know it yet.
    graph.set_node_defaults(error_handler=fail)  # type: ignore[arg-type]

    graph.add_node("gate", partial(gate, chat=fast))
    graph.add_node("route", route)
    graph.add_node("retrieve", partial(retrieve, tool=search_tool))
    graph.add_node("grade", partial(grade, chat=fast))
    graph.add_node("rewrite", partial(rewrite, search=search, chat=fast))
    graph.add_node("web_search", partial(web_search, tool=web_tool, embedder=embedder))
    graph.add_node("generate", partial(generate, chat=chat, embedder=embedder, reader=reader))
    graph.add_node("cite", cite)

    graph.add_edge(START, "gate")
    graph.add_conditional_edges("gate", after_gate)
    graph.add_edge("route", "retrieve")
    graph.add_edge("retrieve", "grade")
    graph.add_conditional_edges("grade", after_grade)
    graph.add_conditional_edges("rewrite", after_rewrite)
    graph.add_edge("web_search", "grade")
    graph.add_conditional_edges("generate", after_generate)
    graph.add_edge("cite", END)

    compiled: RagGraph = graph.compile(checkpointer=checkpointer, name="rag").with_config(recursion_limit=RECURSION_LIMIT)
    return compiled


def make_graph() -> RagGraph:
    """The graph of this process's settings, for the server: no I/O here, everything connects at first use."""
    from graphs.wiring import default_services

    services = default_services()
    return services.rag(services.member)
