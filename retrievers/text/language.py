"""Names the language of a text well enough to answer in it: ja, zh, ko, en, or und.

Pure; by scripts and function words, no model.
"""

import re
from typing import Literal

from retrievers.text.stopwords import is_english_function_word

Language = Literal["ja", "zh", "ko", "en", "und"]

_SCRIPTS: tuple[frozenset[Language], ...] = (frozenset({"en"}), frozenset({"ja", "zh"}), frozenset({"ko"}))
"""Japanese and Chinese share their characters, and with them words."""

_LOOKED_AT = 4000
"""Characters: a language shows within a page, and a 2 MB text is no slower."""
_KANA = re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々〆]")
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7ff]")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:['’][A-Za-z]+)?")
_CJK_WEIGHT = 2.5
"""One character of Japanese says about as much as this many Latin letters, so a sentence with an English name stays Japanese."""
_KANA_LEAST = 0.04
"""Of a Japanese text's characters, kana are a half; a Chinese text that quotes a Japanese name has fewer than this."""
_HEADING = 20
"""Han characters up to which a Japanese text may lack kana altogether: names, titles, headings."""
_PARTICLES_AMONG = 15
"""Latin letters for each kana up to which a text without English grammar has Japanese grammar (PostgreSQLのCREATE INDEXとは)."""
_OTHER_LATIN = frozenset(
    "der die das und ist nicht ein eine wie geht es le la les des est une dans pour que qui et el los las del una por "  # noqa: SIM905
    "para como il di che per della het een van niet och att som".split()
)
_ENGLISH_LEAST = 0.12
"""Of English running text, function words are 0.4; of a list of names in English, less than this."""
_FEW_WORDS = 8


def language_of(text: str) -> Language:
    """The language most of the text is in; `und` without words, and for Latin script that does not look English.

    Han characters without kana count as Japanese where they can only be that or are few, else as Chinese.
    """
    sample = text[:_LOOKED_AT]
    kana, han, hangul = (len(pattern.findall(sample)) for pattern in (_KANA, _HAN, _HANGUL))
    words = _LATIN_WORD.findall(sample)
    latin = sum(map(len, words))
    if not kana + han + hangul + latin:
        return "und"
    if (kana + han + hangul) * _CJK_WEIGHT < latin:
        language = _latin(words, sample)
        return "ja" if language != "en" and kana * _PARTICLES_AMONG >= latin else language
    if hangul > kana + han:
        return "ko"
    return "ja" if kana > _KANA_LEAST * (kana + han) or (not kana and _is_japanese_han("".join(_HAN.findall(sample)))) else "zh"


def other_scripts(language: Language) -> tuple[Language, ...]:
    """The languages that share no script with this one; none for `und`, which may be a name or a code that any text can hold."""
    if language == "und":
        return ()
    return tuple(sorted(other for script in _SCRIPTS if language not in script for other in script))


def _latin(words: list[str], sample: str) -> Language:
    lower = [word.lower() for word in words]
    english = sum(map(is_english_function_word, lower))
    other = sum(word in _OTHER_LATIN for word in lower)
    if other > english or (not sample.isascii() and not english):
        return "und"
    plain = len(words) < _FEW_WORDS and any(len(word) > 2 and word.isalpha() and not word.isupper() for word in words)
    return "en" if (english >= _ENGLISH_LEAST * len(words) and english) or plain else "und"


def _is_japanese_han(han: str) -> bool:
    """Whether these characters, without any kana, are rather Japanese: the national character sets tell simplified ones apart."""
    if len(han) > _HEADING:
        return False
    return _fits(han, "shift_jis") or not _fits(han, "gb2312")


def _fits(text: str, charset: str) -> bool:
    try:
        text.encode(charset)
    except UnicodeEncodeError:
        return False
    return True
