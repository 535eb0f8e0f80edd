"""Finds names in Japanese and Chinese: katakana, kanji before a suffix or an honorific, quoted titles, Latin words among kana.

Pure; one of the finders behind retrievers/text/names.py.
"""

import re
from collections.abc import Iterator
from itertools import chain

from retrievers.entities import EntityKind
from retrievers.text.loanwords import ORDINARY_KATAKANA
from retrievers.text.spelling import Spelling, name_key

_KANJI = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_NAME = rf"{_KANJI}ヶケ\u30a1-\u30fa\u30fc-\u30ffA-Za-z0-9"
CJK = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f]")

_KANA_ONE = "[\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f]"
_KATAKANA = re.compile(
    f"(?![ーｰ・･])(?:{_KANA_ONE}{{3,}}(?:[・･=＝゠]{_KANA_ONE}+){{0,5}}|{_KANA_ONE}{{1,2}}(?:[・＝]{_KANA_ONE}{{2,}}){{1,5}})"
)
_MOST = 40  # characters; a longer run is no name

_SUFFIXES: dict[EntityKind, str] = {
    "organisation": "株式会社 有限会社 合同会社 大学院 大学 高等学校 高校 中学校 小学校 学園 学院 研究所 研究会 協会 学会 機構 機関 委員会 "
    "連盟 連合 組合 財団 銀行 新聞社 新聞 出版 書店 書房 放送 病院 裁判所 議会 内閣 政府 幕府 省 庁 党 隊 軍 楽団 劇団 鉄道 "
    "電鉄 航空 工業 製作所 商会 重工 電機 公司",
    "place": "共和国 王国 帝国 公国 合衆国 民国 連邦 諸島 群島 列島 半島 大陸 海峡 山脈 盆地 平野 高原 砂漠 地方 空港 神社 神宮 大社 "
    "公園 市 県 府 都 町 村 区 郡 州 島 山 岳 川 河 湖 海 湾 港 駅 寺 城 橋 線 街道 通り",
    "event": "戦争 大戦 革命 事件 事変 会戦 合戦 条約 大会 選手権 五輪 万博 博覧会 大震災 地震 時代 王朝",
    "work": "物語 日記 新書 全集 法典 憲法 法",
}
_ENDINGS: dict[EntityKind, tuple[str, ...]] = {kind: tuple(listed.split()) for kind, listed in _SUFFIXES.items()}
_EVERY_ENDING = frozenset(chain.from_iterable(_ENDINGS.values()))
_COMPOUND = re.compile(rf"[{_NAME}]{{3,}}")
_WHERE = re.compile("(?:以[東西南北内外]|付近|周辺|沿岸|流域|一帯|内部|[東西南北中]部|[内間側上])\\Z")
_LONGEST = 20  # characters of a compound; where no kana parts the words, as in Chinese, a clause is one
_LONGEST_WITHOUT_KANA = 8
_KANA = re.compile("[\u3041-\u30fa]")
_KNOWN = re.compile(
    rf"(?<![{_KANJI}])(?:日本|中国|韓国|米国|英国|台湾|香港|北朝鮮|北海道|東京|大阪|京都|横浜|名古屋|神戸|福岡|札幌|仙台|広島|沖縄|奈良|千葉|埼玉|神奈川|愛知|長野|新潟|静岡|"
    rf"北京|上海|欧州)(?![{_KANJI}])"
)
"""Places so well known that they are named without a suffix."""
_COMPANY_BEFORE = re.compile(rf"(?:株式会社|有限会社|合同会社|[（(]株[）)]|㈱)[{_NAME}・&]{{2,20}}")
_PERSON = re.compile(
    rf"(?:[{_KANJI}]{{2,6}}|[\u30a1-\u30fa][\u30a1-\u30fa\u30fc・]{{1,20}})"
    r"(?=さん|さま|氏|様|先生|教授|博士|選手|監督|投手|首相|総理|大統領|社長|会長|議員|知事|市長|将軍|天皇|上皇|皇后|親王|大臣|王子|王女)"
)
_NO_NAME_BEFORE = re.compile("[各同全両某他毎諸約数第元副計]")
_NO_NAME_ALONE = "本当現前後新旧"
"""Before a suffix alone they point at something (当委員会); before more they belong to a name (新潟県, 前田氏)."""
_ORDINARY_ENDS = tuple(
    "方法 手法 用法 技法 療法 製法 文法 作法 寸法 司法 立法 違法 合法 不法 入党 与党 野党 仕様 模様 実線 無線 有線 路線 直線 曲線 "  # noqa: SIM905
    "光線 電線 視線".split()
)
"""Words whose last character is the suffix of a name and that end no name."""
_NO_PERSON = re.compile("(?:会|院|党|省|庁|大|校|都|府|県|市|町|村|副|元|国|代|部|軍|的|女性|男性|前|各)\\Z")
_ORDINARY = frozenset(
    "中国地方 共和国 同時代 新時代 市町村 選挙区 委員会 国際連合 自治体 商工業 重工業 城下町 門前町 宿場町 全国大会".split()  # noqa: SIM905
)
_QUOTED = re.compile(
    r"『(?P<work>[^『』「」。\n]{1,40})』|《(?P<book>[^《》。\n]{1,40})》|「(?P<term>[^「」『』。、！？!?\n]{2,24})」|【(?P<mark>[^【】。、\n]{2,24})】"
)
_SPEECH = re.compile("(?:[いうくすつぬむるたれろよねかだ]|です|ます|ない|こと)\\Z")
_HIRAGANA_ONLY = re.compile("[\u3041-\u3096ー]{1,3}")
_LATIN = re.compile(
    r"(?<=[\u3041-\u30ff\u3400-\u9fff、。「」（）・])[a-z][A-Za-z0-9]{2,24}(?:[-_.][A-Za-z0-9]{1,24}){0,3}(?=[\u3041-\u30ff\u3400-\u9fff、。「」（）・])"
)


