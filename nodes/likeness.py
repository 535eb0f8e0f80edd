"""Whether a quote tells anything, whether a claim speaks of what it quotes, and whether it names somebody else: by their words.

Shared ground of nodes/evidence.py; pure. Words of two languages cannot be compared, and nothing is said about those.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from retrievers.text.analysis import analyse, query_words
from retrievers.text.language import language_of, other_scripts
from retrievers.text.sentences import sentences
from retrievers.text.units import units
from retrievers.types import Passage

_LEFT = re.compile(r"(?:^|[\n|.。!！?？:：;；(（「『“\"])[\s*_`>#-]*$")
_RIGHT = re.compile(r"^[\s*_`]*(?:$|[\n|.。!！?？:：;；)）」』”\"])")
_CLOSED = re.compile(r"[.。!！?？|][\s*_`]*$")
_WIDE = re.compile("[\u3005\u3400-\u9fff\uf900-\ufaff\u30a1-\u30fa\u30fc\uac00-\ud7ff]")
_KANA = re.compile("[ぁ-ん]")
_WORD = re.compile(r"[^\W\d_]{2,}|\d")
_WIDE_LEAST = 2
"""Characters of Japanese or Chinese that are a word."""

_STEM = 5
"""Letters by which two words are taken for forms of one: delivery and delivers, Japan and Japanese."""

_BARE = frozenset(analyse("yes no both once twice also each same other such like one two only")) | {"not"}
"""They say nothing of their own."""

_YES_OR_NO = re.compile(r"(?:yes|no)[.!]?", re.IGNORECASE)

_SENSES = (
    r"\b(?:allow|permi|may\b|can\b|cannot|could|must|able|possible|forbid|prohibit|ban|ok\b|fine\b|right|entitle|welcome|not\b)|[許可認禁能]|でき|ません",
    r"\b(?:must|need|requir|necess|have to|has to|mandatory|compulsory|oblig|should|essential|only)|[必要須義]|なければ|こと",
    r"\b(?:free|charg|cost|fee|price|pay|paid|gratis|cheap|expens|bill)|[$€£¥]|無料|無償|有料|費|料|[円額]|かか",
    r"\b(?:end|finish|expir|stop|clos|until|over\b|complet)|[終止閉了切]|まで",
    r"\b(?:begin|start|open|launch|from|commenc)|[開始]|から",
    r"\b(?:contain|includ|compris|come with|comes with|consist|hold|suppl|deliver)|[含付属込同梱]",
    r"\b(?:break|broke|fault|fail|defect|damag|repair|fix|replac)|[壊故障修理損換]",
    r"\b(?:big|large|small|size|long|wide|tall|high|measur|dimension)|[大小長幅高寸]",
    r"\b(?:leave|absen|holiday|vacation|day off|days off|time off)|[休暇欠]",
    r"\b(?:job|work|staff|employ|worker|team|colleague)|[職員社従業勤働]",
    r"\b(?:money|refund|reimburs|return|repay|paid back|get back)|[返払戻]",
    r"\b(?:erase|delet|remov|wipe|discard|purge|clear|destroy)|[消削除廃]",
    r"\b(?:keep|kept|stor|retain|sav|preserv|hold|held|archiv)|[保存蓄残]",
    r"\b(?:home|remote|telework|telecommut)|在宅|自宅|リモート|テレワーク",
)
"""Words that stand for one another in a paraphrase; the short list of what answers about rules and products say most."""

_NAME = re.compile(r"(?<![\w'’-])[A-Z][\w'’]*[^\W\d_](?:-[A-Z]\w+)*")
_NO_NAME = frozenset("January February March April May June July August September October November December OK Yes No".split())  # noqa: SIM905
_OFFICE = re.compile(r"(?<=[Tt]he )[A-Z][a-z]+(?= [a-z])")
"""The Emperor, the Company: a noun with a capital, which names nobody."""

_SINGULAR = re.compile(r"^\s+(is|was|has|had|will|does|did|says|said|may|must|can|[a-z]{2,}(?:ed|[^s]s))\b")
_TITLED = re.compile(r"(?:Mr|Mrs|Ms|Dr|Prof)\.?\s+$")
_SURNAMES = (  # noqa: SIM905
    "佐藤 鈴木 高橋 田中 伊藤 渡辺 渡邊 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 斎藤 斉藤 清水 山崎 阿部 池田 橋本 "
    "石川 山下 小川 石井 長谷川 後藤 岡田 近藤 前田 藤田 遠藤 青木 坂本 村上 太田 金子 藤井 福田 西村 三浦 竹内 中川 岡本 松田 "
    "中野 原田 小野 田村 藤原 中山 石田 小島 和田 森田 内田 柴田 酒井 宮崎 横山 高木 安藤 宮本 大野 谷口 今井 工藤 高田 増田 丸山 "
    "杉山 村田 大塚 新井 平野 藤本 河野 上野 野口 武田 松井 千葉 岩崎 菅原 木下 久保 佐野 野村 松尾 市川 菊地 菊池 杉本 古川 "
    "東京 大阪 京都 名古屋 横浜 神戸 福岡 札幌 仙台 広島 沖縄 北海道 埼玉 奈良 新潟 静岡 長野 熊本 鹿児島 岡山 金沢"
).split()
"""The commonest surnames, and cities: kanji do not show by themselves that they name somebody."""

_KANJI_NAME = re.compile(
    rf"(?<![一-龠々])(?:{'|'.join(_SURNAMES)})|[一-龠々]{{2,4}}(?=さん|氏(?!名)|(?:部|課|係|社)長)|[ァ-ヶー・]{{2,}}(?=さん|氏|様)"
)
_KATAKANA = re.compile(r"([ァ-ヶー・]{2,})(?=([はがもをにのと][一-龠ァ-ヶぁ-んA-Za-z0-9]))")
"""A word with what follows it: one katakana word in the very place of another is another thing, elsewhere it may be a paraphrase."""


@dataclass(frozen=True)
class Ground:
    """The sentences that hold a quote, and what stands over them: title, headings, table header, a FAQ's question."""

    sentence: str
    above: str


