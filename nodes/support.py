"""What a quote cannot support although it stands in the passage: a line that gives orders, and another subject than the question's.

Shared ground of nodes/evidence.py, nodes/quoting.py and nodes/drafting.py; pure and deterministic.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from retrievers.text.analysis import analyse, query_words
from retrievers.text.language import language_of, other_scripts
from retrievers.text.units import units
from retrievers.types import Passage

_ORDERS = (
    r"(?:ignore|disregard|forget|override)\b.{0,20}\b(?:previous|prior|above|earlier|preceding|all|any|your|other)\b"
    r".{0,20}\b(?:instructions?|rules|prompts?|guidelines|passages?|documents?|context)\b",
    r"(?:ignore|disregard|forget|override)\s+(?:(?:the|all|any|these|those|your)\s+)?(?:other\s+)?(?:passages?|prompts?|context|documents?|instructions)\b",
    r"(?:new|updated|system)\s+(?:instructions?|prompts?)\s*[:：]|system prompt\b",
    r"(?:always|only)\s+(?:answer|reply|respond)\s+(?:only\s+)?(?:with\b|in\b|that\b|[“\"'])|(?:answer|reply|respond)\s*:?\s*\{",
    r"must\s+(?:answer|respond)\s+(?:only\s+)?(?:with\b|that\b|[“\"'])|(?:answer|reply|respond)\s+(?:only\s+)?in\s+json\b",
    r"(?:answer|reply|respond)\s+(?:to\s+)?(?:every|all|any)\s+questions?\b.{0,20}\b(?:with|that|by)\b",
    r"(?:every|each|all|any)\s+(?:answers?|repl(?:y|ies)|responses?)\s+(?:must|should|shall|has\s+to|have\s+to)\s+(?:end|begin|start|contain|include)\b",
    r"from now on,?\s+(?:you|answer|reply|respond)\b",
    r"(?:mark|rate|grade|judge|treat|consider)\s+(?:this|these|the)\s+(?:passages?|text|document|page)s?\b.{0,30}\b(?:relevant|trusted|10)\b",
    r"(?:the|any|an?)\s+(?:language model|ai assistant|ai model|llm)\b.{0,40}\b(?:must|should|shall|is to)\b",
    r"(?:call|invoke|use|run|execute)\s+(?:the\s+tool\s+)?`?(?:(?:search|read)_\w+|\w+_documents?\b)",
)
_ORDERS_ANYWHERE = (
    r"<\|?(?:im_start|system)\b|</?passage\b|\[/?INST\]",
    r"(?:以前|これまで|上記|今まで|先|前)の(?:すべての|全ての)?(?:指示|命令|ルール|規則|プロンプト).{0,10}(?:無視|忘れ|破棄)|システムプロンプト",
    r"(?:以後|以降|今後|これから|次から).{0,6}(?:回答|答え|返答|質問)(?:は|に|を).{0,30}と(?:答え|回答|返答|返事)",
    r"(?:すべて|全て|必ず|常に|のみ|だけ).{0,20}と(?:答え|回答|返答)(?:よ|ろ|せよ|しろ|てください|してください|なさい|すること|ること)",
    r"この(?:文章|箇所|文書|パッセージ|段落|ページ)を?.{0,12}(?:関連|該当|適合).{0,8}(?:判定|評価|マーク|分類|扱)",
    r"(?:ツール|関数|(?:search|read)_\w+)を(?:呼び出|実行)(?:せ|し|すこと)",
    r"(?:忽略|无视|無視)(?:之前|以上|先前|前面|上述)的?(?:所有|全部)?(?:指令|指示|规则|提示)",
    r"(?:이전|위의?|앞선|앞의)\s*(?:모든\s*)?(?:지시|명령|규칙|프롬프트).{0,10}무시",
)
"""How a text speaks to a model in place of a reader: at a word's start, and in scripts without spaces. Each is narrow: manuals give
orders to people all the time.
"""

_ORDER = re.compile(rf"\b(?:{'|'.join(_ORDERS)})|{'|'.join(_ORDERS_ANYWHERE)}", re.IGNORECASE | re.DOTALL)
_ABOUT_ORDERS = re.compile(
    r"instruct|prompt|inject|jailbreak|指示|命令|プロンプト|インジェクション|攻撃|指令|提示|지시|프롬프트", re.IGNORECASE
)


def instructs(text: str, question: str = "") -> bool:
    """Whether `text` tells a model what to do. Not so for a question about such texts: then they are its subject."""
    return _ORDER.search(unicodedata.normalize("NFKC", text)) is not None and not _ABOUT_ORDERS.search(question)


@lru_cache(64)  # the passages of a few turns: each of their sentences asks
def _orders_somewhere(text: str) -> bool:
    return instructs(text)


def beside_orders(text: str, start: int, end: int, question: str = "") -> bool:
    """Whether what stands at `start:end`, or a sentence next to it in its paragraph, tells a model what to do.

    Who wrote the order wrote what leads up to it and what follows; the paragraphs around it may be somebody else's.
    """
    if not _orders_somewhere(text):
        return False
    opened, closed = text.rfind("\n\n", 0, start), text.find("\n\n", end)
    first, last = (0 if opened < 0 else opened + 2), (len(text) if closed < 0 else closed)
    spans = [(first + unit.start, first + unit.end) for unit in units(text[first:last])]
    held = [place for place, span in enumerate(spans) if span[0] < end and start < span[1]]
    if held:
        first, last = spans[max(0, held[0] - 1)][0], spans[min(len(spans) - 1, held[-1] + 1)][1]
    return instructs(text[min(first, start) : max(last, end)], question)


def is_about(start: int, end: int, passage: Passage, question: str) -> bool:
    """Whether a word of the question stands where the quote does: in its sentence, a neighbour of it, a heading above it or the title.

    True where words cannot tell: a question without content words, and a passage in another script.
    """
    asked = set(query_words(question))
    if not asked or language_of(passage["text"]) in other_scripts(language_of(question)):
        return True
    spans = [(unit.start, unit.end) for unit in units(passage["text"])]
    held = [place for place, span in enumerate(spans) if span[0] < end and start < span[1]]
    first, last = (max(0, held[0] - 1), min(len(spans) - 1, held[-1] + 1)) if held else (0, len(spans) - 1)
    near = passage["text"][min(start, spans[first][0]) : max(end, spans[last][1])] if spans else passage["text"]
    return not asked.isdisjoint(analyse("\n".join([passage["title"], *passage["heading_path"], near])))


WITHHELD = "what would answer stands beside text that speaks to a reader's assistant, and is not quoted"


def withheld(passages: Sequence[Passage], question: str) -> bool:
    """Whether a sentence that shares a word with the question is not quoted for an order beside it: the answer may stand there."""
    return any(
        beside_orders(passage["text"], unit.start, unit.end, question)
        and not instructs(passage["text"][unit.start : unit.end], question)
        and is_about(unit.start, unit.end, passage, question)
        for passage in passages
        for unit in units(passage["text"])
    )
