"""What tests of commands say over and over: a command run in this process, and its JSON."""

import json
from collections.abc import Callable
from typing import Any

Run = Callable[..., tuple[int, str, str]]
"""`run("search", "backups", TADORI_RERANKER="chat")` -> (exit code, stdout, stderr)."""


def as_json(result: tuple[int, str, str]) -> Any:
    """The one JSON object of a command that succeeded."""
    code, out, err = result
    assert code == 0, err
    return json.loads(out)
