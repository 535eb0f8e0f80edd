"""A stand-in for a chat model behind an OpenAI-compatible address."""

import json
from typing import Any

from servers.loopback import Asked, Loopback, Reply


class ChatServer(Loopback):
    """Answers `POST /v1/chat/completions` with the next item of the script: a text, or a Reply for a fault.

    With `obeys` it honours `response_format` and tools (a dict in the script becomes the content, or the call's
    arguments); features named in `refuses` ("response_format", "tools") get a 400 and use up no item.
    """

    def __init__(self, *script: str | dict[str, Any] | Reply, refuses: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.script = list(script)
        self.refuses = refuses

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
        if not self.script:
            return Reply({"error": {"message": "the script is empty"}}, status=418)
        item = self.script.pop(0)
        return item if isinstance(item, Reply) else Reply(_completion(item, asked.body))


def _completion(item: str | dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)}
    if isinstance(item, dict) and request.get("tools"):
        call = {"name": request["tools"][0]["function"]["name"], "arguments": json.dumps(item, ensure_ascii=False)}
        message = {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": call}]}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
