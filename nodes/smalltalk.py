"""Tells what may be small talk from what is surely a question for the documents, in English and Japanese.

Shared ground of the nodes; pure. nodes/direct.py knows the fixed phrases; here is the rest, of which only a model can be sure.
"""

import re
import unicodedata

from retrievers.text.terms import content_terms, has_code

_MOST_CHARS = 120
"""A longer message has something to say."""

_FEW_TERMS = 2
""""Do you like music?" has few words of its own, "Do you ship spare parts to Norway?" is about something."""

_QUESTION = re.compile(
    r"[?？]\s*$|[？?][」)]|^\s*(?:please\s+)?(?:who|whose|whom|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|should|must|has|have|will|would|"
    r"list|show|find|explain|describe|compare|give|name|tell|search|look|define|summari[sz]e)\b"
    r"|\b(?:tell\s+me|i\s+(?:want|need|would\s+like)\s+to\s+know|looking\s+for)\b"
    r"|か[?？。]?\s*$|[何誰]|いつ|どこ|どう|どの|どれ|どちら|なぜ|いくら|とは|教え|について|説明して|一覧|方法|知りたい|調べ|探して|してください|して下さい|[げえべめせけれ]よ[。]?$",
    re.IGNORECASE,
)
_TO_YOU = re.compile(
    r"^\s*(?:are|were|do|did|don't|aren't|have|will|would|can|could)\s+you\b(?!\s+(?:please\s+)?(?:tell|explain|show|list|find|search))|^\s*(?:あなた|君|きみ)[はがも]",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:i|i'm|im|i've|i'll|me|my|you|you're|youre|your|we|that's|thats|it's)\b|!\s*$"
    r"|^\s*(?:wow|lol|haha+|cool|nice|great|awesome|amazing|sorry|sure|yes|yeah|yep|no|nope|ok|okay|hmm+|oops|well\s+done|good\s+(?:job|one|answer|bot))\b"
    r"|(?:よね|ね|よ|なあ?|わ|ぞ|笑|w|っす|!)[。!~〜ー]*\s*$|あなた|君|きみ|私|わたし|僕|俺"
    r"|^(?:すご|面白|おもしろ|なるほど|いいね|やった|へえ|ふーん|うん|はい|いいえ|ごめん|すみません|疲れ|眠|暇)",
    re.IGNORECASE,
)
_CONVERSATION = re.compile(
    r"\b(?:shorter|longer|simpler|rephrase|reword|translate|bullet\s+points?|in\s+(?:other\s+words|english|japanese|one\s+sentence)|your\s+(?:last\s+|previous\s+)?(?:answer|reply)|"
    r"(?:you|i)\s+(?:just\s+)?(?:said|asked|wrote|told)|repeat|summari[sz]e\s+(?:that|it|this))\b"
    r"|短く|簡潔に|箇条書き|言い換え|言いかえ|訳して|英語で|日本語で|要約して|まとめて|(?:さっき|先ほど|今)の(?:答え|回答|話)|一言で|繰り返し",
    re.IGNORECASE,
)


def maybe_small_talk(message: str) -> bool:
    """Whether the message may be about nothing that a document holds; never for a plain question, a code or a list of keywords."""
    text = unicodedata.normalize("NFKC", message).strip()
    if len(text) > _MOST_CHARS or has_code(text) or re.search(r"\d", text):
        return False
    if _QUESTION.search(text):
        return _TO_YOU.search(text) is not None and len(content_terms(text)) <= _FEW_TERMS
    return _PERSONAL.search(text) is not None


def about_conversation(message: str) -> bool:
    """Whether the message speaks of what was said before, such as "Put that in bullet points." or 「英語で言い換えて」."""
    return _CONVERSATION.search(unicodedata.normalize("NFKC", message)) is not None
