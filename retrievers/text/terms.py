"""The words of a text as they were typed, function words left out: what a rewritten query is made of.

Pure; retrievers/text/analysis.py decides what is a function word.
"""

import re
import unicodedata
from collections.abc import Iterator

from retrievers.text.analysis import query_words

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f"
_INSIDE = "[\u3041-\u3096]"
_PARTICLES = "のはがをにとでもやへかな"

# A kana inside a word (打ち合わせ, 取り扱い) belongs to it; a particle between two words does not.
_CJK = rf"[{_HAN}{_KATAKANA}]+(?:(?![{_PARTICLES}]){_INSIDE}[{_HAN}]+)*"
_COMPOUND = re.compile(_CJK)
_HANGUL = "[\uac00-\ud7ff]+"
_LATIN = rf"[^\W_{_HAN}{_KATAKANA}\u3041-\u309f\uac00-\ud7ff]+(?:[-_./:@&+#'’][^\W_{_HAN}{_KATAKANA}\u3041-\u309f\uac00-\ud7ff]+)*"
_TERM = re.compile(f"{_CJK}|{_HANGUL}|{_LATIN}")
_QUESTION_WORD = re.compile("[何誰][年人日時月回個件度歳名]?|幾つ|何故")


_LETTER, _DIGIT = "[A-Za-z]", "[0-9]"
_CODE = re.compile(
    rf"{_LETTER}+-?{_DIGIT}\w*|{_DIGIT}+{_LETTER}{{2,}}{_DIGIT}|{_DIGIT}+\.{_DIGIT}+\.{_DIGIT}+"  # XR-4200, 0xC0FFEE, 15.2.1
    rf"|\b[a-z]{{2,}}[A-Z]\w+|(?:[A-Z][a-z]+){{3,}}|\w+_\w+|\w+::\w+|\w+\(\)"  # camelCase, snake_case, a::b, f()
    rf"|(?<!\S)--?{_LETTER}[\w-]*|`[^`]+`|(?<!\w)[./~]?/\w+|\b\w+\.(?:py|js|ts|go|rs|c|h|java|sql|sh|md|toml|ya?ml|json|conf|ini|log)\b",
    re.ASCII,
)
"""Written as machines write: texts in any language hold it as it is, and it is looked for word for word."""
_COUNTED = re.compile(r"[0-9.,/%$-]+(?:st|nd|rd|th|s|m|km|kg|cm|mm|am|pm)?|(?:[kcm]?m)[23]|[A-Za-z]+(?:/[A-Za-z]+)+", re.ASCII)
"""What looks like a code and is a number, a date or a choice of words; a version of three parts is a code all the same."""


def has_code(text: str) -> bool:
    """Whether an identifier, a version, a flag or a path stands in the text; a number, a date or a name alone is none."""
    return _CODE.search(unicodedata.normalize("NFKC", text)) is not None


_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_PRINTED = re.compile(r"(?<![!-~])[!-~]{2,80}(?![!-~])|(?<=\s)`[^`\s]{2,78}`")
"""Between spaces or other scripts; a longer stretch is data, and the search for codes takes the square of its length."""
_LOOKS_CODED = re.compile(r"[0-9_:/]|[a-z][A-Z]|\(\)|^--[a-z]|\.[a-z]{1,4}\b")
_AROUND_CODE = "`'\"()[]{}<>,;:.!?*"


def code_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where codes stand in text[start:end], without the marks around them; dates and web addresses are none."""
    for found in _PRINTED.finditer(text, start, end):
        token = found[0]
        if not _LOOKS_CODED.search(token) or "://" in token:
            continue
        code = token.strip(_AROUND_CODE)
        left = found.start() + len(token) - len(token.lstrip(_AROUND_CODE))
        if len(code) > 1 and _CODE.search(code) and (_VERSION.fullmatch(code) or not _COUNTED.fullmatch(code)):
            yield left, left + len(code)


def cjk_terms(text: str) -> list[tuple[int, int]]:
    """Where Japanese and Chinese compounds stand, in order; particles part them."""
    return [found.span() for found in _COMPOUND.finditer(text)]


def content_terms(text: str) -> list[str]:
    """The distinct terms in order, as typed: codes whole, Japanese compounds whole. Empty for "and when was that?"."""
    found = (term for term in _TERM.findall(text) if not _QUESTION_WORD.fullmatch(term))
    return [term for term in dict.fromkeys(found) if query_words(term)]
