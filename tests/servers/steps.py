"""A stand-in for a chat model that knows which step of the graph asks it, and can be out of order at just that one."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from servers.chat import ChatServer, completion, tool_reply
from servers.loopback import Asked, Reply

Item = str | dict[str, Any] | Reply
Fault = Callable[[Item, dict[str, Any]], Item]
"""Makes the faulty reply from what would have been the good one, and the request."""

_FIRST_CHARS = 50
_STEPS = {
    file.read_text("utf-8").strip()[:_FIRST_CHARS]: file.name.removesuffix(".md")
    for file in (files("nodes") / "prompts").iterdir()
    if file.name.endswith(".md")
}


def step_of(asked: Asked) -> str:
    """The name of the prompt that was sent; empty for one that is none of ours."""
    said = "\n".join(str(message["content"]) for message in asked.body["messages"])
    return next((step for first, step in _STEPS.items() if first in said), "")


class StepServer(ChatServer):
    """Gives each step its reply; `faulty` names the step whose reply the fault spoils. `steps` are the steps that asked, in order."""

    def __init__(self, replies: dict[str, Item], faulty: str = "", fault: Fault | None = None) -> None:
        super().__init__()
        self.replies = replies
        self.faulty = faulty
        self.fault = fault

    @property
    def steps(self) -> list[str]:
        return [step_of(asked) for asked in self.asked]

    def next_item(self, asked: Asked) -> Item | None:
        step = step_of(asked)
        good = self.replies.get(step)
        return self.fault(good or "", asked.body) if self.fault and step == self.faulty else good


@dataclass(frozen=True)
class Named:
    """A fault with its name. `heard` says whether the model's reply arrives at all."""

    name: str
    fault: Fault
    heard: bool


def _always(item: Item) -> Fault:
    return lambda good, request: item


def _error(status: int, said: str, **headers: str) -> Fault:
    return _always(
        Reply({"error": {"message": said}}, status=status, headers={name.replace("_", "-"): value for name, value in headers.items()})
    )


def _cut(*, quietly: bool) -> Fault:
    def cut(good: Item, request: dict[str, Any]) -> Reply:
        reply = good if isinstance(good, Reply) else completion(good, request, cut=True)
        reply.quietly = quietly
        return reply

    return cut


def _dripping(good: Item, request: dict[str, Any]) -> Reply:
    reply = good if isinstance(good, Reply) else completion(good, request)
    return Reply(reply.body, headers={**reply.headers, "content-length": "99999"}, drip=0.005)


def _half(good: Item, request: dict[str, Any]) -> str:
    text = good if isinstance(good, str) else json.dumps(good, ensure_ascii=False)
    return text[: len(text) * 2 // 3]


def _unknown_tool(good: Item, request: dict[str, Any]) -> Reply:
    arguments = json.dumps({"collection": "secrets", "tenant": "other"})
    call = {"id": "call_1", "type": "function", "function": {"name": "delete_documents", "arguments": arguments}}
    return tool_reply({"role": "assistant", "content": None, "tool_calls": [call]}, request)


_MISCOUNTED = {
    "verdicts": [{"id": number, "relevant": "yes"} for number in (9, 9, 0, -1)],
    "claims": [{"text": "Kept for 35 days.", "passage": 99, "quote": "Nightly backups are kept for 35 days."}],
    "ratings": [{"id": 1, "score": 10}, {"id": 1, "score": 0}, {"id": 77, "score": 3}],
    "questions": ["one?"] * 30,
    "query": "",
    "retrieve": True,
}
_MISTYPED = {
    "verdicts": 5,
    "claims": "yes",
    "ratings": {"1": 10},
    "questions": 3,
    "query": ["a", 7],
    "retrieve": [],
    "standalone": 3,
    "sufficient": "perhaps",
}

FAULTS = (
    Named("429 with Retry-After", _error(429, "slow down", retry_after="0.05"), heard=False),
    Named("429 for a minute", _error(429, "slow down", retry_after="60"), heard=False),
    Named("500", _error(500, "boom"), heard=False),
    Named("401", _error(401, "Incorrect key sk-canary"), heard=False),
    Named("hangs", _always(Reply(hang=True)), heard=False),
    Named("drips", _dripping, heard=False),
    Named("cut in the middle", _cut(quietly=False), heard=False),
    Named("no choices", _always(Reply({"choices": None})), heard=False),
    Named("an error in a 200", _always(Reply({"error": "inside"})), heard=False),
    Named(
        "a web page in a 200", _always(Reply("<!doctype html><title>Gateway</title>", headers={"content-type": "text/html"})), heard=False
    ),
    Named("half a JSON document", _always(Reply('{"id": "x", "choices": [')), heard=False),
    Named("empty", _always(""), heard=True),
    Named("prose", _always("I would rather talk about the weather."), heard=True),
    Named("wrong JSON", _always({"colour": "blue"}), heard=True),
    Named("mistyped JSON", _always(_MISTYPED), heard=True),
    Named("JSON cut off", _half, heard=True),
    Named("a count that does not fit", _always(_MISCOUNTED), heard=True),
    Named("the Japanese yes", _always("はい"), heard=True),
    Named("thinking cut off", _always("<think>The user wants to know"), heard=True),
    Named("a tool that does not exist", _unknown_tool, heard=True),
    Named("null", _always("null"), heard=True),
    Named("no end", _always("\n" * 20_000), heard=True),
)
