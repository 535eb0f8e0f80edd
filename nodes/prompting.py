"""Fills the prompts of nodes/prompts and fences what documents say.

Shared ground of the nodes. A prompt file has a constant part, which a provider can cache, then a line `---`, then the part of
this question, with `$placeholders`. A line `$examples` in the constant part stands for the examples of the question's language.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime
from importlib.resources import files
from importlib.resources.abc import Traversable
from string import Template

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage

from retrievers.text.language import Language
from retrievers.types import Passage

CONTEXT_TOKENS = 6000
"""Passages in one prompt: within the 4-8 thousand that small models still read well, and under 75 % of an 8K window."""

_HISTORY = 6
_HISTORY_CHARS = 500
"""A prompt shows the last messages, each cut: enough to resolve "that", whatever the length of the conversation."""


def prompt(name: str, *, language: Language = "en", **fields: str) -> list[BaseMessage]:
    """The messages of nodes/prompts/<name>.md; raises KeyError for a placeholder without a field.

    `language` is the question's: its examples are nodes/prompts/examples/<name>.<language>.md, the English ones where there are none.
    """
    constant, variable = prompt_parts(name, language)
    return [SystemMessage(constant), HumanMessage(Template(variable).substitute(fields))]


def prompt_parts(name: str, language: Language = "en") -> tuple[str, str]:
    """The constant part, examples in their place, and the part of the question as it stands in the file.

    A provider caches one constant part for each language. Examples in another script than the question's draw a small model's
    reply into their language, so no language takes its neighbour's: Chinese and Korean without their own take the English ones.
    """
    constant, variable = _PARTS[name]
    return constant.replace(_PLACE, _EXAMPLES.get(f"{name}.{language}") or _EXAMPLES.get(f"{name}.en", "")), variable


def _read(folder: Traversable) -> dict[str, str]:
    """The texts of a folder's prompts. Read when the module is: reading a file inside a step would block the server's loop."""
    return {file.name.removesuffix(".md"): file.read_text("utf-8").strip() for file in folder.iterdir() if file.name.endswith(".md")}


def _split(text: str) -> tuple[str, str]:
    constant, _, variable = text.partition("\n---\n")
    return constant.strip(), variable.strip()


_PLACE = "$examples"
_FOLDER = files("nodes") / "prompts"
_PARTS = {name: _split(text) for name, text in _read(_FOLDER).items()}
_EXAMPLES = _read(_FOLDER / "examples")


def fenced(passages: Sequence[Passage]) -> str:
    """The passages numbered from 1, each between delimiters that no document can know.

    The title and the headings are a document's words too, so they stand inside.
    """
    nonce = secrets.token_hex(8)
    return "\n\n".join(_block(number, passage, nonce) for number, passage in enumerate(passages, 1))


def _block(number: int, passage: Passage, nonce: str) -> str:
    place = " > ".join(dict.fromkeys([passage["title"] or passage["document"], *passage["heading_path"]]))
    kind = "" if passage["content_type"] == "text" else f' type="{passage["content_type"]}"'
    return f'<passage-{nonce} id="{number}" origin="{passage["origin"]}"{kind}>\n{place}\n\n{passage["text"].strip()}\n</passage-{nonce}>'


def within_budget(passages: Sequence[Passage], tokens: int = CONTEXT_TOKENS) -> list[Passage]:
    """The longest beginning of the passages (best first) that fits; never less than the first, which is cut where it alone is too long."""
    fitting: list[Passage] = []
    for passage in passages:
        if fitting and passage["token_count"] > tokens:
            break
        fitting.append(_cut(passage, tokens))
        tokens -= passage["token_count"]
    return fitting


def _cut(passage: Passage, tokens: int) -> Passage:
    """The beginning of the passage, as long as `tokens` of it are on average. Its offsets stay those of the stored text."""
    if passage["token_count"] <= tokens:
        return passage
    length = max(1, len(passage["text"]) * max(tokens, 1) // passage["token_count"])
    return {**passage, "text": passage["text"][:length], "end": passage["start"] + length, "token_count": tokens}


_WINDOW_SHARE = 0.75
"""Of a model's window, for the passages: rules, question and reply need the rest, and tokenizers differ."""


def context_tokens(window: int | None) -> int:
    """Tokens of passages for a model with this window, or with an unknown one."""
    return CONTEXT_TOKENS if window is None else min(CONTEXT_TOKENS, int(window * _WINDOW_SHARE))


def transcript(history: Sequence[AnyMessage]) -> str:
    """The last messages of a conversation, one a line; `(none)` where there are none."""
    names = {HumanMessage: "User", AIMessage: "Assistant"}
    shown = [(names[type(message)], " ".join(message.text.split())) for message in history if type(message) in names]
    return "\n".join(f"{name}: {text[:_HISTORY_CHARS]}" for name, text in shown[-_HISTORY:]) or "(none)"


_NAMES: dict[Language, str] = {"en": "English", "ja": "Japanese", "zh": "Chinese", "ko": "Korean", "und": "the language of the question"}


def language_name(language: Language) -> str:
    """The language as a prompt names it: a small model follows a name more surely than "the language of the question"."""
    return _NAMES[language]


def moment(now: datetime) -> str:
    """The time as a prompt shows it."""
    return f"{now:%A %Y-%m-%d %H:%M} {now.tzname() or ''} (UTC{now:%z})"
