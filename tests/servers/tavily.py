"""A stand-in for Tavily."""

from typing import Any

from servers.loopback import Asked, Loopback, Reply

TAVILY_QUERY_CHARS = 400


class TavilyServer(Loopback):
    """Answers `POST /search` with these pages, after the faults given; refuses long queries and a wrong key as the service does."""

    def __init__(self, pages: list[dict[str, Any]] | None = None, *faults: Reply, key: str = "tvly-test") -> None:
        super().__init__()
        self.pages = pages or []
        self.faults = list(faults)
        self.key = key

    def reply(self, asked: Asked) -> Reply:
        if asked.path != "/search":
            return Reply({"detail": {"error": "not found"}}, status=404)
        if asked.headers.get("authorization") != f"Bearer {self.key}":
            return Reply({"detail": {"error": "Unauthorized: missing or invalid API key."}}, status=401)
        if len(asked.body["query"]) > TAVILY_QUERY_CHARS:
            return Reply({"detail": {"error": "Query is too long. Max query length is 400 characters."}}, status=400)
        if self.faults:
            return self.faults.pop(0)
        return Reply({"query": asked.body["query"], "results": self.pages[: asked.body["max_results"]], "response_time": 0.1})
