"""Draws the graph into README.md: the picture on its first screen is the graph that runs.

`python -m tests.picture` writes it; tests/test_readme.py fails when it is out of date.
"""

import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
_BLOCK = re.compile(r"(<!-- graph:begin[^>]*-->\n).*?(<!-- graph:end -->)", re.DOTALL)


def picture() -> str:
    """The graph as a Mermaid diagram, without the drawing's style lines and the error handler that every step has."""
    from graphs import make_graph

    drawn = make_graph().get_graph().draw_mermaid()
    lines = [
        line
        for line in drawn.splitlines()
        if not re.match(r"\s*classDef|---|config:|\s+flowchart:|\s+curve:|\s+__default_error_handler__", line)
    ]
    return "\n".join(line.replace(":::first", "").replace(":::last", "") for line in lines if line.strip())


def with_picture(text: str) -> str:
    """`text` with the block between the markers replaced."""
    return _BLOCK.sub(lambda match: f"{match[1]}```mermaid\n{picture()}\n```\n{match[2]}", text)


if __name__ == "__main__":
    README.write_text(with_picture(README.read_text("utf-8")), "utf-8")
