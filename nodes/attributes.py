"""Finds what a question asks of a thing that it describes, so that a passage about the thing alone is not taken for the answer.

Shared ground of generate; pure, no model.
"""

import re
from collections.abc import Sequence

from retrievers.text.analysis import analyse, query_words
from retrievers.types import Passage

_ASKED = re.compile(
    r"^\W*what(?:'s|\s+(?:is|was|are|were))\s+the\s+(?P<what>(?:[a-z-]+\s+){0,2}?[a-z-]+)\s+(?:of|for)\s+(?:the|an?|[A-Z])", re.IGNORECASE
)
_ASKED_JA = re.compile(
    "の(?P<what>[\u4e00-\u9fff\u30a1-\u30fa\u30fc]{2,10})(?:は|って|を|が)?"
    "(?:何[^\u3001\u3002]{0,6}|誰|だれ|どこ|いつ|いくら|どれ|どの[^\u3001\u3002]{0,6})?(?:ですか|でしょうか|か)?[?？。]*\\s*$"
)
_KINDS = (
    "name names title kind type country city town state place location date year number amount result reason cause purpose meaning term "
    "person people thing part role position job profession occupation capital population age size area length height"
)
_KINDS_JA = (
    "名前 名称 タイトル 種類 分類 人数 動物 施設 政党 産業 トップ 国 都市 場所 日付 年 数 理由 原因 目的 意味 人物 出身 職業 人口 年齢 "
    "大きさ 長さ 高さ 正式名称 別名"
)
_FILLERS = "total first last full official main exact common different current original other whole"
_SAYS_LITTLE = frozenset(f"{_KINDS} {_FILLERS}".split())
"""Words that a text which answers seldom has: it gives the city, and does not call it one."""
_SAYS_LITTLE_JA = frozenset(_KINDS_JA.split())


def unmentioned_attribute(question: str, passages: Sequence[Passage]) -> str | None:
    """The words for what is asked of the thing, where no passage holds all of them; None where it is told or cannot be told apart.

    「サクラ計画の責任者の電話番号」: a passage that never speaks of a telephone number may lead there, and does not answer.
    """
    found = _ASKED.search(question) or _ASKED_JA.search(question)
    if found is None:
        return None
    what = " ".join(found["what"].split())
    telling = [word for word in what.split() if word.casefold() not in _SAYS_LITTLE]
    words = set(query_words(" ".join(telling)))
    if not words or what in _SAYS_LITTLE_JA:
        return None
    held = (set(analyse("\n".join([passage["title"], *passage["heading_path"], passage["text"]]))) for passage in passages)
    return None if any(words <= own for own in held) else what
