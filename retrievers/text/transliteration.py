"""Tells whether a katakana name may be the sound of a Latin one: ムーンライト and Moonlight, but not スミス and Google.

Pure; retrievers/text/definitions.py believes a parenthesis that holds another script only then.
"""

import re
import unicodedata

_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc-\u30ff]{2,}")
_SEGMENT = re.compile("[・･=＝゠\\s]+")
_ROWS = (
    ("ア", "a e u h o"), ("イ", "i e y"), ("ウ", "u w o v"), ("エ", "e a h"), ("オ", "o a h"),
    ("カキクケコ", "k c q ch x"), ("ガギグゲゴ", "g j"),
    ("サスセソ", "s c t z x ps"), ("シ", "s c sh x"), ("ザズゼゾ", "z s x"), ("ジ", "j g z d"),
    ("タテト", "t"), ("チ", "c t"), ("ツ", "z t"), ("ダデドヂヅ", "d"), ("ナニヌネノ", "n k g m p"),
    ("ハヘホ", "h j"), ("ヒ", "h"), ("フ", "f h p w"), ("バビブベボ", "b v"), ("パピプペポ", "p"),
    ("マミムメモ", "m"), ("ヤユヨ", "y j u e i"), ("ラリルレロ", "l r w"), ("ワ", "w v"), ("ヴ", "v w"), ("ン", "n"),
)  # fmt: skip
"""With which letters a foreign name begins that is written with this kana; rows of the syllabary sound alike."""
_BEGINS = {kana: tuple(letters.split()) for row, letters in _ROWS for kana in row}
_ENDS = {
    "ン": "nm", "ム": "me", "ス": "scezx", "ズ": "zse", "ト": "te", "ド": "de",
    "ル": "le", "ク": "kcqe", "グ": "ge", "プ": "pe", "ブ": "be", "フ": "fhe",
}  # fmt: skip
"""Letters that may stand last for the kana that carry a final consonant; others are not looked at."""


def sounds_like(kana: str, latin: str) -> bool:
    """Whether all of `kana` is katakana, and its parts begin, and its last one ends, as the Latin words do. Up to two letters of a final
    sound may be silent, and words that are not spoken may be left out in the middle."""
    parts = [part for part in _SEGMENT.split(unicodedata.normalize("NFKC", kana)) if part]
    words = re.findall("[a-z]+", unicodedata.normalize("NFKD", latin).encode("ascii", "ignore").decode().casefold())
    if not words or not all(map(_KATAKANA.fullmatch, parts)):
        return False
    if len(parts) > 1 and len(parts) != len(words):
        return False
    firsts = zip(parts, words, strict=True) if len(parts) == len(words) else [(parts[0], words[0])]
    return all(_begins(part, word) for part, word in firsts) and _ends(parts[-1].rstrip("ー"), words[-1])


def _begins(part: str, word: str) -> bool:
    return word.startswith(_BEGINS.get(part[0], ()))


def _ends(part: str, word: str) -> bool:
    letters = _ENDS.get(part[-1:], "")
    return not letters or word[-1] in letters or word[-2:-1] in letters
