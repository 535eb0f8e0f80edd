"""Tells whether a question holds several concepts, and which, by the words and turns of phrase of English and Japanese.

Shared ground of route, decompose and hyde; pure, no model, far below a millisecond. In doubt a question has one concept: a search too
many costs more than a comparison that is looked for as a whole.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from nodes.followup import standalone
from retrievers.text.terms import content_terms

Cue = Literal["comparison", "each", "relation", "influence", "questions", "several", "chain"]

MOST = 4
"""Parts of one question: each is a search of its own, and more would crowd each other out of the ranking."""

_MOST_CHARS = 400
"""A longer text is a story with a question in it, whose commas and conjunctions say little."""


@dataclass(frozen=True)
class Concepts:
    """Several concepts in one question. `parts` are 2-4 search queries, one a concept; none where no rule can tell them apart."""

    cue: Cue
    parts: tuple[str, ...]

    @property
    def relates(self) -> bool:
        """Whether the question is about how its concepts hang together, which a graph of relations knows best."""
        return self.cue in ("relation", "influence", "chain")


@dataclass(frozen=True)
class _Rule:
    """`parts` are templates over the pattern's groups, where `*` stands for each side."""

    cue: Cue
    pattern: re.Pattern[str]
    template: str = "*"


def _rule(cue: Cue, pattern: str, template: str = "*") -> _Rule:
    return _Rule(cue, re.compile(pattern, re.IGNORECASE | re.VERBOSE), template)


_A, _B = r"(?P<a>[^?,;]{2,80}?)", r"(?P<b>[^?,;]{2,80}?)"
_LIST = r"(?P<a>[^?;]{2,80}?)"
_END = r"\s*[?.!]*\s*$"
_TAIL = (
    r"(?P<rest>\s+(?:in\s+terms\s+of|with\s+regard\s+to|regarding|when\s+it\s+comes\s+to|for|in|on|at|during|under|of)\s+[^?,;]{2,80}?)?"
)

_BETWEEN = r"\b(?:differences?|distinctions?|contrast|comparison|similarit(?:y|ies))\s+between\s+(?:the\s+|an?\s+)?"
_NAMING = (
    r"(?![\w\s-]*\b(?:state|city|kingdom|republic|province|county|island|gulf|university|bank|house|battle|ministry|department|temple)"
    r"\s+of\b)"
)
"""The state of Texas, the Battle of Hastings: "of" is part of the name, and what follows "and" has one of its own."""
_MEASURED = (
    r"(?:[\w-]+\s+){0,3}?(?:warrant(?:y|ies)|guarantees?|prices?|weights?|sizes?|lengths?|heights?|widths?|depths?|speeds?|capacit(?:y|ies)|"
    r"densit(?:y|ies)|(?:boiling|melting|freezing)\s+points?|temperatures?|lifespans?|battery\s+life|shelf\s+life|colou?rs?|tastes?|shapes?|"
    r"hours|populations?|climates?)"
)
_HEAD = rf"{_NAMING}(?-i:[a-z])[\w\s-]{{1,50}}?"
_SHARED_HEADS = ((_HEAD, r"(?=(?:the|an?)\s)"), (_HEAD, r"(?=(?-i:[A-Z0-9]))"), (_MEASURED, ""))
"""A head, and what tells that both sides share it: both have an article ("the warranty of the pump and the filter"), or a name or a code
("of Poland and Germany"); a measure is shared by any two. "A state of emergency and martial law" shares nothing.
"""

