"""A model that judges without a mistake, behind an OpenAI-compatible address: it knows which texts answer which question.

So what is counted is what a shape asks for, and not how often a weak model sends it round again. Speaks both to our graph and to
tests/bench/_standard_shape.py.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from retrievers.text.analysis import analyse, query_words
from retrievers.text.sentences import sentences
from tests.bench import _standard_shape as standard
from tests.servers.loopback import Asked, Loopback, Reply

_BLOCK = re.compile(r'<passage-[0-9a-f]+ id="(\d+)"[^>]*>\n(.*?)\n</passage-', re.DOTALL)


class Oracle(Loopback):
    """`gold` has the texts that answer a question, by the question; `count` says how many tokens a text has."""

    def __init__(self, gold: Mapping[str, list[str]], count: Callable[[str], int]) -> None:
        super().__init__()
        self._gold = gold
        self._count = count

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def reply(self, asked: Asked) -> Reply:
        """The reply of a model that makes no mistake, with its tokens."""
        messages = [str(message["content"]) for message in asked.body["messages"]]
        said = self._said(messages[0], "\n".join(messages[1:]))
        return _completion(said, asked.body, self._count("\n".join(messages)), self._count(said))

    def _said(self, role: str, text: str) -> str:
        question = next((question for question in self._gold if question in text), "")
        texts = self._gold.get(question, [])
        if role == standard.GRADE:
            return "yes" if any(gold in text for gold in texts) else "no"
        if role in (standard.GROUNDED, standard.USEFUL):
            return "yes"
        if role == standard.WRITE:
            return _best_sentence(question, next((gold for gold in texts if gold in text), ""))
        if role == standard.REWORD:
            return question
        if '"query"' in role:
            return '{"query": ""}'
        if '"retrieve"' in role:
            return json.dumps({"retrieve": True, "standalone": question, "reason": "a fact is asked for"}, ensure_ascii=False)
        blocks = {int(number): body for number, body in _BLOCK.findall(text)}
        holding = {number: next((gold for gold in texts if gold in body), "") for number, body in blocks.items()}
        return json.dumps(_verdicts(holding) if '"verdicts"' in role else _claims(question, holding), ensure_ascii=False)


def _verdicts(holding: Mapping[int, str]) -> dict[str, Any]:
    found = any(holding.values())
    listed = [{"id": number, "relevant": bool(text)} for number, text in holding.items()]
    return {"verdicts": listed, "sufficient": found, "confidence": 1.0, "missing": "" if found else "the answer"}


def _claims(question: str, holding: Mapping[int, str]) -> dict[str, Any]:
    claims = [
        {"text": sentence, "passage": number, "quote": sentence}
        for number, text in holding.items()
        if (sentence := _best_sentence(question, text))
    ]
    return {"claims": claims[:1]}


def _best_sentence(question: str, text: str) -> str:
    """The one that shares most words with the question."""
    words = set(query_words(question))
    found = [text[start:end] for start, end in sentences(text)]
    return max(found, key=lambda sentence: len(words & set(analyse(sentence))), default="").strip()


def _completion(said: str, request: dict[str, Any], asked: int, answered: int) -> Reply:
    """At once, or as a stream of one piece where that is asked for."""
    common = {"id": "chatcmpl-1", "created": 1, "model": request["model"]}
    usage = {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}
    message = {"role": "assistant", "content": said}
    if not request.get("stream"):
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        return Reply({**common, "object": "chat.completion", "choices": choices, "usage": usage})
    events = [
        {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": usage},
    ]
    lines = [f"data: {json.dumps({**common, 'object': 'chat.completion.chunk', **event}, ensure_ascii=False)}\n\n" for event in events]
    return Reply("".join(lines) + "data: [DONE]\n\n", headers={"content-type": "text/event-stream"})
