"""What you run: the public door of the product for notebooks and programs.

Names are resolved at first use, so that importing a part does not import every vendor.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphs.api import ask, ingest, search
    from graphs.rag import make_graph

__all__ = ["ask", "ingest", "make_graph", "search"]

_HOMES = {"ask": "graphs.api", "ingest": "graphs.api", "search": "graphs.api", "make_graph": "graphs.rag"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'graphs' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