_ENGLISH = (
    _rule(
        "comparison",
        rf"{_BETWEEN}(?P<a>[^?,;]{{2,60}}?\s+(?P<of>of|for)\s+[^?,;]{{2,60}}?)\s+and\s+(?!.*\bin\s+terms\b)(?:the\s+)?"
        rf"(?P<b>[^?,;]{{2,60}}?\s+(?P=of)\s+[^?,;]{{2,60}}?){_END}",
    ),
    *(
        _rule(
            "comparison",
            rf"{_BETWEEN}(?P<head>{head})\s+(?P<of>of|for)\s+{side}{_LIST}\s+and\s+{side}(?:the\s+)?{_B}{_TAIL}{_END}",
            "{head} {of} * {rest}",
        )
        for head, side in _SHARED_HEADS
    ),
    _rule(
        "comparison",
        rf"\b(?:differences?|distinctions?|contrast|comparison|trade-?offs?|similarit(?:y|ies))\s+between\s+(?:the\s+)?{_LIST}\s+and\s+(?:the\s+)?{_B}{_TAIL}{_END}",
        "* {rest}",
    ),
    _rule(
        "comparison",
        rf"\b(?:compare|contrast)\s+(?:the\s+)?(?P<head>[\w\s-]{{2,50}}?)\s+of\s+{_A}\s+(?:and|with|to|against)\s+{_B}{_END}",
        "{head} of *",
    ),
    _rule(
        "comparison", rf"\b(?:compare|contrast)\s+(?:the\s+)?{_LIST}\s+(?:and|with|to|against)\s+(?:the\s+)?{_B}{_TAIL}{_END}", "* {rest}"
    ),
    _rule("comparison", rf"^(?:what\s+about\s+|how\s+about\s+|is\s+it\s+)?{_A}\s+(?:vs\.?|versus)\s+{_B}{_TAIL}{_END}", "* {rest}"),
    _rule(
        "comparison",
        rf"\bhow\s+(?:do|does|did|is|are)\s+(?:the\s+)?{_A}\s+(?:differ(?:ent)?\s+from|compared?\s+(?:to|with))\s+(?:the\s+)?{_B}{_TAIL}{_END}",
        "* {rest}",
    ),
    _rule(
        "comparison", rf"\bhow\s+(?:do|does|did)\s+(?:the\s+)?{_A}\s+and\s+(?:the\s+)?{_B}\s+(?:differ|compare){_TAIL}{_END}", "* {rest}"
    ),
    _rule(
        "comparison", rf"^(?P<head>(?:which|who|what)\b[^?,;]{{2,90}}?)\s*[,:]\s*(?:the\s+)?{_A},?\s+or\s+(?:the\s+)?{_B}{_END}", "* {head}"
    ),
    _rule(
        "comparison",
        rf"^(?:are|were|is|was|do|did)\s+(?:both\s+)(?:the\s+)?{_A}\s+and\s+(?:the\s+)?{_B}(?P<rest>\s+(?:an?|the|in|from|located|based|born|known|made|used|considered|published|written|directed|by|of|both|have|share)\b[^?]*)?{_END}",
        "* {rest}",
    ),
    _rule(
        "comparison",
        rf"^(?:are|were|is|was|do|did|have)\s+(?:the\s+)?{_A}\s+and\s+(?:the\s+)?{_B}\s+(?:both|(?:\w+\s+){{0,3}}the\s+same)\b(?P<rest>[^?]*){_END}",
        "* {rest}",
    ),
    _rule(
        "comparison", rf"^both\s+(?:the\s+)?{_A}\s+and\s+(?:the\s+)?{_B}\s+(?:are|were|is|was|have|had)\s+(?P<rest>[^?]*){_END}", "* {rest}"
    ),
    _rule("comparison", rf"^(?:between|of)\s+(?:the\s+)?{_A}\s+and\s+(?:the\s+)?{_B},\s*(?P<rest>(?:which|who)\b[^?]*){_END}", "* {rest}"),
    _rule(
        "comparison",
        rf"\bwhat\s+(?P<head>[^?,;]{{2,60}}?)\s+do\s+(?:both\s+)?(?:the\s+)?{_A}\s+and\s+(?:the\s+)?{_B}\s+(?:share|have\s+in\s+common){_END}",
        "* {head}",
    ),
    _rule("comparison", rf"\bdo\s+(?:both\s+)?(?:the\s+)?{_A}\s+and\s+(?:the\s+)?{_B}\s+have\s+in\s+common{_END}"),
    _rule(
        "each",
        rf"\b(?:how\s+(?:much|many|long|often)|what|which|when|where)\s+(?P<before>[^?]{{2,60}}?)\s+(?:do|does|did|are|is|were|was)\s+(?:the\s+)?{_A}\s+and\s+(?:the\s+)?{_B}\s+(?:each|respectively)\b(?P<rest>[^?]*){_END}",
        "* {before} {rest}",
    ),
    _rule(
        "each",
        rf"^(?P<head>[^?]{{2,90}}?)\s+(?:of|for|in|at|by|from)\s+(?:the\s+)?{_A}\s+and\s+(?:the\s+)?{_B},?\s+respectively{_END}",
        "{head} *",
    ),
    _rule(
        "relation",
        rf"\b(?:relation(?:ship)?s?|connections?|links?|correlation|interaction|interplay)\s+between\s+(?:the\s+)?{_A}\s+and\s+(?:the\s+)?{_B}{_END}",
    ),
    _rule("relation", rf"\bhow\s+(?:is|are|was|were)\s+(?:the\s+)?{_A}\s+(?:related|connected|linked)\s+to\s+(?:the\s+)?{_B}{_END}"),
    _rule("relation", rf"\bhow\s+(?:is|are|was|were)\s+(?:the\s+)?{_A}\s+and\s+(?:the\s+)?{_B}\s+(?:related|connected|linked){_END}"),
    _rule(
        "influence",
        rf"\b(?:effects?|impacts?|influences?)\s+(?:of|that)\s+(?:the\s+)?{_A}\s+(?:on|upon|has\s+on|have\s+on|had\s+on)\s+(?:the\s+)?{_B}(?:\s+ha[sd]|\s+have)?{_END}",
    ),
    _rule(
        "influence",
        rf"\bhow\s+(?:do|does|did|would|will|can|could|might)\s+(?:the\s+)?{_A}\s+(?:affect|influence|impact)\s+(?:the\s+)?{_B}{_END}",
    ),
    _rule(
        "several",
        rf"^(?P<head>(?:what|which|how\s+(?:much|many|long|often)|when|where)\b[^?,;]{{2,60}}?)\s+(?:of|for)\s+both\s+(?:the\s+)?{_A}\s+and\s+(?:the\s+)?{_B}{_END}",
        "{head} of *",
    ),
)

