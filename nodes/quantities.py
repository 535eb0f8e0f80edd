"""Numbers in a text whatever way they are written, and the kinds of answer that a question asks for by its words.

Shared ground of the checks without a model; pure.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

_CARDINALS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_SPOKEN: Mapping[str, str] = {
    **{word: str(value) for value, word in enumerate(_CARDINALS.split())},
    **{word: str(value) for value, word in enumerate(_ORDINALS.split(), 1)},
    "hundred": "100",
    "hundreds": "100",
    "century": "100",
    "centuries": "100",
    "thousand": "1000",
    "thousands": "1000",
}
_HAN = {ord(character): str(value) for value, character in enumerate("〇一二三四五六七八九")}
_HAN_UNITS = {"百": "100", "千": "1000", "世紀": "100", "世纪": "100"}
_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
"""The year before an era's first."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_ERA_YEAR = re.compile(r"(明治|大正|昭和|平成|令和)\s*(元|\d{1,2})年")
_SHORT_RANGE = re.compile(r"(\d\d)(\d\d)\s*[-–~〜/]\s*(\d\d)(?!\d)")
"""2003-04."""


def numbers(text: str, *, spoken: bool = True) -> set[str]:
    """The numbers in digits, without separators of thousands: `35,000` and 三五 too. `spoken`: also those in words, in eras and ranges."""
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", unicodedata.normalize("NFKC", text).casefold())
    digits = plain.translate(_HAN)
    found = {*_NUMBER.findall(plain), *_NUMBER.findall(digits)}
    if spoken:
        found |= {_SPOKEN[word] for word in re.findall(r"[a-z]+", plain) if word in _SPOKEN}
        found |= {value for unit, value in _HAN_UNITS.items() if unit in plain}
        found |= {str(_ERAS[era] + (1 if year == "元" else int(year))) for era, year in _ERA_YEAR.findall(digits)}
        found |= {century + end for century, _, end in _SHORT_RANGE.findall(plain)}
    return found


@dataclass(frozen=True)
class AnswerKind:
    """A kind of answer: how questions ask for it, what a text must hold, its names; `counted`: a number of its own does too."""

    asks: re.Pattern[str]
    holds: re.Pattern[str]
    named: Mapping[str, str]
    counted: bool = True


_TIME_WORDS = (
    r"\b(?:centur(?:y|ies)|decades?|years?|months?|weeks?|days?|hours?|minutes?|seconds?|daily|weekly|monthly|yearly|annual(?:ly)?|today|"
    r"yesterday|tomorrow|mornings?|noon|midday|evenings?|nights?|midnight|spring|summer|autumn|fall|winter|easter|christmas|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december|"
    r"when(?:ever)?|if|once|after|before|during|while|until|till|since|upon|every|each|always|never|immediately|now|current(?:ly)?|period|"
    r"age|era|reign|war|times?|indefinitely|forever|permanent(?:ly)?|soon|later|early|late|first|last|as long as|by the)\b"
    r"|[年月日時分秒週曜朝昼夕夜晩春夏秋冬今昔後前頃际时周]|世[紀纪]|時代|当時|毎|常|現在|最|初|期|すぐ|いつでも|ずっと|まで|から"
)
_COUNT_WORDS = (
    r"\b(?:dozens?|hal(?:f|ves)|quarters?|several|both|once|twice|single|double|triple|couple|pair|none|no|few|many|all|every|an?|"
    r"m?illions?|billions?)\b|[一二三四五六七八九十百千万億亿両两数半全無零倍]|すべて|なし"
)

_KINDS = (
    AnswerKind(
        re.compile(
            r"\bhow much (?:does|do|did|will|would)\b.*\b(?:cost|pay)\b|\bhow much (?:is|are) the (?:price|fee|cost)\b|"
            r"\bwhat (?:is|are|was|were) the (?:price|cost|fee)\b|"
            r"いくら(?:です|します|しま|か|かか|になり|[?？]|$)|(?:料金|値段|価格|費用)は|多少钱"
        ),
        re.compile(
            r"[$€£¥₩]|\b(?:usd|eur|gbp|jpy|dollars?|pounds?|euros?|yen|cents?|pence|francs?|free|gratis|price[sd]?|costs?|fees?)\b|"
            r"[円元]|ドル|ユーロ|ポンド|ウォン|無料|無償|有料|[億万]|免费"
        ),
        {"en": "an amount of money", "ja": "金額"},
        counted=False,
    ),
    AnswerKind(
        re.compile(r"\b(?:what|which) colou?rs?\b|何色|色は何|どんな色|什么颜色"),
        re.compile(
            r"\b(?:red|blue|green|yellow|white|black|orange|purple|violet|brown|gr[ae]y|pink|gold(?:en)?|silver|colou?r\w*|transparent|"
            r"clear|crimson|beige|tan|navy|cyan|magenta|amber|cream|ivory|dark|bright|light)\b|"
            r"[赤青緑黄白黒橙紫茶灰桃金銀紺藍朱色红绿蓝黑银]|透明|ピンク|オレンジ|グレー|ベージュ|ブルー|レッド|グリーン|ホワイト|ブラック|イエロー"
        ),
        {"en": "a colour", "ja": "色"},
        counted=False,
    ),
    AnswerKind(
        re.compile(
            r"^\W*how many\b|\bhow many\b[^.]*\?|\bwhat (?:percentage|percent|share) of\b|いくつ(?!か)|"
            r"何(?:人|個|回|本|枚|台|冊|匹|頭|軒|校|店|種類|点|度|割|倍|パーセント|%|隻|棟|名|件|社|カ所|か所|箇所)|多少(?!钱)|几(?:个|名|次|人)"
        ),
        re.compile(_COUNT_WORDS),
        {"en": "a number", "ja": "数"},
    ),
    AnswerKind(
        re.compile(
            r"^\W*(?:(?:in|on|by|since|from|until|till|at|during) )?(?:when|(?:what|which) (?:year|date|day|month|century|decade|time))\b|"
            r"^\W*how (?:long|often)\b|"
            r"いつ(?:から|まで)(?!も)|いつ(?:に|頃|ごろ)?(?:[、,。?はにで]|です|だ|なの|か|$)|何(?:年|月|日|時|世紀|曜)|什么时候|哪一?年|何时"
        ),
        re.compile(_TIME_WORDS),
        {"en": "a date or a time", "ja": "日時"},
    ),
)
"""Who and where are not among them: a name or a place cannot be told from other words by its form."""