def ground(start: int, end: int, passage: Passage) -> Ground:
    """Of the quote at `start:end` of the passage's text; a long block gives only the lines that the quote touches."""
    text = passage["text"]
    held = [unit for unit in units(text) if unit.start < end and start < unit.end]
    spans = [(unit.start + first, unit.start + last) for unit in held for first, last in sentences(text[unit.start : unit.end])]
    near = [span for span in spans if span[0] < end and start < span[1]]
    first, last = min([start, *(span[0] for span in near)]), max([end, *(span[1] for span in near)])
    above = [passage["title"], *passage["heading_path"], *(text[slice(*unit.header)] for unit in held if unit.header)]
    before = [text[unit.start : unit.end] for unit in units(text) if unit.end <= first]
    return Ground(text[first:last], "\n".join([*above, *(before[-1:] if before and before[-1].rstrip().endswith(("?", "？")) else [])]))


def tells(text: str, start: int, end: int, claim: str) -> bool:
    """Whether the quote says something: a number, two words of weight, a whole sentence or cell, or one word that the claim repeats."""
    quote = text[start:end].strip()
    words = [word for word in query_words(quote) if len(word) > 1 or _WIDE.match(word)]
    if re.search(r"\d", quote) or len(_WIDE.findall(quote)) > _WIDE_LEAST:
        return True
    if not (words or _KANA.search(quote)):
        return False
    whole = _LEFT.search(text[:start]) and (_CLOSED.search(quote) or _RIGHT.search(text[end:]))
    bare = quote.strip(" .,:;!?。、！？*_`|\"'“”「」()（）")
    alone = len(analyse(bare)) == 1 or _WIDE.fullmatch(bare[:1]) is not None
    return bool(whole or len({word for word in words if word.isascii()}) > 1 or (alone and words and bare.casefold() in claim.casefold()))


def states(claim: str) -> bool:
    """Whether the claim has a word at all, beyond single letters."""
    words = query_words(claim)
    return (
        bool(words and _WORD.search(claim))
        or bool(_YES_OR_NO.fullmatch(claim.strip()))
        or len(_KANA.findall(claim)) + len(_WIDE.findall(claim)) >= _WIDE_LEAST
    )


def speaks_of(claim: str, on: Ground, passage: Passage, question: str) -> bool:
    """Whether one word of the claim, beyond the subject of the question, stands where the quote does, or one of its sense.

    One is enough: a paraphrase keeps few. True where words cannot tell, and for a claim that adds nothing to the subject.
    """
    mine, theirs = language_of(claim), language_of(on.sentence)
    theirs = language_of(passage["text"]) if theirs == "und" else theirs
    if mine != theirs:
        return True
    subject = set(query_words(question)) & set(analyse("\n".join([passage["title"], *passage["heading_path"]])))
    own = _weighty(query_words(claim)) - subject - _BARE
    held = _weighty(analyse(f"{on.sentence}\n{on.above}")) - subject
    if not own or any(_alike(word, other) for word in own for other in held):
        return True
    return any(re.search(sense, claim, re.IGNORECASE) and re.search(sense, on.sentence, re.IGNORECASE) for sense in _SENSES)


def _weighty(words: Iterable[str]) -> set[str]:
    """Without pieces of kana, which are endings, and single letters."""
    return {word for word in words if not _KANA.search(word) and (len(word) > 1 or not word.isascii() or word.isdigit())}


def _alike(word: str, other: str) -> bool:
    return word == other or (word.isalpha() and word.isascii() and len(word) >= _STEM and word[:_STEM] == other[:_STEM])


