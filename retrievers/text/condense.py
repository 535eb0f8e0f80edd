"""A long question made short enough for a search box.

Pure text work, used by the adapters of web searches that refuse long queries.
"""

import re

_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?]+(?=\s|$)|[。！？]+|\n|$)")
_QUESTION_MARKS = "?？"


def condense(query: str, limit: int) -> str:
    """`query` in at most `limit` (> 0) characters, white space folded; unchanged otherwise where it fits.

    Sentences that ask go first, then the others in their order while they fit; a sentence that is too long alone is cut at
    a word's end. What is kept stays in the order of the text.
    """
    folded = " ".join(query.split())
    if len(folded) <= limit:
        return folded
    sentences = [found for match in _SENTENCE.finditer(query) if (found := " ".join(match.group().split()))]
    asking_first = sorted(range(len(sentences)), key=lambda index: (sentences[index][-1] not in _QUESTION_MARKS, index))
    kept: list[int] = []
    room = limit
    for index in asking_first:
        needed = len(sentences[index]) + (1 if kept else 0)
        if needed <= room:
            kept.append(index)
            room -= needed
    return " ".join(sentences[index] for index in sorted(kept)) or _cut(sentences[asking_first[0]], limit)


def _cut(sentence: str, limit: int) -> str:
    head = sentence[:limit]
    at = head.rfind(" ")
    # Text without spaces (Japanese) has no word's end to look for.
    return head[:at] if at > limit // 2 else head
