"""Who asks: one tenant, and the principals the caller acts as.

Imports only errors; made by the server side, checked by the row-level policies.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrievers.errors import InvalidArgument

OPERATOR = "operator"
"""The principal that reads every document of its tenant; the command line has it, a served request never does."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_READER = re.compile(r"public|tenant|(?:group|user):[^\s,:\x00-\x1f\x7f\ud800-\udfff]{1,128}")


def check_name(kind: str, name: str) -> str:
    """Return `name` if it may name a tenant or a collection, else raise InvalidArgument."""
    if not _NAME.fullmatch(name):
        raise InvalidArgument(f"{kind} {name!r} is not a name: use 1-63 of a-z, 0-9, '-' and '_', starting with a letter or digit")
    return name


def check_readers(readers: Sequence[str]) -> tuple[str, ...]:
    """Return the readers sorted and without repeats; raise InvalidArgument for one that is not of the four kinds."""
    for reader in readers:
        if not _READER.fullmatch(reader):
            raise InvalidArgument(f"reader {reader!r} is not known: use public, tenant, group:NAME or user:NAME")
    if not readers:
        raise InvalidArgument("readers is empty, so nobody could read the document: use public, tenant, group:NAME or user:NAME")
    return tuple(sorted(set(readers)))


@dataclass(frozen=True)
class Scope:
    """Whose rows a transaction may touch: one tenant, and the principals the caller acts as.

    Made by the server side only (command line, settings, authenticated identity), never from a model's or client's input.
    """

    tenant: str
    principals: tuple[str, ...]

    def __post_init__(self) -> None:
        check_name("tenant", self.tenant)

    @classmethod
    def operator(cls, tenant: str) -> "Scope":
        """The tenant's operator: reads and writes every document of the tenant."""
        return cls(tenant, (OPERATOR,))

    @classmethod
    def member(cls, tenant: str, *, user: str | None = None, groups: Sequence[str] = ()) -> "Scope":
        """A signed-in member: public, tenant, and its own user and groups."""
        own = (f"user:{user}",) if user else ()
        return cls(tenant, ("public", "tenant", *own, *(f"group:{group}" for group in groups)))
