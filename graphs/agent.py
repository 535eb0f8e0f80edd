"""The same questions answered by an agent: a chat model chooses among the tools, in rounds, until it has read enough.

The second graph that `langgraph.json` serves. Gate, grading, answer and citations are the steps of graphs/rag.py, and so are
input, output and statuses; what the model chooses is only where to look.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from graphs.edges import after_gate, after_generate
from nodes.act import act, strength
from nodes.agent_state import AgentState, AgentUpdate, fresh_talk
from nodes.cite import cite
from nodes.context import Clock
from nodes.failure import fail
from nodes.gate import gate
from nodes.generate import generate
from nodes.grade import grade
from nodes.knobs import MAX_STEPS, Knobs
from nodes.state import RagInput, RagOutput, RagState, RagUpdate
from nodes.think import think, wants_tools
from retrievers.errors import ProviderUnavailable
from retrievers.passages import PassageReader
from retrievers.types import Embedder

if TYPE_CHECKING:
    from graphs.wiring import Services
    from nodes.structured import Decider
    from retrievers.scope import Scope

RECURSION_LIMIT = 2 * MAX_STEPS + 10
"""Two steps a round, and gate, the last thought, gathering, grade, generate, cite. The knob ends a turn, this catches a mistake in it."""

AgentGraph = CompiledStateGraph[AgentState, Knobs, RagInput, RagOutput]
"""What `ainvoke` takes and returns is what it is for the graph `rag`."""


def build_agent(
    *,
    tools: Sequence[BaseTool],
    embedder: Embedder,
    chat: "Decider | None",
    fast_chat: "Decider | None" = None,
    reader: PassageReader | None = None,
    checkpointer: BaseCheckpointSaver[str] | None = None,
) -> AgentGraph:
    """The agent over these tools, the first of which is the search that is made where the model chooses none.

    `chat` chooses tools and writes the answer, `fast_chat` judges; without `chat` a turn that needs the documents fails and says why.
    """
    fast = fast_chat or chat
    graph = StateGraph(AgentState, context_schema=Knobs, input_schema=RagInput, output_schema=RagOutput)
    graph.set_node_defaults(error_handler=cast(Any, fail))

    graph.add_node("gate", partial(_begin, chat=fast))
    graph.add_node("agent", partial(think, chat=chat, tools=tools, search=tools[0].name))
    graph.add_node("tools", partial(act, tools=tools, embedder=embedder))
    graph.add_node("gathered", _gathered)
    graph.add_node("grade", partial(_judge, chat=fast))
    graph.add_node("generate", partial(generate, chat=chat, embedder=embedder, reader=reader))
    graph.add_node("cite", cite)

    graph.add_edge(START, "gate")
    graph.add_conditional_edges("gate", after_gate, {"route": "agent", "generate": "generate"})
    graph.add_conditional_edges("agent", _after_thought)
    graph.add_edge("tools", "agent")
    graph.add_edge("gathered", "grade")
    graph.add_edge("grade", "generate")
    graph.add_conditional_edges("generate", after_generate)
    graph.add_edge("cite", END)

    compiled: AgentGraph = graph.compile(checkpointer=checkpointer, name="agent").with_config(recursion_limit=RECURSION_LIMIT)
    return compiled


def agent_tools(services: "Services", scope: "Scope") -> list[BaseTool]:
    """One reader's tools: the objects that the graph `rag` calls, and those that read in layers."""
    optional = (services.graph_tool(scope), services.web_tool)
    return [services.search_tool(scope), *services.reading_tools(scope), *(tool for tool in optional if tool is not None)]


def make_agent(services: "Services", scope: "Scope", checkpointer: BaseCheckpointSaver[str] | None = None) -> AgentGraph:
    """The agent as one reader's; the reader cannot be changed by its input."""
    graph = build_agent(
        tools=agent_tools(services, scope),
        embedder=services.embedder,
        chat=services.chat,
        fast_chat=services.fast_chat,
        reader=services.reader(scope),
        checkpointer=checkpointer,
    )
    return graph.with_config(callbacks=[services.ledger])


def make_graph() -> AgentGraph:
    """The agent of this process's settings, for the server: no I/O here, everything connects at first use."""
    from graphs.wiring import default_services

    services = default_services()
    return make_agent(services, services.member)


async def _begin(state: RagState, runtime: Runtime[Knobs], *, chat: "Decider | None") -> AgentUpdate:
    """The gate of the graph `rag`, and an empty talk."""
    return {**(await gate(state, runtime, chat=chat)), **fresh_talk()}


def _after_thought(state: AgentState) -> Literal["tools", "gathered"]:
    return "tools" if wants_tools(state) else "gathered"


async def _gathered(state: AgentState, runtime: Runtime[Knobs]) -> RagUpdate:
    """What the tools gave, best first, to be judged as a search's passages are. Raises ProviderUnavailable where tools only failed."""
    if not state.gathered and state.tool_error:
        raise ProviderUnavailable(state.tool_error)
    ranked = sorted(state.gathered, key=lambda passage: -strength(passage))
    event = Clock("agent").event("decision", f"{len(ranked)} passages gathered", f"in {state.rounds} rounds")
    return {"passages": ranked, "query": state.standalone, "trail": [event]}


async def _judge(state: RagState, runtime: Runtime[Knobs], *, chat: "Decider | None") -> RagUpdate:
    """The grade of the graph `rag`; without a model where the last call that the caller allows is needed for the answer."""
    last = state.call_limit is not None and state.usage["calls"] >= state.call_limit - 1
    return await grade(state, runtime, chat=None if last else chat)
