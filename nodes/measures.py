"""Numbers of a claim that its passage does not give, however they are written, and units that it gives otherwise.

Shared ground of nodes/evidence.py; pure and deterministic. Nothing is converted: 1,000 g is not taken for 1 kg.
"""

import re
import unicodedata

from retrievers.types import Passage

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LIST_NUMBER = re.compile(r"^\s*\d{1,2}[.)]\s", re.MULTILINE)
_SCALED = re.compile(r"million|billion|trillion|thousand|dozens|[万億兆亿千백천만억]", re.IGNORECASE)
"""Numbers that are written in many ways: nothing is said about those."""

_SCALED_FROM = 1000
"""What a passage writes with such a word is at least this much when it is written out."""

_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()  # noqa: SIM905
_ONES = {word: value for value, word in enumerate("one two three four five six seven eight nine".split(), 1)}  # noqa: SIM905
_TENS = {word: value * 10 for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}  # noqa: SIM905
_CARDINALS = {**_ONES, **{word: value for value, word in enumerate(_TEENS, 10)}, **_TENS, "dozen": 12}
_CARDINAL = re.compile(rf"\b({'|'.join(_TENS)})[-\s]({'|'.join(_ONES)})\b|\b(?:a\s+)?({'|'.join(_CARDINALS)})\b", re.IGNORECASE)
_LONE_ONE = re.compile(r"\bone\b(?![-\s](?:full\s+)?(?:year|month|week|day|hour|minute|second)s?\b)", re.IGNORECASE)
"""A pronoun oftener than a number: "this one", "one of them"."""

_COUNTER = r"(?=[年月日週時分秒円人個回本枚台冊階名件度倍割歳泊社章条項つ号]|[かカヶケヵ箇]月)"
_KANJI_COUNT = re.compile(
    rf"(?:[二三四五六七八九十百][〇一二三四五六七八九十百]*|一[〇一二三四五六七八九十百]+|一(?=年|週間|か月|ヶ月|カ月|時間)){_COUNTER}"
)
_IDIOM = re.compile("十分(?![間後前])|二度と")

_NAMES = {
    "first": 1, "once": 1, "second": 2, "twice": 2, "both": 2, "pair": 2, "double": 2, "third": 3, "fourth": 4, "fifth": 5, "half": 50,
    "hundred": 100, "noon": 12, "midnight": 0, "january": 1, "february": 2, "march": 3, "april": 4, "june": 6, "july": 7, "august": 8,
    "september": 9, "october": 10, "november": 11, "december": 12, "正午": 12, "半": 30, "両": 2,
}  # fmt: skip
_NAME = re.compile("|".join(rf"\b{name}\b" if name.isascii() else name for name in _NAMES), re.IGNORECASE)
_MAY = re.compile(r"\bMay\b(?=,?\s+\d)|(?<=\d\s)May\b|\b(?:in|of|by|until|since)\s+May\b")
_HALF = re.compile(r"\bhalf\b|半(?=[年月日分額数期]|時間)", re.IGNORECASE)
_HALVES = re.compile(r"\bhal(?:f|ve[sd]?)\b|\b(?:50|0?\.5|1/2|30|6|12)\b|½|半|\.5|二分の一|2分の1|50|30", re.IGNORECASE)
_KANJI = re.compile("[〇一二三四五六七八九十百]+")
_DIGITS = {character: value for value, character in enumerate("〇一二三四五六七八九")}

_SYNONYMS = {
    "kg": "kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes キログラム 公斤 千克",
    "g": "g gram grams gramme grammes グラム 克",
    "mg": "mg milligram milligrams ミリグラム",
    "t": "t tonne tonnes ton tons トン 吨",
    "m": "m metre metres meter meters メートル 米",
    "cm": "cm centimetre centimetres centimeter centimeters センチ センチメートル 厘米",
    "mm": "mm millimetre millimetres millimeter millimeters ミリメートル 毫米",
    "km": "km kilometre kilometres kilometer kilometers キロメートル 公里",
    "l": "l litre litres liter liters リットル 升",
    "ml": "ml millilitre millilitres milliliter milliliters ミリリットル 毫升",
    "h": "h hr hrs hour hours 時間 小时",
    "min": "min mins minute minutes 分間 分钟 分",
    "s": "s sec secs second seconds 秒間 秒",
    "day": "day days workdays workday 日間 日 天",
    "week": "week weeks 週間 周",
    "month": "month months か月 ヶ月 カ月 ヵ月 ケ月 箇月 か月間 ヶ月間 カ月間 个月",
    "year": "year years yr yrs 年間 年",
    "yen": "yen jpy 円 日元",
    "dollar": "dollar dollars usd ドル 美元",
    "euro": "euro euros eur ユーロ 欧元",
    "%": "% percent パーセント",
    "°C": "°c 摂氏度",
    "°F": "°f 華氏度",
    "w": "w watt watts ワット",
    "kw": "kw kilowatt kilowatts キロワット",
    "nm": "nm ニュートンメートル",
    "v": "v volt volts ボルト",
    "mb": "mb megabyte megabytes メガバイト",
    "gb": "gb gigabyte gigabytes ギガバイト",
    "tb": "tb terabyte terabytes テラバイト",
}
"""The units that are compared. Left out: what means two things (m², pounds, 度, キロ), and 時 and 月, which name an hour and a month."""

