"""Splits the YAML block at a Markdown file's head from its text.

Used by load_markdown.
"""

import re
from dataclasses import dataclass

import yaml

_BLOCK = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class FrontMatter:
    """`values` of the block, `body_at` where the text begins; `note` says why a block that looked like one was not taken."""

    values: dict[object, object]
    body_at: int = 0
    note: str | None = None


def read_front_matter(text: str) -> FrontMatter:
    """The block of a cleaned text; without one, no values and the whole text."""
    found = _BLOCK.match(text)
    if found is None:
        return FrontMatter({})
    try:
        values = yaml.safe_load(found[1])
    except (yaml.YAMLError, ValueError, RecursionError) as exc:
        # ValueError: a date such as 2024-13-01.
        return FrontMatter({}, note=f"front matter left in the text, it is not YAML ({_first_line(exc)})")
    if values is None:
        return FrontMatter({}, found.end())
    # Text between two rules is no front matter.
    return FrontMatter(values, found.end()) if isinstance(values, dict) else FrontMatter({})


def _first_line(exc: Exception) -> str:
    return (str(exc).splitlines() or [type(exc).__name__])[0]
