"""Whether a claim says yes where its sentence says no, or the other way round: English, Japanese and Chinese.

Shared ground of nodes/evidence.py; pure. In doubt it says nothing: what is negated must be a word that both sides hold, and a limit
("not longer than", "not before") turns a negation into something else.
"""

import re
import unicodedata
from collections.abc import Sequence

from retrievers.text.analysis import analyse, query_words
from retrievers.text.language import language_of, other_scripts

_WITHOUT = re.compile(r"\bwithout\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[;；,、，。!?！？\n]|\.(?=\s|$)|\bbut\b|\bhowever\b|ただし|(?<=[すたるい])が(?=、)", re.IGNORECASE)
_NO_NEGATION = re.compile(
    r"\bnot\s+(?:only|just|merely|solely|necessarily|more|less|later|earlier|fewer|longer)\b|\bwhether\s+or\s+not\b|\bif\s+not\b|"
    r"\bno\s+(?:later|more|less|fewer|earlier|sooner|longer)\s+than\b|\bno\s+matter\b|\bnothing\s+but\b|\bno\.?\s*\d|"
    r"少なくな|だけ(?:で|じゃ)(?:は)?な|ばかり(?:で|じゃ)(?:は)?な|のみ(?:で|じゃ)(?:は)?な|のみならず|かもしれ(?:ない|ません)|"
    r"(?:に|と)(?:違い|相違)(?:ない|ありません)|にほかなら|(?:す|過)ぎ(?:ない|ません)|な(?:ければ|くては|いと)|ざるを得|少ない|ないか(?=$|[。?？])|"
    r"必ず|ないように|ない(?:場合|とき|時|限り|うち)|不(?:仅|但|只|少|同|过|断|久|超过|足|论|管|得不|可或缺)|无论|非常|未来|除非",
    re.IGNORECASE,
)
"""What looks like a negation and is none, or one that a paraphrase does without."""

_CONTRAST = re.compile(r"\bnot\b(?=[^.;]*?\bbut\b)|,\s*(?:and\s+)?not\b|ではなく|じゃなく|而不是", re.IGNORECASE)
"""In a claim, "35 days, not 30": what it says is said without it."""

_ENGLISH = re.compile(r"\b(?:not|never|no|nobody|nothing|none|neither|nor|cannot|without)\b|\b\w+n['’]t\b", re.IGNORECASE)
_LIMIT = re.compile(
    r"\b(?:until|till|unless|except|only|before|after|than|beyond|over)\b|を?[超越]え|以[上下外内]|より|しか|だけ|のみ|まで|限り|場合|超过",
    re.IGNORECASE,
)
_PERMITS = frozenset(analyse("allowed permitted able possible supposed entitled advised need needed"))
_LIGHT = frozenset(analyse("longer any yet ever always been being one more"))
_NEEDS_OBJECT = frozenset(analyse("use do make take put have give get"))
"""Verbs that say nothing without what follows: "do not use soap" leaves "use water" alone."""

_REFUSES = re.compile(
    r"\b(?:exclu|prohibit|forbid|forbad|bann?(?:ed|s|ing)?\b|den(?:y|ied|ies)|refus|reject|lack|fail|avoid|except|unless|void|im?possible|"
    r"un\w{4,}|instead|rather|exempt|free\b|refrain|stop)|[禁除外無避拒断控]|不可|不要|不能|未",
    re.IGNORECASE,
)
"""Words that say no by themselves."""

_JAPANESE = re.compile(
    r"([一-龠々]+|[ァ-ヶー]+)[ぁ-ん]{0,10}?(?:ません|な(?:い(?!し)|かった|く(?=[、。]|$))|せず|ずに)|([一-龠々ァ-ヶー]+?)[はがも]?(?:不可|禁止|不要)"
)
_CHINESE = re.compile(r"(?:不|没有?|沒有?|未|无|無|别|勿|禁止)(?:能|可以|可|得|会|會|要|应|应该|需|必)?([一-龠]{1,2})")
_KANA = re.compile("[ぁ-んァ-ヶ]")

_CLOSING_NO = re.compile(r"(?:ません(?:でした)?|ない|なかった|不可|禁止|できず)(?:です|である)?[。.\s]*$")
_NEGATIVE_ENGLISH = re.compile(
    r"\b(?:un|in|im|non|dis)-?\w{4,}|\b(?:prohibit|forbid|forbad|ban|den[iy]|refus|lack|fail|exclud|reject|only|unless|except|free|less|"
    r"must|should|at\s+(?:most|least)|up\s+to|avoid|stop|keep|closed|absent|missing|void|other|few|hard|rare|need)\w*",
    re.IGNORECASE,
)
_NEGATIVE_JAPANESE = re.compile(
    r"ない|ません|なく|ず|なし|無|不|非|未|禁|除|以[外下上内]|のみ|だけ|しか|限|断|まで|超|停|止|控|避|欠|失|閉|休|ぬ|没|别|勿|遠慮"
)


