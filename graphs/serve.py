"""The graph API for development: what LangGraph Studio and langgraph_sdk speak to.

Runs langgraph-api's in-memory server in this process; the same graphs as langgraph.json names.
"""

import importlib.util
import socket
import sys
from pathlib import Path

from graphs.settings import Settings, server_environment
from retrievers.errors import ConfigurationError, InvalidArgument, MissingExtra

GRAPHS = {"rag": "graphs.rag:make_graph", "agent": "graphs.agent:make_graph", "ingest": "graphs.ingestion:make_graph"}

_RUNS_AT_ONCE = 10
"""The server's own default is one run at a time, which makes a second browser tab wait."""


def serve(settings: Settings, *, host: str, port: int) -> int:
    """Serve until interrupted.

    Raises MissingExtra without the extra `server`, InvalidArgument for a port that cannot be, ConfigurationError for one in use.
    """
    if importlib.util.find_spec("langgraph_api") is None or importlib.util.find_spec("langgraph_runtime_inmem") is None:
        raise MissingExtra("tadori serve", "server")
    if not 0 < port < 65536:
        raise InvalidArgument(f"port {port} is not 1-65535")
    _check_free(host, port)
    from langgraph_api.cli import run_server

    print(f"graph API on http://{host}:{port} for tenant {settings.tenant!r}, docs at /docs; Ctrl+C stops it", file=sys.stderr)
    run_server(
        host,
        port,
        graphs=dict(GRAPHS),
        n_jobs_per_worker=_RUNS_AT_ONCE,
        open_browser=False,
        env=server_environment(Path(".env")),
    )
    return 0


def _check_free(host: str, port: int) -> None:
    """The server would take another port than the one that was printed, and clients would go on talking to the stranger."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        socket.create_server((host, port), family=family).close()
    except (OSError, UnicodeError) as exc:
        reason = getattr(exc, "strerror", None) or str(exc)
        raise ConfigurationError(f"cannot listen on {host}:{port}: {reason}; choose another with --port or --host") from exc
