"""Makes a follow-up question searchable by the words of the question it follows, in English and Japanese.

Shared ground of the nodes; pure. It is the gate's policy without a chat model.
"""

import re
from collections.abc import Sequence

from retrievers.text.terms import content_terms, has_code

_POINTER = re.compile(
    r"\b(?:it|its|that|this|those|these|they|them|their|he|she|him|her|his|there|same|again|one|ones)\b"
    r"|それ|その|そこ|そちら|そいつ|あれ|あの|あそこ|これ|この|ここ|同じ|同様|彼|さっき|先ほど|っけ",
    re.IGNORECASE,
)
_OPENER = re.compile(
    r"^\s*(?:and|but|or|so|then|also|what\s+about|how\s+about|what\s+if)\b|^\s*(?:じゃあ|では|それなら|それで|あと|ちなみに|また|一方|逆に|で、)",
    re.IGNORECASE,
)
_BARE_TOPIC = re.compile(r"^[^?？]{1,20}(?:は|なら|の場合は)\s*[?？。]?\s*$|^\s*(?:the\s+)?\w+\s*[?？]\s*$", re.IGNORECASE)

_THERE_IS = re.compile(r"\b(?:is|are|was|were)\s+there\b|\bthere\s+(?:is|are|was|were)\b|\bone\s+of\b", re.IGNORECASE)
_IT_TAKES = re.compile(r"\b(?:does|did|will|would)\s+it\s+take\b(?!\s+(?:place|part|effect))", re.IGNORECASE)
"""Words that point at nothing; "how long does it take?" alone does."""

_POINTING = 3
"""A question with a pronoun and more content words than this stands on its own ("How long does it take to restore a backup?")."""

_OPENING = 2
_TOPIC = 1
_LOOK_BACK = 3
"""Follow-ups of follow-ups lead back at most this far: beyond, the subject has changed."""


def needs_history(question: str) -> bool:
    """Whether the question lacks the words to be searched for alone: no content word, a pronoun, an ellipsis."""
    own = len(content_terms(question))
    return (
        own == 0
        or (own <= _POINTING and _POINTER.search(_THERE_IS.sub(" ", question)) is not None)
        or (own <= _OPENING and _OPENER.search(question) is not None)
        or (own <= _TOPIC and _BARE_TOPIC.search(question) is not None)
    )


def may_follow(question: str) -> bool:
    """Whether the question may lean on what was said before: it points somewhere, goes on, or says little. Wider than `needs_history`."""
    told = _IT_TAKES.sub(" ", _THERE_IS.sub(" ", question))
    return (
        needs_history(question)
        or _POINTER.search(told) is not None
        or _OPENER.search(question) is not None
        or len(content_terms(question)) <= _TOPIC
    )


def standalone(question: str, earlier: Sequence[str]) -> str:
    """The question preceded by the nearest that stands on its own; unchanged where it needs none or there are none.

    `earlier` holds the user's earlier questions, oldest first. A follow-up in between is left out unless it names something by a code, as
    "And of the B200?" does; where none stands on its own, the last one is what is followed.
    """
    if not needs_history(question) or not earlier:
        return question
    between: list[str] = []
    for previous in reversed(earlier[-_LOOK_BACK:]):
        if not needs_history(previous):
            return " ".join([previous, *between, question])
        between[:0] = [previous] if has_code(previous) else []
    return " ".join([*(between or earlier[-1:]), question])


def without_opener(question: str) -> str:
    """The question without "And", "But", 「じゃあ」 and the like before it; what is asked for stands first then."""
    return _OPENER.sub("", question).lstrip(" ,、") or question


def own_words(question: str, searched: str) -> str:
    """The user's own words where `searched` is them after an earlier question; `searched` where a model reworded them."""
    return question if question and searched.endswith(f" {question}") else searched
