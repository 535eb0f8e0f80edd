"""A stand-in for a SearXNG with its JSON interface."""

from typing import Any

from servers.loopback import Asked, Loopback, Reply


class SearxngServer(Loopback):
    """Answers `GET /search` with these results, unless a fault or reply is given first."""

    def __init__(self, results: list[dict[str, Any]] | None = None, *first: Reply) -> None:
        super().__init__()
        self.results = results or []
        self.first = list(first)

    def reply(self, asked: Asked) -> Reply:
        if self.first:
            return self.first.pop(0)
        return Reply({"query": asked.query.get("q"), "results": self.results, "answers": []})