_JA, _JB = r"(?P<a>[^、。?？\s]{1,40}?)", r"(?P<b>[^、。?？\s]{1,40}?)"
_NOUN = "[A-Za-z0-9\u30a1-\u30fa\u30fc\u30fb\u3005\u4e00-\u9fff]{2,20}"
_JEND = r"[^。?？]{0,25}[。?？]*\s*$"
_LEAD = r"^(?:では|また|ところで|それでは)?[、\s]*"

_JHOW = "(?:どう|どのように|何が|なにが|どこが)(?:違|異な)"
_JMEASURED = (
    "(?P<head>保証(?:期間|内容)?|料金|価格|値段|費用|手数料|重さ|重量|大きさ|サイズ|長さ|高さ|幅|速度|容量|性能|仕様|機能|寿命|"
    "消費電力|人口|面積|期間|期限|色|形)"
)
"""What a thing has: it is meant of the other side too, which names it no more."""

_JAPANESE = (
    _rule(
        "comparison",
        rf"{_LEAD}(?P<a>[^、。?？\s]{{1,30}}?の(?P<head>[^、。?？\sの]{{1,20}}))と(?P<b>[^、。?？\s]{{1,30}}?の(?P=head))(?:と)?の?(?:違い|相違|差|比較){_JEND}",
    ),
    _rule("comparison", rf"{_LEAD}{_JA}の{_JMEASURED}と(?P<b>[^、。?？\sの]{{1,40}}?)(?:と)?の(?:違い|相違|差|比較){_JEND}", "*の{head}"),
    _rule("comparison", rf"{_LEAD}{_JA}の{_JMEASURED}は(?P<b>[^、。?？\sの]{{1,40}}?)と{_JHOW}{_JEND}", "*の{head}"),
    _rule("comparison", rf"{_LEAD}{_JA}と{_JB}では?、?(?P<rest>[^、。?？とはがでどうのよに]{{1,20}})[はが]{_JHOW}{_JEND}", "*の{rest}"),
    _rule("comparison", rf"{_LEAD}{_JA}と{_JB}(?P<rest>の[^、。?？とは]{{1,20}}?)?は{_JHOW}{_JEND}", "*{rest}"),
    _rule(
        "comparison",
        rf"{_LEAD}{_JA}(?:と|及び|および|、){_JB}(?P<rest>の[^、。?？と]{{1,20}}?)?(?:と)?の?(?:違い|相違|差異|差は|比較|共通点|使い分け){_JEND}",
        "*{rest}",
    ),
    _rule("comparison", rf"{_LEAD}{_JA}と{_JB}(?P<rest>の[^、。?？と]{{1,20}}?)?を(?:比較|比べ|対比){_JEND}", "*{rest}"),
    _rule("comparison", rf"{_LEAD}{_JA}は{_JB}と(?:どう|どのように|何が|なにが|どこが)(?:違|異な){_JEND}"),
    _rule("comparison", rf"{_LEAD}{_JA}と{_JB}(?:は|で|では|って)[、]?(?:どう|どのように|何が|なにが|どこが)(?:違|異な){_JEND}"),
    _rule(
        "comparison",
        rf"{_LEAD}{_JA}と{_JB}(?:では|で|は|とでは|、|のうち|なら)[、]?(?P<rest>どちら[^。?？]{{1,30}}|どっち[^。?？]{{1,30}}){_JEND}",
    ),
    _rule("comparison", rf"{_LEAD}(?P<a>{_NOUN})\s*(?:対|vs\.?|versus)\s*(?P<b>{_NOUN})[。?？]*\s*$"),
    _rule(
        "each",
        rf"{_LEAD}{_JA}(?:と|及び|および){_JB}(?:の|は|では|で|、)?(?:それぞれ|各々|おのおの)(?:の|で|は|、)?(?P<rest>[^。?？]{{1,40}})[。?？]*\s*$",
        "*の{rest}",
    ),
    _rule(
        "relation",
        rf"{_LEAD}{_JA}と{_JB}(?:と)?(?:の|には|にはどんな|にはどのような)(?:[^、。?？]{{0,8}})(?:関係|関連|つながり|繋がり|相関){_JEND}",
    ),
    _rule("influence", rf"{_LEAD}{_JA}(?:が|は){_JB}に(?:どのような|どんな|どれほどの|どの程度|どう)?(?:影響|作用)(?!を受け){_JEND}"),
    _rule("influence", rf"{_LEAD}{_JA}(?:の|による){_JB}(?:への|に対する|に及ぼす|に与える)影響{_JEND}"),
    _rule("influence", rf"{_LEAD}{_JA}が{_JB}に(?:及ぼす|与える|もたらす)(?:影響|効果){_JEND}"),
    _rule("several", rf"{_LEAD}{_JA}と{_JB}(?:の両方|の双方|両方)(?:の|で|に|を|は)?(?P<rest>[^。?？]{{1,40}})[。?？]*\s*$", "*の{rest}"),
)

