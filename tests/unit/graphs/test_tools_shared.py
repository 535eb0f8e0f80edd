"""The agent and the graph call the very same tool objects."""

import graphs.rag
from graphs.agent import agent_tools, make_agent
from graphs.settings import Settings
from graphs.wiring import Services


def test_the_agent_binds_the_objects_that_the_nodes_call(monkeypatch, tmp_path):
    """A tool that is changed is changed for both."""
    services = Services(Settings(home=tmp_path, web_search="searxng", searxng_url="http://127.0.0.1:1"))
    handed = {}
    real = graphs.rag.build_graph
    monkeypatch.setattr(graphs.rag, "build_graph", lambda **parts: handed.update(parts) or real(**parts))
    services.rag(services.member)
    tools = {tool.name: tool for tool in agent_tools(services, services.member)}
    assert tools["search_documents"] is handed["search_tool"]
    assert tools["search_web"] is handed["web_tool"]
    assert tools["search_graph"] is handed["graph_tool"]
    assert list(tools) == ["search_documents", "search_compact", "read_neighbours", "read_passages", "search_graph", "search_web"]


def test_without_a_knowledge_graph_there_is_no_tool_that_walks_it(tmp_path):
    services = Services(Settings(home=tmp_path, graph="none"))
    assert "search_graph" not in [tool.name for tool in agent_tools(services, services.member)]


def test_no_tool_shows_a_model_where_it_looks(tmp_path):
    services = Services(Settings(home=tmp_path))
    for tool in agent_tools(services, services.member):
        assert set(tool.tool_call_schema.model_fields) <= {"query", "k", "id", "ids", "before", "after", "limit"}


def test_the_agent_of_a_process_is_made_without_a_model_and_without_io(tmp_path):
    services = Services(Settings(home=tmp_path / "none"))
    assert make_agent(services, services.member).name == "agent"
    assert not (tmp_path / "none").exists()
