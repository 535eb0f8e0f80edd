"""The floor where knowledge lives and how it gets in and out.

Exports what a notebook needs of it; imported on demand, since the vendors behind it take seconds to import.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retrievers.pgvector_store import open_pgvector_store

__all__ = ["open_pgvector_store"]


def __getattr__(name: str) -> Any:
    if name == "open_pgvector_store":
        from retrievers.pgvector_store import open_pgvector_store

        return open_pgvector_store
    raise AttributeError(f"module 'retrievers' has no attribute {name!r}")