def contradicts(claim: str, sentence: str) -> str:
    """The word that only one of both negates; empty when there is none or it cannot be told. Two such words are no contradiction."""
    claim, sentence = (_NO_NEGATION.sub(" ", unicodedata.normalize("NFKC", text)) for text in (claim, sentence))
    if language_of(sentence) in other_scripts(language_of(claim)):
        return _across(claim, sentence)
    said = _CONTRAST.sub(" ", claim)
    mine, theirs = _clauses(said), _clauses(sentence)
    if not any(_is_negative(clause) for clause in mine):
        return "" if _REFUSES.search(said) else _difference(theirs, mine)
    return "" if _REFUSES.search(sentence) or any(_is_negative(clause) for clause in theirs) else _difference(mine, theirs)


def _difference(negative: Sequence[str], plain: Sequence[str]) -> str:
    """Beside another negation, "without" counts with it only: "without a helmet nobody may enter" is "wear a helmet"."""
    word = _odd(_flipped(negative, plain))
    bare = [_WITHOUT.sub(" ", clause) for clause in negative]
    return word if not any(map(_is_negative, negative)) or _odd(_flipped(bare, plain)) else ""


def _odd(flipped: Sequence[str]) -> str:
    return flipped[0] if len(flipped) % 2 else ""


def _clauses(text: str) -> list[str]:
    return [clause for clause in _CLAUSE.split(text) if clause.strip()]


def _is_negative(clause: str) -> bool:
    """Without is none: whoever leaves out its "never" must not be excused by it."""
    return bool(_negated(_WITHOUT.sub(" ", clause)))


def _flipped(negative: Sequence[str], plain: Sequence[str]) -> list[str]:
    """What a clause of `negative` negates and `plain` does not, unless another clause that fits `plain` as well has it unnegated."""
    words, text = set(analyse(" ".join(plain))), " ".join(plain)
    spared = {word for clause in plain for group in _negated(clause) for word in _told(group)}
    found: list[str] = []
    for clause in negative:
        fit = len(words & set(analyse(clause)))
        for group in _negated(clause, text):
            hit = next((word for word in _told(group) if _holds(text, words, word) and word not in spared), "")
            if group[0] in _NEEDS_OBJECT and len(group) > 1 and not _holds(text, words, group[1]):
                continue
            others = [other for other in negative if other is not clause and len(words & set(analyse(other))) >= fit]
            if hit and not any(_holds(other, set(analyse(other)), hit) for other in others):
                found.append(hit)
    return found


def _told(group: Sequence[str]) -> Sequence[str]:
    return group if group[0] in _PERMITS else group[:1]


def _holds(text: str, words: set[str], word: str) -> bool:
    return word in words if word.isascii() else word in text


def _negated(clause: str, against: str | None = None) -> list[list[str]]:
    """The words that each negation of the clause may be about; none for one with a limit that `against` does not have."""
    if against is not None and any(limit[0] not in against for limit in _LIMIT.finditer(clause)):
        return []
    groups = [_english(clause[found.end() :]) for found in _ENGLISH.finditer(clause)]
    groups += [[found[1] or found[2]] for found in _JAPANESE.finditer(clause)]
    if not groups and not _KANA.search(clause):
        groups += [[found[1]] for found in _CHINESE.finditer(clause)]
    return [group for group in groups if group]


def _english(rest: str) -> list[str]:
    """The first word of weight after a negation, and the next one where the first only permits or needs an object."""
    words = [word for raw in re.findall(r"[A-Za-z][\w'’-]*", rest) if not raw.endswith("ly") for word in query_words(raw)[:1]]
    words = [word for word in words if word not in _LIGHT]
    return words[:2] if words and words[0] in _PERMITS | _NEEDS_OBJECT else words[:1]


def _across(claim: str, sentence: str) -> str:
    """English over Japanese or Chinese: the sentence ends in a no of which the claim shows nothing, or the claim has one and it none."""
    if language_of(claim) != "en":
        return ""
    negative = _ENGLISH.search(claim)
    if negative is None and len(_clauses(sentence)) == 1 and _CLOSING_NO.search(sentence) and not _LIMIT.search(sentence):
        return "" if _NEGATIVE_ENGLISH.search(claim) else "not"
    return negative[0] if negative and not _CONTRAST.search(claim) and not _NEGATIVE_JAPANESE.search(sentence) else ""
