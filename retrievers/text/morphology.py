"""Japanese words by their dictionary forms, from Sudachi: 打合せ and 打ち合わせ are one, and so are 走った and 走る.

Behind the extra `japanese`; used by retrievers/text/analysers.py, which adds these words to those of the plain cut.
"""

import re
import threading
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from retrievers.errors import ConfigurationError, MissingExtra
from retrievers.text.analysis import MAX_WORD, fold
from retrievers.text.language import language_of

if TYPE_CHECKING:
    from sudachipy import Dictionary, Morpheme, Tokenizer

_MOST_CHARS = 12_000
"""Given to Sudachi at once: it refuses more than 49,149 bytes, and a character has at most four."""

_KANA = re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff]")
_JAPANESE = re.compile(
    "[\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_STRETCH = re.compile(rf"[^\n]{{1,{_MOST_CHARS - 1}}}(?:[。！？\n]|$)|[^\n]{{1,{_MOST_CHARS}}}")

_SURROGATE = re.compile("[\ud800-\udfff]")

_GRAMMAR = frozenset("助詞 助動詞 補助記号 記号 空白 接続詞 感動詞 代名詞 連体詞".split())  # noqa: SIM905
"""Parts of speech that say nothing by themselves."""
_DEPENDENT = frozenset({"非自立可能", "助数詞可能"})
"""Kinds of verbs and counters that mostly serve another word: する, いる, 年."""

_local = threading.local()


def morphemes(text: str) -> list[str]:
    """The content words of Japanese text in order, repeats kept; a compound comes whole and then by part.

    Single characters are left to the plain cut. Empty for other languages: a line without kana counts as Japanese only where
    language_of says so. Raises MissingExtra where Sudachi is not installed.
    """
    words: list[str] = []
    for stretch in _STRETCH.findall(_SURROGATE.sub(" ", fold(text))):
        if _KANA.search(stretch) or (_JAPANESE.search(stretch) and language_of(stretch) == "ja"):
            words += _words(stretch)
    return words


def _words(stretch: str) -> Iterator[str]:
    for morpheme in _tokenizer().tokenize(stretch):
        parts = morpheme.split("A")
        for one in (morpheme, *(parts if len(parts) > 1 else ())):
            word = one.normalized_form().casefold()[:MAX_WORD]
            if len(word) > 1 and _JAPANESE.fullmatch(word) and _has_content(one):
                yield word


def _has_content(morpheme: "Morpheme") -> bool:
    kind, *kinds = morpheme.part_of_speech()
    return kind not in _GRAMMAR and _DEPENDENT.isdisjoint(kinds)


def _tokenizer() -> "Tokenizer":
    """A tokenizer may not be shared by threads; the dictionary, which takes the memory, is."""
    if not hasattr(_local, "tokenizer"):
        dictionary = _dictionary()
        # SudachiPy 0.7 renamed it; GiNZA, of the extra `entities`, holds 0.6.11.
        make = dictionary.tokenizer if hasattr(dictionary, "tokenizer") else dictionary.create
        _local.tokenizer = make(mode="C")
    tokenizer: Tokenizer = _local.tokenizer
    return tokenizer


@cache
def _dictionary() -> "Dictionary":
    try:
        from sudachipy import Dictionary
        from sudachipy.errors import SudachiError
    except ImportError as exc:
        raise MissingExtra("cutting Japanese text into words with Sudachi", "japanese") from exc
    try:
        return Dictionary(dict="core")
    except (SudachiError, ModuleNotFoundError) as exc:
        raise ConfigurationError(f"Sudachi has no dictionary ({exc}): pip install 'tadori[japanese]'") from exc
