"""A stand-in for a chat model behind an OpenAI-compatible address."""

import json
from typing import Any

from servers.loopback import Asked, Loopback, Reply


class ChatServer(Loopback):
    """Answers `POST /v1/chat/completions` with the next item of the script: a text, or a Reply for a fault.

    It honours `response_format` and tools (a dict in the script becomes the content, or the call's arguments) and `stream`; features
    named in `refuses` ("response_format", "tools") get a 400 and use up no item. `always` is the item once the script is used up.
    """

    def __init__(
        self, *script: str | dict[str, Any] | Reply, refuses: tuple[str, ...] = (), always: str | dict[str, Any] | Reply | None = None
    ) -> None:
        super().__init__()
        self.script = list(script)
        self.refuses = refuses
        self.always = always

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def prompts(self) -> list[str]:
        """The text of every request, its messages joined."""
        return ["\n".join(str(message["content"]) for message in asked.body["messages"]) for asked in self.asked]

    def reply(self, asked: Asked) -> Reply:
        if asked.path != "/v1/chat/completions":
            return Reply({"error": {"message": f"no such path {asked.path}"}}, status=404)
        refused = [feature for feature in self.refuses if asked.body.get(feature)]
        if refused:
            return Reply({"error": {"message": f"{refused[0]} is not supported", "type": "invalid_request_error"}}, status=400)
        item = self.next_item(asked)
        if item is None:
            return Reply({"error": {"message": "the script is empty"}}, status=418)
        return item if isinstance(item, Reply) else completion(item, asked.body)

    def next_item(self, asked: Asked) -> str | dict[str, Any] | Reply | None:
        """What to answer with; a stand-in that looks at the question overrides it."""
        return self.script.pop(0) if self.script else self.always


def completion(item: str | dict[str, Any], request: dict[str, Any], *, cut: bool = False) -> Reply:
    """A whole reply in the form that was asked for; `cut` breaks it off in the middle."""
    text = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if isinstance(item, dict) and request.get("tools"):
        call = {"name": request["tools"][0]["function"]["name"], "arguments": text}
        message = {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": call}]}
    return tool_reply(message, request, cut=cut)


def tool_reply(message: dict[str, Any], request: dict[str, Any], *, cut: bool = False) -> Reply:
    """A reply with this message, at once or in pieces as the request has it."""
    if request.get("stream"):
        return Reply(_events(message, request), headers={"content-type": "text/event-stream"}, cut=cut, chunked=True)
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": _USAGE,
    }
    return Reply(body, cut=cut)


_USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def _events(message: dict[str, Any], request: dict[str, Any]) -> str:
    """The message in pieces of eight characters, then why it ends, then its tokens where they are asked for."""
    text = message["content"] or ""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": text[start : start + 8]} for start in range(0, len(text), 8)]
    deltas += [{"tool_calls": [{"index": index, **call}]} for index, call in enumerate(message.get("tool_calls", ()))]
    common = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": request["model"]}
    events = [{**common, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    events.append({**common, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    if request.get("stream_options", {}).get("include_usage"):
        events.append({**common, "choices": [], "usage": _USAGE})
    return "".join(f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events) + "data: [DONE]\n\n"