_ROLE = (
    "(?:performer|director|author|writer|composer|singer|founder|creator|producer|owner|publisher|inventor|designer|architect|spouse|wife|husband|"
    "father|mother|child|son|daughter|birthplace|birth|hometown|employer|predecessor|successor|alma\\s+mater|label|maker|manufacturer|capital|"
    "headquarters|star)s?"
)
_KIND = (
    "(?:country|state|city|town|county|province|region|area|place|location|continent|person|man|woman|artist|singer|actor|actress|player|footballer|"
    "director|author|writer|composer|band|group|company|firm|team|party|film|movie|book|novel|album|song|single|show|series|magazine|university|"
    "school|club|supplier|customer|employee|manager|department|project|product)"
)
_CHAIN = re.compile(
    rf"\b(?:in|of|by|from|for|to|at|with|on|through|as|did|does|do|was|is|are)\s+(?:the|an?)\s+(?:[\w-]+\s+){{0,2}}?{_KIND}\s+(?:where|in\s+which|who|whose|that|which|with\s+the)\b"
    rf"|\b(?:of|by|in|from|to|for|does|did|into)\s+(?:(?:the|an?)\s+(?:[\w-]+\s+){{0,2}}?{_ROLE}\s+of|(?:[A-Z][\w.’'-]*\s+)+(?<=['’]s\s)(?:[\w-]+\s+)?(?:{_ROLE}|team|band|country|city|state|company|school))\b"
    rf"|['’]s\s+(?:[\w-]+\s+)?{_ROLE}\b.*\b(?:in|of|by|from|to|where|when)\b|\b{_ROLE}['’]s\b",
)
"""A thing that is not named but described by another: to be looked up first. "the city where X was born", "the spouse of X's director"."""

_CHAIN_JA = re.compile(
    r"(?:た|る)(?:人|人物|方|作者|監督|作家|作曲家|歌手|俳優|選手|社長|創業者|国|都市|街|町|県|会社|大学|学校|チーム|映画|本|部署|製品)の(?!名前|名称|名は|数)[^、。?？の]{1,12}(?:の[^、。?？]{1,12})?[はがを]"
    r"|の(?:作者|監督|作曲者|創業者|創設者|社長|母校|出身地|配偶者|妻|夫|父|母|後任|前任者|製造元|親会社)の(?:[^、。?？]{1,12}の)?[^、。?？]+"
)