def cjk_names(text: str, start: int, end: int) -> Iterator[Spelling]:
    """Names in the sentence text[start:end], grouped by how they are found; they may overlap. Nothing where no CJK character stands."""
    if not CJK.search(text, start, end):
        return
    yield from _quoted(text, start, end)
    for found in _KATAKANA.finditer(text, start, end):
        if len(found[0]) <= _MOST and name_key(found[0]) not in ORDINARY_KATAKANA:
            yield Spelling(*found.span(), "name")
    for found in _COMPANY_BEFORE.finditer(text, start, end):
        yield Spelling(*found.span(), "organisation")
    yield from _suffixed(text, start, end)
    for found in _KNOWN.finditer(text, start, end):
        yield Spelling(*found.span(), "place")
    for found in _PERSON.finditer(text, start, end):
        if not _NO_NAME_BEFORE.match(found[0]) and not _NO_PERSON.search(found[0]):
            yield Spelling(*found.span(), "person")
    for found in _LATIN.finditer(text, start, end):
        yield Spelling(*found.span(), "name")


def _suffixed(text: str, start: int, end: int) -> Iterator[Spelling]:
    """Compounds whose end says what they name: 小笠原諸島, ミシシッピ川以東."""
    longest = _LONGEST if _KANA.search(text, start, end) else _LONGEST_WITHOUT_KANA
    for found in _COMPOUND.finditer(text, start, end):
        if len(found[0]) <= longest:
            name = _WHERE.sub("", found[0])
            kind = next((kind for kind, endings in _ENDINGS.items() if name.endswith(endings)), None)
            if kind and _is_name(name):
                yield Spelling(found.start(), found.start() + len(name), kind)


def _is_name(compound: str) -> bool:
    if len(compound) < 3 or compound in _ORDINARY or compound in _EVERY_ENDING or compound.endswith(_ORDINARY_ENDS):
        return False
    return not _NO_NAME_BEFORE.match(compound) and not (compound[0] in _NO_NAME_ALONE and compound[1:] in _EVERY_ENDING)


def _quoted(text: str, start: int, end: int) -> Iterator[Spelling]:
    """『』《》 hold works; 「」 hold terms, unless what is said or done stands there."""
    for found in _QUOTED.finditer(text, start, end):
        group = found.lastgroup or "term"
        inner = found[group].strip()
        if not inner or (group in ("term", "mark") and (_SPEECH.search(inner) or _HIRAGANA_ONLY.fullmatch(inner))):
            continue
        begin = found.start(group) + found[group].index(inner)
        yield Spelling(begin, begin + len(inner), "work" if group in ("work", "book") else "term")
