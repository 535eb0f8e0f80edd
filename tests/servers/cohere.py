"""A stand-in for Cohere's rerank API."""

from servers.loopback import Asked, Loopback, Reply


class RerankServer(Loopback):
    """Answers `POST /v2/rerank`: the share of the query's words that a document holds, unless a fault or reply is given first."""

    def __init__(self, *first: Reply) -> None:
        super().__init__()
        self.first = list(first)

    def reply(self, asked: Asked) -> Reply:
        if asked.path != "/v2/rerank":
            return Reply({"message": "not found"}, status=404)
        if self.first:
            return self.first.pop(0)
        words = set(asked.body["query"].lower().split())
        scores = [len(words & set(text.lower().split())) / len(words) for text in asked.body["documents"]]
        ranked = sorted(enumerate(scores), key=lambda entry: -entry[1])[: asked.body["top_n"]]
        return rerank_reply(ranked)


def rerank_reply(scored: list[tuple[int, float]]) -> Reply:
    """A reply with these (index, score) pairs."""
    return Reply({"id": "r", "results": [{"index": index, "relevance_score": score} for index, score in scored], "meta": {}})
