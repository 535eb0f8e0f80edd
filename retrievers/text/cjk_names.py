"""Finds names in Japanese and Chinese: katakana, kanji before a suffix or an honorific, quoted titles, Latin words among kana.

Pure; one of the finders behind retrievers/text/names.py.
"""

import re
from collections.abc import Iterator

from retrievers.entities import EntityKind
from retrievers.text.spelling import Spelling

_KANJI = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_NAME = rf"{_KANJI}ヶケ\u30a1-\u30fa\u30fc-\u30ffA-Za-z0-9"
CJK = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f]")

_KATAKANA = re.compile(
    "(?:[\u30a1-\u30fa\u30fc-\u30ff]|[\uff66-\uff9f]){3,}(?:[・･=＝゠](?:[\u30a1-\u30fa\u30fc-\u30ff]|[\uff66-\uff9f])+){0,5}|[\u30a1-\u30fa][\u30a1-\u30fa\u30fc]?(?:[・＝][\u30a1-\u30fa\u30fc]{2,}){1,5}"
)
_MOST = 40  # characters; a longer run is no name

_SUFFIXES: tuple[tuple[EntityKind, str], ...] = (
    (
        "organisation",
        "株式会社|有限会社|合同会社|大学院|大学|高等学校|高校|中学校|小学校|学園|学院|研究所|研究会|協会|学会|機構|機関|委員会|連盟|連合|組合|財団|"
        "銀行|新聞社|新聞|出版|書店|放送|病院|裁判所|議会|内閣|政府|幕府|省|庁|党|隊|軍|部隊|交響楽団|楽団|劇団|鉄道|電鉄|航空|工業|製作所|商会|重工|電機|电视台|公司",
    ),
    (
        "place",
        "共和国|王国|帝国|公国|連邦|諸島|群島|列島|半島|大陸|海峡|山脈|盆地|平野|高原|砂漠|地方|地域|空港|神社|神宮|大社|寺院|公園|市|県|府|都|町|村|区|郡|"
        "州|省|国|島|山|岳|川|河|湖|海|湾|港|駅|寺|城|橋|線|街道|通り",
    ),
    ("event", "戦争|大戦|革命|事件|事変|会戦|合戦|の戦い|の乱|の変|条約|大会|選手権|五輪|万博|博覧会|大震災|地震|時代|王朝"),
    ("work", "物語|日記|新書|全集|法典|憲法|法"),
)
_SUFFIXED = re.compile(
    "|".join(f"(?P<{kind}>[{_NAME}]{{1,15}}?(?:{suffixes})(?![{_KANJI}ー\u30a1-\u30fa]))" for kind, suffixes in _SUFFIXES)
)
_COMPANY_BEFORE = re.compile(rf"(?:株式会社|有限会社|合同会社|[（(]株[）)]|㈱)[{_NAME}・&]{{2,20}}")
_PERSON = re.compile(
    rf"(?:[{_KANJI}]{{2,6}}|[\u30a1-\u30fa][\u30a1-\u30fa\u30fc・]{{1,20}})"
    r"(?=さん|さま|氏|様|先生|教授|博士|選手|監督|投手|首相|総理|大統領|社長|会長|議員|知事|市長|将軍|天皇|上皇|皇后|親王|大臣|王子|王女)"
)
_NO_NAME_BEFORE = re.compile(r"[各同全当本両某他毎諸現旧新前後約数何第元副計]")
_ORDINARY = frozenset(
    "外国 全国 中国地方 各国 母国 祖国 王国 帝国 共和国 諸国 本国 自国 他国 両国 敵国 大国 "  # noqa: SIM905
    "小国 当時 同時代 新時代 現代 時代 近代 都市 市町村 町村 火山 登山 鉱山 運河 河川 大海 "
    "深海 航海 近海 沿海 半島 列島 離島 孤島 無線 路線 戦線 直線 曲線 幹線 支線 沿線 電線 "
    "光線 視線 文法 方法 手法 用法 技法 司法 立法 違法 合法 不法 民法 刑法 憲法 軍隊 部隊 "
    "艦隊 海軍 陸軍 空軍 大軍 将軍 政党 与党 野党 大都 首都 地区 学区 選挙区 地域 地方 大学 "
    "高校 銀行 新聞 放送 病院 政府 議会 委員会 国際連合 自治体 御所 皆様 王様 神様 奥様 仏様 "
    "殿様 同様 多様 一様 模様 仕様 有様 異様 客様 空港 鉄道 航空 工業 商工業 重工業 農業 "
    "物語 日記 法律 作法 寸法 製法 療法 農村 漁村 開港 入港 出港 寄港 吊橋 鉄橋 城下町 下町 "
    "港町 門前町 宿場町 築城 籠城 落城 居城 山寺 寺院 公園 神社 地震 大会 全国大会 事件 戦争 "
    "革命 条約 大戦".split()
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
        if len(found[0]) <= _MOST:
            yield Spelling(*found.span(), "name")
    for found in _COMPANY_BEFORE.finditer(text, start, end):
        yield Spelling(*found.span(), "organisation")
    yield from _suffixed(text, start, end)
    for found in _PERSON.finditer(text, start, end):
        if not _NO_NAME_BEFORE.match(found[0]):
            yield Spelling(*found.span(), "person")
    for found in _LATIN.finditer(text, start, end):
        yield Spelling(*found.span(), "name")


def _suffixed(text: str, start: int, end: int) -> Iterator[Spelling]:
    for found in _SUFFIXED.finditer(text, start, end):
        name = found[0]
        if len(name) > 2 and name not in _ORDINARY and not _NO_NAME_BEFORE.match(name):
            yield Spelling(*found.span(), _KINDS[found.lastgroup or ""])


_KINDS: dict[str, EntityKind] = {"": "name", "organisation": "organisation", "place": "place", "event": "event", "work": "work"}


def _quoted(text: str, start: int, end: int) -> Iterator[Spelling]:
    """『』《》 hold works; 「」 hold terms, unless what is said or done stands there."""
    for found in _QUOTED.finditer(text, start, end):
        group = found.lastgroup or "term"
        inner = found[group].strip()
        if not inner or (group in ("term", "mark") and (_SPEECH.search(inner) or _HIRAGANA_ONLY.fullmatch(inner))):
            continue
        begin = found.start(group) + found[group].index(inner)
        yield Spelling(begin, begin + len(inner), "work" if group in ("work", "book") else "term")
