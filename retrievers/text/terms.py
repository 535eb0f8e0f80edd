"""The words of a text as they were typed, function words left out: what a rewritten query is made of.

Pure; retrievers/text/analysis.py decides what is a function word.
"""

import re

from retrievers.text.analysis import query_words

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f"
_INSIDE = "[\u3041-\u3096]"
_PARTICLES = "のはがをにとでもやへかな"

# A kana inside a word (打ち合わせ, 取り扱い) belongs to it; a particle between two words does not.
_CJK = rf"[{_HAN}{_KATAKANA}]+(?:(?![{_PARTICLES}]){_INSIDE}[{_HAN}]+)*"
_HANGUL = "[\uac00-\ud7ff]+"
_LATIN = rf"[^\W_{_HAN}{_KATAKANA}\u3041-\u309f\uac00-\ud7ff]+(?:[-_./:@&+#'’][^\W_{_HAN}{_KATAKANA}\u3041-\u309f\uac00-\ud7ff]+)*"
_TERM = re.compile(f"{_CJK}|{_HANGUL}|{_LATIN}")
_QUESTION_WORD = re.compile("[何誰][年人日時月回個件度歳名]?|幾つ|何故")


def content_terms(text: str) -> list[str]:
    """The distinct terms in order, as typed: codes whole, Japanese compounds whole. Empty for "and when was that?"."""
    found = (term for term in _TERM.findall(text) if not _QUESTION_WORD.fullmatch(term))
    return [term for term in dict.fromkeys(found) if query_words(term)]
