"""Cuts text into the words that lexical search matches: English stems, codes whole and by part, CJK runs as one and two characters.

Pure functions, used alike for documents and queries; changing what they return means a new ANALYSER name, and re-analysing what is stored.
"""

import re
import threading
import unicodedata
from functools import lru_cache

import Stemmer

from retrievers.text.stopwords import is_english_function_word, is_function_word

ANALYSER = "tadori-2"
"""The name of what this module does, stored with each collection: an index is never searched with words cut in another way."""

MAX_WORD = 64
"""Longer words are cut here: a base64 blob is not searched for, and a B-tree key holds at most 2,704 bytes."""

_CACHED_TOKEN = 128  # longest token worth remembering; natural words are far shorter, and a 2 MB line must not stay in memory
_CACHE_SIZE = 1 << 15  # distinct tokens; by Zipf's law this covers over 95 % of running text and takes about 10 MB

_SENTENCE_CHARS = 400  # most sentences, headings and questions are shorter; a chunk is longer, and is analysed once
_SENTENCES = 512  # an answer looks at some 50 sentences, several times each; Japanese ones of usual length take 5 MB, the longest 30

_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "\u3041-\u3096\u309d-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_SOUTH_EAST_ASIAN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_RUN = _HAN + _HIRAGANA + _KATAKANA + _HANGUL + _SOUTH_EAST_ASIAN
"""Scripts written without spaces (and Hangul, whose particles stick to the word)."""
_INDIC = "\u0900-\u0963\u0966-\u0dff"  # their vowel signs are not \w, so the blocks are named