def _measure(asks: str, units: str, units_ja: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    number = (
        r"(?:\d|\b(?:half|one|two|three|four|five|six|seven|eight|nine|ten|"
        r"eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|dozens?|hundreds?|thousands?|m?illions?)\b)[\d.,]*"
    )
    return re.compile(asks), re.compile(rf"{number}[\s-]*(?:(?:{units})(?![a-z])|{units_ja})")


_MEASURES = (
    _measure(
        r"\bhow heavy\b|\bhow much (?:do|does|did)\b.*\bweigh\b|\bweights? of\b|重さ|重量|体重|どの(?:くらい|程度)重",
        r"kg|kilos?|kilogram(?:me)?s?|g|gram(?:me)?s?|mg|t|tons?|tonnes?|lbs?|pounds?|oz|ounces?|stone",
        "キロ|グラム|ミリグラム|トン|ポンド|[千克]|公斤|吨",
    ),
    _measure(
        r"\bhow (?:tall|high|wide|deep|thick|far)\b|\b(?:height|width|depth|length|distance|diameter)s? (?:of|from|between|to)\b|"
        r"高さ|長さ|幅|深さ|距離|直径|身長|全長|何(?:キロ|メートル|センチ)|どの(?:くらい|程度)(?:高|長|広|深|遠)",
        r"[kcm]?m|(?:kilo|centi|milli)?met(?:re|er)s?|miles?|mi|f(?:ee|oo)t|ft|inch(?:es)?|yards?|light[- ]years?",
        "キロ|メートル|センチ|ミリ|マイル|フィート|インチ|[里丈尺米]|公里",
    ),
    _measure(r"\bhow old\b|\bage (?:of|was|is)\b|何[歳才]|築何年", r"years?|months?|weeks?|days?|yrs?|centur(?:y|ies)", "[歳才年岁]"),
    _measure(
        r"\bhow fast\b|\bspeeds? of\b|速度|速さ|時速|どの(?:くらい|程度)速",
        r"km/h|kph|kmh|mph|m/s|knots?|(?:miles?|kilomet(?:re|er)s?|met(?:re|er)s?|feet) (?:per|an?) (?:hour|second)",
        "キロ|メートル|ノット|km(?=[ぁ-ん])",
    ),
    _measure(r"\bhow (?:hot|cold|warm|cool)\b|\btemperatures?\b|気温|温度", r"°\s?[cfk]?|degrees?|celsius|fahrenheit|kelvin|[kcf]", "度"),
    (re.compile(r"\bhow (?:expensive|cheap)\b"), _KINDS[0].holds),
)
"""How a question asks for a measure, and a number with a unit of it. A text may give it otherwise ("twice as heavy"): that a sentence
has one is a reason to quote it, that none has is no reason to say that there is no answer.
"""


def asked_measure(question: str) -> re.Pattern[str] | None:
    """What a sentence holds, in small letters, that gives the measure that the question asks for; None for any other question."""
    asked = unicodedata.normalize("NFKC", question).casefold()
    return next((holds for asks, holds in _MEASURES if asks.search(asked)), None)


def asked_kind(question: str) -> AnswerKind | None:
    """The kind of answer that the question's words ask for, if one can be told; the first that fits."""
    asked = unicodedata.normalize("NFKC", question).casefold()
    return next((kind for kind in _KINDS if kind.asks.search(asked)), None)


def holds_kind(text: str, kind: AnswerKind, known: set[str]) -> bool:
    """Whether `text` holds such an answer: a number beyond the `known` ones of the question, or words of the kind."""
    return kind.holds.search(text.casefold()) is not None or (kind.counted and bool(numbers(text) - known))