def foreign_name(claim: str, on: Ground, passage: Passage, question: str) -> str:
    """A name in the claim that stands neither where the quote does nor over it nor in the question; empty when there is none.

    Where the quote's sentence names nobody that the claim leaves out ("she was excused"), the whole passage may name them.
    """
    claim = unicodedata.normalize("NFKC", claim)
    near = unicodedata.normalize("NFKC", "\n".join([on.sentence, on.above, question]))
    whole = "\n".join([near, unicodedata.normalize("NFKC", passage["text"])])
    if language_of(on.sentence) in other_scripts(language_of(claim)):
        return _latin_across(claim, on.sentence, whole)
    return _latin(claim, on.sentence, near, whole) or _japanese(claim, on.sentence, near, whole)


def _latin(claim: str, sentence: str, near: str, whole: str) -> str:
    replaced = any(not _stands(name, claim) for name in _names(sentence))
    pool = near if replaced else whole
    kinds = {_kind(name) for name in _names(sentence) if not _stands(name, claim)} | {"name"}
    named = next((name for name in _names(claim) if _kind(name) in kinds and not _stands(name, pool)), "")
    return named or _first_word(claim, sentence, whole if not replaced else near)


def _kind(name: str) -> str:
    """An acronym (API) and an adjective of a people (French) may paraphrase: those count only in place of another one."""
    return "acronym" if name.isupper() else "people" if re.search(r"(?:ese|ish|[ei]an|n?ch)$", name) else "name"


def _names(text: str) -> list[str]:
    """Capitalised words within a sentence, and at its start after "Dr"; none of a text whose words all have capitals."""
    words = re.findall(r"[^\W\d_]{4,}", _OFFICE.sub(" ", text))
    if len(words) > 1 and all(word[0].isupper() for word in words):
        return []
    found: list[str] = []
    for start, end in sentences(text):
        sentence = _OFFICE.sub(" ", text[start:end])
        matches = [match for match in _NAME.finditer(sentence) if match[0] not in _NO_NAME and not _is_function(match[0])]
        for match in matches:
            opens = not re.search(r"\w", sentence[: match.start()]) or re.search(r"[:：“\"「(]\s*$", sentence[: match.start()])
            if not opens or _TITLED.search(sentence[: match.start()]):
                found.append(match[0])
    return found


def _is_function(word: str) -> bool:
    return not query_words(word.casefold())


def _stands(name: str, pool: str) -> bool:
    """By its first letters, or as the initials of words that follow each other, or as such words of initials."""
    name = re.sub(r"['’]s?$", "", name)
    if name.casefold()[: max(4, len(name) - 3)] in pool.casefold():
        return True
    capitals = "".join(word[0] for word in re.findall(r"\b[A-Z][a-z]+", pool))
    return (name.isupper() and name in capitals) or any(name[0] in initials for initials in re.findall(r"\b[A-Z]{2,5}\b", pool))


def _first_word(claim: str, sentence: str, pool: str) -> str:
    """A first word that takes the place of another one: "Okafor was excused." for "Lindqvist was excused."."""
    mine, theirs = (_NAME.match(text.lstrip(' *_“"')) for text in (claim, sentence))
    if not mine or not theirs or _is_function(mine[0]) or _is_function(theirs[0]) or _stands(mine[0], pool) or _stands(theirs[0], claim):
        return ""
    after = [_SINGULAR.match(found.string[found.end() :]) for found in (mine, theirs)]
    return mine[0] if after[0] and after[1] and after[0][1] == after[1][1] else ""


def _latin_across(claim: str, sentence: str, whole: str) -> str:
    """A Latin name over Japanese text, which mostly writes it in its own way: only one in place of another Latin name is told."""
    mine = [name for name in re.findall(r"\b[A-Z][a-z]{2,}\b", claim) if not _is_function(name)]
    theirs = [name for name in re.findall(r"[A-Z][a-z]{2,}", sentence) if not _stands(name, claim)]
    names = [name for name in mine if not _stands(name, whole)]
    singular = [name for name in names if name in _names(claim) or _SINGULAR.match(claim[len(name) :])]
    return singular[0] if theirs and singular else ""


def _japanese(claim: str, sentence: str, near: str, whole: str) -> str:
    names = [found[0] for found in _KANJI_NAME.finditer(sentence)]
    pool = near if any(name not in claim for name in names) else whole
    for found in _KANJI_NAME.finditer(claim):
        if found[0] not in pool:
            return found[0]
    frames = {frame: word for word, frame in _KATAKANA.findall(sentence) if word not in claim}
    for word, frame in _KATAKANA.findall(claim):
        if word not in whole and frame in frames and word[:_WIDE_LEAST] != frames[frame][:_WIDE_LEAST]:
            return str(word)
    return ""