_ATOM = rf"(?:[^\W_{_RUN}\u0900-\u0dff]+|[{_INDIC}]+)"
_THOUSANDS = r"(?<=\d),(?=\d{3}(?!\d))"
# A flag of a command, which may follow a character of a run at once but no Latin letter or digit: --no-cache-dir, -n.
_FLAG = rf"(?:(?<![^\W{_RUN}])(?<!-)--?(?=[A-Za-z]))?"
_TOKEN = re.compile(rf"([{_RUN}]+)|({_FLAG}{_ATOM}(?:(?:[-_./:@&\\']+|{_THOUSANDS}){_ATOM})*(?:\+\+|\#(?!\w))?)")
_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_CODE = re.compile(r"[-_./:@&\\+#]")
_PLAIN = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")
_DIGIT_AND_LETTER = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[^\W_]+(?:-[^\W_]+)+")
_CONTRACTION = re.compile(r"'(?:s|ll|re|ve|d|m)$", re.IGNORECASE)
_CAMEL = re.compile(r"[^\W\d_][a-z]+(?=[A-Z])|[a-z]+|[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_HAS_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_NUMBER_AND_UNIT = re.compile(r"(\d+)([^\W\d_]{1,4})")
_VERSION = re.compile(r"[vV](?=\d+\.\d)")
_LETTERS_AND_NUMBER = re.compile(r"([^\W\d_]{1,8})(\d+)([^\W\d_]{0,2})")
_WITHOUT_UNIGRAM = re.compile(rf"[{_HIRAGANA}{_KATAKANA}]")
# JIS Z 8301 lets a word of three sounds or more drop its last long-vowel mark: サーバー and サーバ are one word.
_LONG_VOWEL_END = re.compile(rf"(?<=[{_KATAKANA}]{{3}})ー(?![{_KATAKANA}])")


def _fold_table() -> dict[int, str | None]:
    """Accents off Latin letters, one dash, one apostrophe; invisible characters and vowel points away."""
    latin = (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))
    table: dict[int, str | None] = {code: unicodedata.normalize("NFD", chr(code))[0] for code in latin}
    table |= {ord(char): plain for char, plain in {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i"}.items()}
    table |= {0x2010: "-", 0x2212: "-", 0x2019: "'", 0x02BC: "'", 0x00AD: None, 0xFEFF: None, 0x0640: None}
    points = (*range(0x0300, 0x0370), *range(0x0591, 0x05C8), *range(0x064B, 0x0653), *range(0x200B, 0x2010), *range(0x2060, 0x2065))
    return table | dict.fromkeys(points)


_FOLD = _fold_table()


def analyse(text: str) -> list[str]:
    """The words of `text` in order, repeats kept; a code gives its whole and then its parts. Empty for text without letters and digits."""
    return list(_sentence(text)) if len(text) <= _SENTENCE_CHARS else _analysed(text)


def _analysed(text: str) -> list[str]:
    words: list[str] = []
    for run, token in _TOKEN.findall(fold(text)):
        if run:
            words += _pieces(run)
        elif len(token) <= _CACHED_TOKEN:
            words += _remembered(token)
        else:
            words += _expand(token)
    return words


def query_words(text: str) -> list[str]:
    """The distinct words of a query in order, function words left out.

    Empty when nothing but function words is asked: a match on those alone is no match. One in capitals is a name in a query
    that is not all capitals (WHO, NOT NULL) and stays.
    """
    names = set() if text.isupper() else {name.casefold() for name in _CAPITALS.findall(fold(text))}
    return [word for word in dict.fromkeys(analyse(text)) if word in names or not is_function_word(word)]


def fold(text: str) -> str:
    """NFKC (full and half width are one) and the fold table; case is kept, since camel case is still to be seen."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_FOLD)


def _pieces(run: str) -> list[str]:
    """Single characters, then pairs. Kana get no singles: jsquad gains .002 nDCG@10 without, and has a fifth fewer postings."""
    run = _LONG_VOWEL_END.sub("", run)
    if len(run) == 1:
        return [run]
    return [*_WITHOUT_UNIGRAM.sub("", run), *(run[at : at + 2] for at in range(len(run) - 1))]


def _expand(token: str) -> tuple[str, ...]:
    """One token between spaces: the wholes that can be searched for as they stand, then the stemmed parts."""
    if token.isalpha() and not _HAS_CAMEL.search(token):  # nearly all of a text: skip the splitting
        return (_stem(token.casefold()[:MAX_WORD]),)
    token = re.sub(_THOUSANDS, "", token)
    wholes = [token.casefold()] if token[0] == "-" and len(token) <= MAX_WORD else []
    token = token.lstrip("-")
    if version := _VERSION.match(token):
        wholes.append(token.casefold()[:MAX_WORD])
        token = token[version.end() :]
    wholes += _wholes(token)
    words = [*dict.fromkeys(wholes)]
    for part in re.split(r"[-_./:@&\\+#]+", token):
        words += _parts(part)
    return tuple(words)


def _wholes(token: str) -> list[str]:
    """The codes in a token: itself, then what stands between slashes (the file of a path, the host of an address), then between dots."""
    levels = (r"[/\\@]+", r"[./:@\\]+")
    spans = [token, *(span.strip(":") for level in levels for span in re.split(level, token))]
    return [whole for whole in map(_whole, spans) if whole]


def _whole(token: str) -> str | None:
    """A code as one word; None for a plain word. Hyphens go where letters meet digits (XR-4200 is XR4200), and stay between numbers."""
    if not _CODE.search(token) or _PLAIN.fullmatch(token) or len(token) > MAX_WORD:
        return None
    folded = token.casefold()
    return folded.replace("-", "") if _DIGIT_AND_LETTER.fullmatch(folded) else folded


def _parts(part: str) -> list[str]:
    """The words of a stretch without joiners, apostrophes aside: "don't" is "not", "12Nm" is also 12 and Nm, "fooBar" also foo and Bar.

    "XR4200" is also XR and 4200, as "XR-4200" is (nDCG@10 on scifact's 809 training queries .7056, .6998 without).
    """
    if part.lower().endswith("n't"):
        return ["not"]
    words: list[str] = []
    for piece in _CONTRACTION.sub("", part).split("'"):
        if mixed := _NUMBER_AND_UNIT.fullmatch(piece) or _LETTERS_AND_NUMBER.fullmatch(piece):
            words += [piece, *filter(None, mixed.groups())]
        elif _HAS_CAMEL.search(piece):
            words += [piece, *_CAMEL.findall(piece)]
        elif piece:
            words.append(piece)
    return [_stem(word.casefold()[:MAX_WORD]) for word in words]


_remembered = lru_cache(_CACHE_SIZE)(_expand)
_sentence = lru_cache(_SENTENCES)(lambda text: tuple(_analysed(text)))
_local = threading.local()


def _stem(word: str) -> str:
    """The English stem. A Stemmer may not be shared by threads, so each thread has its own; its cache is off, ours is one level up."""
    if is_english_function_word(word) or not word.isalpha():
        return word
    if not hasattr(_local, "stemmer"):
        _local.stemmer = Stemmer.Stemmer("english", 0)
    stem: str = _local.stemmer.stemWord(word)
    return stem