_UNITS = {name: unit for unit, names in _SYNONYMS.items() for name in names.split()}
_UNIT_NAMES = "|".join(
    re.escape(name) + (r"(?![A-Za-z0-9²³^/])" if name.isascii() and name != "%" else "") + ("(?![のかけ])" if name == "分" else "")
    for name in sorted(_UNITS, key=len, reverse=True)
)
_MEASURE = re.compile(
    rf"(?<![A-Za-z\d.,])(\d+(?:[.,]\d+)*)\s*-?\s*(?:(?:working|business|calendar|consecutive|full|whole)\s+)?({_UNIT_NAMES})", re.IGNORECASE
)
_PRICE = re.compile(r"([$€¥])\s?(\d+(?:[.,]\d+)*)")
_SIGNS = {"$": "dollar", "€": "euro", "¥": "yen"}


def invented_number(claim: str, quote: str, passage: Passage, question: str) -> str | None:
    """A number of the claim that stands neither in the passage nor in the question, however it is written there; None if there is none."""
    around = "\n".join([passage["title"], *passage["heading_path"], passage["text"], quote, question])
    if _SCALED.search(claim):
        return None
    known = _numbers(around)
    plain = _in_digits(_LIST_NUMBER.sub("", claim))
    measured = {number for number, _ in _measures(plain)}
    wanted = {number for number in _digits(plain) if number not in known and not (number not in measured and _otherwise(number, known))}
    if _SCALED.search(around):
        wanted = {number for number in wanted if float(number if number.replace(".", "", 1).isdigit() else _SCALED_FROM) < _SCALED_FROM}
    if _HALF.search(claim) and not _HALVES.search(unicodedata.normalize("NFKC", around)):
        wanted.add("half")
    return min(wanted, default=None)


def other_unit(claim: str, sentence: str, passage: Passage, question: str) -> str:
    """The number of the claim that stands in the passage with another unit, with both; empty when none does or one side has no unit.

    What `sentence`, where the quote stands, says of a number goes before the rest of the passage.
    """
    near, far = _in_digits(sentence), _in_digits("\n".join([passage["text"], sentence]))
    asked = _measures(_in_digits(question))
    for number, unit in sorted(_measures(_in_digits(claim))):
        source = near if number in _digits(near) else far
        given = {its for count, its in _measures(source) if count == number}
        if given and unit not in given and (number, unit) not in asked:
            return f"{number} {unit} is {number} {min(given)} there"
    return ""


def _measures(text: str) -> set[tuple[str, str]]:
    """Numbers with the unit that follows them, or the currency before."""
    prices = {(number, _SIGNS[sign]) for sign, digits in _PRICE.findall(text) for number in _digits(digits)}
    return prices | {(number, _UNITS[name.casefold()]) for digits, name in _MEASURE.findall(text) for number in _digits(digits)}


def _otherwise(number: str, known: set[str]) -> bool:
    """Whether it may be a known one written in another way: 18 for 6 in the evening, 98 for 1998."""
    hours = number.isdigit() and 12 <= int(number) <= 24 and str(int(number) - 12) in known
    return hours or (len(number) <= 2 and any(len(other) == 4 and other.isdigit() and other[-2:].lstrip("0") == number for other in known))


def _in_digits(text: str) -> str:
    """`text` in NFKC with its number words as digits; 一 and "one" only where they count."""
    plain = unicodedata.normalize("NFKC", text)
    idioms = {at for found in _IDIOM.finditer(plain) for at in range(*found.span())}
    plain = _KANJI_COUNT.sub(lambda found: found[0] if found.start() in idioms else str(_from_kanji(found[0])), plain)
    return _CARDINAL.sub(_spelt, _LONE_ONE.sub("an", plain))


def _spelt(found: re.Match[str]) -> str:
    tens, ones, single = found.groups()
    return str(_TENS[tens.casefold()] + _ONES[ones.casefold()]) if tens else str(_CARDINALS[single.casefold()])


def _numbers(text: str) -> set[str]:
    """All that a passage may mean: also ordinals, months and every kanji numeral."""
    named = {str(_NAMES[found.casefold()]) for found in _NAME.findall(text)} | ({"5"} if _MAY.search(text) else set())
    spelt = {_spelt(found) for found in _CARDINAL.finditer(text)}
    kanji = {str(_from_kanji(found)) for found in _KANJI.findall(text)}
    return _digits(text) | _digits(_in_digits(text)) | named | spelt | kanji


def _digits(text: str) -> set[str]:
    """The numbers written with digits: without separators, leading zeros and empty decimals; one of several dots also by its parts."""
    found: set[str] = set()
    for number in _NUMBER.findall(unicodedata.normalize("NFKC", text)):
        plain = re.sub(r",(?=\d{3}(?!\d))", "", number)
        parts = re.split(r"[.,]", plain)
        found.add(f"{int(parts[0])}.{parts[1].rstrip('0')}".rstrip(".") if len(parts) == 2 else plain.lstrip("0") or "0")
    return found


def _from_kanji(number: str) -> int:
    """二十四 is 24, 百二 is 102, 二〇二四 is 2024."""
    if not set(number) & set("十百"):
        return int("".join(str(_DIGITS[character]) for character in number))
    total, digit = 0, 0
    for character in number:
        if character in _DIGITS:
            digit = _DIGITS[character]
        else:
            total, digit = total + (digit or 1) * (10 if character == "十" else 100), 0
    return total + digit