_ASKS = r"(?:how|what|when|where|who|whom|whose|which|why)"
_TWO_QUESTIONS = re.compile(
    rf"\s*(?:[?？]+\s+(?:and\s+|also,?\s+)?(?={_ASKS}\b|(?:is|are|do|does|did|can|was|were)\b)|,?\s+and\s+(?:also\s+)?(?={_ASKS}\s+(?:\w+\s+)?(?:is|are|was|were|do|does|did|can|could|should|must|has|have|will|much|many|long|often)\b))",
    re.IGNORECASE,
)
_ASKS_JA = r"(?:何|なに|いつ|どこ|誰|だれ|いくら|いくつ|どの|どう|どんな|なぜ|どれ)"
_TWO_QUESTIONS_JA = re.compile(
    rf"(?:[?？。]+\s*|(?<=か)、|(?<=で)、(?={_ASKS_JA}|[^、。?？]{{1,20}}(?:は|が){_ASKS_JA}))(?:また、?|そして、?|それと、?)?"
)


def concepts_of(question: str) -> Concepts | None:
    """The concepts of a question that has several, or None."""
    text = " ".join(unicodedata.normalize("NFKC", question).split())
    if not text or len(text) > _MOST_CHARS:
        return None
    for rule in _JAPANESE if (cjk := _CJK.search(text) is not None) else _ENGLISH:
        found = rule.pattern.search(text)
        if found is not None and (parts := _parts(rule, found)):
            return Concepts(rule.cue, parts)
    if parts := _questions(text, cjk):
        return Concepts("questions", parts)
    return Concepts("chain", ()) if (_CHAIN_JA if cjk else _CHAIN).search(text) else None


_CJK = re.compile("[\u3041-\u30ff\u3400-\u9fff]")
_EDGES = re.compile(r"^(?:both|the|an?)\s+|[\s,.;:?!、。]+$|(?<=[\u30a1-\u9fff])[をはが]$", re.IGNORECASE)


def _parts(rule: _Rule, found: re.Match[str]) -> tuple[str, ...]:
    """One query for each side; none where a side names nothing."""
    groups = {name: (value or "").strip() for name, value in found.groupdict().items()}
    sides = _sides(groups["a"], groups["b"])
    if any(not content_terms(side) for side in sides):
        return ()
    filled = [rule.template.replace("*", side).format(**{"rest": "", **groups}) for side in sides]
    return tuple(_EDGES.sub("", " ".join(part.split())) for part in filled)[:MOST]


def _sides(a: str, b: str) -> list[str]:
    """The sides as they stand alone: a list is taken apart, and a head that both share is given to both ("nominal and real wages")."""
    listed = [side for side in re.split(r"\s*(?:,|、|・)\s*(?:and\s+)?|\s+and\s+(?=[A-Z])", a) if side]
    lasts = b.split("と") if all(re.fullmatch(_NOUN, side) for side in b.split("と")) else [b]
    sides = [_EDGES.sub("", side) for side in (*listed, *lasts)]
    first, last = sides[0].split(), sides[-1].split()
    if len(first) == 1 and first[0].islower() and len(last) == 2 and last[0].islower():
        sides[0] = f"{first[0]} {last[1]}"
    return sides


def _questions(text: str, japanese: bool) -> tuple[str, ...]:
    """Two questions in one text; what the second leaves out is taken from the first."""
    said = [part.strip(" ?？。、,.") for part in (_TWO_QUESTIONS_JA if japanese else _TWO_QUESTIONS).split(text)]
    asks = re.compile(_ASKS_JA if japanese else rf"\b{_ASKS}\b", re.IGNORECASE)
    parts = [part for part in said if part]
    if not 2 <= len(parts) <= MOST or not all(asks.search(part) and content_terms(part) for part in parts):
        return ()
    topic = _TOPIC_JA.match(parts[0])
    if topic is None:
        return tuple(standalone(part, parts[:number]) for number, part in enumerate(parts))
    return tuple(part if number == 0 or _TOPIC_JA.match(part) else topic[0] + part for number, part in enumerate(parts))


_TOPIC_JA = re.compile("[^、。?？]{1,40}?[はが]")
