"""The chat extractor as the tests meet it: with the real client, and behind it a server that reads the prompt as a model does."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from servers.chat import ChatServer
from servers.loopback import Asked, Reply

from nodes.extracting import ChatReader
from nodes.structured import Decider
from retrievers.entities import Extraction, GraphText
from retrievers.providers.chat import resolve_chat
from retrievers.providers.names_chat import ChatExtractor
from retrievers.providers.names_rules import RuleExtractor
from retrievers.said import Most

Item = str | dict[str, Any] | Reply
Entry = dict[str, Any]

_BLOCK = re.compile(r'<text-([0-9a-f]{16}) id="(\d+)">\n(.*?)\n</text-\1>', re.DOTALL)


def text(words: str, *, chunk: int = 1, title: str = "notes", headings: Sequence[str] = (), language: str = "en") -> GraphText:
    """A chunk with these words."""
    return GraphText(chunk, title, tuple(headings), words, language)


def texts(*words: str) -> list[GraphText]:
    """A chunk for each."""
    return [text(each, chunk=number) for number, each in enumerate(words, 1)]


def entry(*names: tuple[str, str], relations: Sequence[tuple[str, str, str, str]] = ()) -> Entry:
    """What a model says of one text: (name, kind) and (head, predicate, tail, quote)."""
    ties = [dict(zip(("head", "predicate", "tail", "quote"), relation, strict=True)) for relation in relations]
    return {"entities": [{"name": name, "kind": kind} for name, kind in names], "relations": ties}


class ReadingServer(ChatServer):
    """Says of each text of a prompt what `say` has for it; the script comes first. A Reply or a text of `say` is the whole reply."""

    def __init__(self, say: Callable[[str], Entry | Item], *script: Item, refuses: tuple[str, ...] = ()) -> None:
        super().__init__(*script, refuses=refuses)
        self.say = say

    def next_item(self, asked: Asked) -> Item | None:
        if self.script:
            return self.script.pop(0)
        entries = []
        for number, words in blocks("\n".join(str(message["content"]) for message in asked.body["messages"])):
            said = self.say(words)
            if not isinstance(said, dict):
                return said
            entries.append({"id": number, **said})
        return {"texts": entries}


def blocks(prompt: str) -> list[tuple[int, str]]:
    """The texts of a prompt with their numbers."""
    return [(int(number), words) for _, number, words in _BLOCK.findall(prompt)]


def count_words(words: str) -> int:
    """Tokens, for tests: what stands between spaces."""
    return len(words.split())


@contextmanager
def chat(
    say: Callable[[str], Entry | Item],
    *script: Item,
    refuses: Sequence[str] = (),
    most: Most | None = None,
    timeout_s: float = 10.0,
    at_once: int = 4,
) -> Iterator[tuple[ChatExtractor, ReadingServer]]:
    """The adapter and the server of its model."""
    with ReadingServer(say, *script, refuses=tuple(refuses)) as server:
        model = Decider(resolve_chat("openai:tiny", base_url=server.base_url, api_key="key", timeout_s=timeout_s, at_once=at_once))
        extractor = ChatExtractor(ChatReader(model), RuleExtractor(), name="openai:tiny", count=count_words, most=most, at_once=at_once)
        yield extractor, server


def kinds(extraction: Extraction) -> dict[str, str]:
    """The kind of each name by its first spelling."""
    return {name.text: name.kind for name in extraction.names}


def ties(extraction: Extraction) -> set[tuple[str, str, str]]:
    """The relations as head, predicate, tail."""
    return {(relation.head, relation.kind, relation.tail) for relation in extraction.relations}
