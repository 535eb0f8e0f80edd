"""Turns that need no documents: greetings, thanks, sums, the clock, and questions about the conversation itself.

Shared ground of gate and generate; pure, in English and Japanese. Only a whole message counts: "Thanks, and how long is the
warranty?" is a question for the documents.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from nodes import wording
from nodes.arithmetic import compute, expression_of
from nodes.wording import Language, language_of_answer

DirectKind = Literal["greeting", "thanks", "farewell", "about", "arithmetic", "clock", "conversation"]

EXACT: frozenset[DirectKind] = frozenset({"arithmetic", "clock", "conversation"})
"""What is computed and not phrased: no chat model does it better."""


@dataclass(frozen=True)
class DirectReply:
    """A turn that needs no documents, and the reply to it."""

    kind: DirectKind
    text: str


_GREETING = (
    r"(?:hi|hello|hey|hiya|greetings|good\s+(?:morning|afternoon|evening|day)|how\s+are\s+you)(?:\s+(?:there|all|everyone|again|tadori))?|"
    r"こんにち[はわ]|こんばん[はわ]|おはよう(?:ございます)?|はじめまして|初めまして|やあ|どうも|もしもし|ハロー|お疲れ様です|お疲れさまです|よろしく(?:お願いします)?"
)
_THANKS = (
    r"(?:ok(?:ay)?|great|perfect|nice|good|many)?[,\s]*(?:thanks|thank\s+you|thx|ty|cheers)(?:\s+(?:a\s+lot|so\s+much|very\s+much|again|for\s+your\s+help))?|"
    r"(?:どうも)?(?:本当に)?ありがとう(?:ございます|ございました)?|助かりました|助かります|感謝します|サンキュー|了解です"
)
_FAREWELL = (
    r"(?:good)?bye(?:[\s-]*bye)?|see\s+you(?:\s+(?:later|soon|tomorrow))?|good\s+night|"
    r"さようなら|さよなら|またね|ではまた|おやすみ(?:なさい)?|バイバイ"
)
_ABOUT = (
    r"who\s+are\s+you|what\s+are\s+you|what\s+can\s+you\s+do(?:\s+for\s+me)?|what\s+do\s+you\s+do|how\s+do\s+you\s+work|"
    r"(?:あなた|きみ|君)は?(?:誰|だれ|何者)(?:ですか)?|何ができ(?:る|ます)(?:の|か|のですか)?|使い方(?:は|を教えて(?:ください)?)?"
)
_CLOCK = (
    r"what(?:\s+is|'s)?\s+(?:the\s+)?(?:current\s+)?(?:time|date)(?:\s+is\s+it)?(?:\s+(?:now|today|right\s+now))?|what\s+(?:day|time)\s+is\s+(?:it|today)"
    r"(?:\s+(?:now|today))?|what(?:\s+is|'s)\s+today's\s+date|"
    r"(?:今|いま|現在)(?:は)?(?:何時|なんじ)(?:何分)?(?:ですか|だ|かな)?|(?:今日|きょう)(?:は|の)?(?:何月何日|何日|何曜日|日付は?|何年何月何日)(?:ですか|だ|だっけ|かな)?"
)
_ASKED = (
    r"what\s+(?:did|have)\s+i\s+(?:just\s+)?(?:ask|say|asked|said)(?:ed)?(?:\s+(?:you|just\s+now|before|earlier))?|"
    r"what\s+was\s+my\s+(?:last|previous|first|earlier)\s+(?:question|message)|"
    r"(?:(?:さっき|先ほど|さきほど|今|いま|前に|最初に|直前に)(?:は)?)?(?:私|わたし|僕|俺)?(?:は|が)?(?:何|なに|なん)(?:を|て|って|と)?(?:聞いた|きいた|質問した|尋ねた|言った|聞きました|質問しました|言いました)"
    r"(?:か|っけ|のか|の|かな)?|(?:私の)?(?:さっき|先ほど|前|前回|直前|最初)の質問(?:は|って)?(?:何|なん|なに)?(?:ですか|でしたか|だっけ|だった)?"
)
_SAID = (
    r"what\s+did\s+you\s+(?:just\s+)?(?:say|answer)(?:\s+(?:just\s+now|before|again))?|(?:can\s+you\s+|please\s+)?(?:repeat|say)\s+(?:that|it|your\s+answer|the\s+answer)"
    r"(?:\s+again)?|(?:もう一度|もう一回|もういちど)(?:言って|答えて|教えて)(?:ください|もらえますか|くれますか)?|(?:さっき|先ほど|前|直前)の(?:答え|回答)(?:は|って)?(?:何|なん|なに)?(?:ですか|でしたか|だっけ)?"
)
_TALKED = (
    r"what\s+(?:have\s+we|did\s+we)\s+(?:talk(?:ed)?|discuss(?:ed)?|been\s+talking)(?:\s+about)?(?:\s+so\s+far)?|summari[sz]e\s+(?:this|our|the)\s+(?:conversation|chat)|"
    r"(?:これまで|今まで|ここまで)の(?:会話|質問|話)(?:は|を(?:まとめて|要約して)(?:ください)?|をまとめると)?|(?:これまで|今まで)(?:何|なに)を(?:話した|話しました|聞いた|質問した)(?:か|っけ)?"
)


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{pattern})", re.IGNORECASE)


_PATTERNS = {
    name: _whole(pattern)
    for name, pattern in {
        "greeting": _GREETING,
        "thanks": _THANKS,
        "farewell": _FAREWELL,
        "about": _ABOUT,
        "clock": _CLOCK,
        "asked": _ASKED,
        "said": _SAID,
        "talked": _TALKED,
    }.items()
}
_DECORATION = re.compile(r"[\s!?.,。、！？~〜…]+$|^[\s!?.,。、]+|[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]")


def direct_reply(question: str, history: Sequence[AnyMessage], now: datetime) -> DirectReply | None:
    """The reply to a turn that needs no documents, or None. `history` holds the messages before this question, oldest first."""
    language = language_of_answer(question)
    if (summed := _arithmetic(question, language)) is not None:
        return summed
    text = _DECORATION.sub("", unicodedata.normalize("NFKC", question)).strip()
    said = next((name for name, pattern in _PATTERNS.items() if pattern.fullmatch(text)), None)
    fixed: dict[str, tuple[DirectKind, Callable[[Language], str]]] = {
        "greeting": ("greeting", wording.greeting),
        "thanks": ("thanks", wording.thanks),
        "farewell": ("farewell", wording.farewell),
        "about": ("about", wording.about),
    }
    if said in fixed:
        kind, reply = fixed[said]
        return DirectReply(kind, reply(language))
    if said == "clock":
        return DirectReply("clock", wording.clock(language, now))
    return DirectReply("conversation", _about_conversation(said, text, history, language)) if said else None


def _arithmetic(question: str, language: Language) -> DirectReply | None:
    expression = expression_of(question)
    if expression is None:
        return None
    try:
        value = compute(expression)
    except ZeroDivisionError:
        return DirectReply("arithmetic", wording.undefined(language, expression))
    except OverflowError:
        return DirectReply("arithmetic", wording.too_large(language, expression))
    return DirectReply("arithmetic", wording.result(language, expression, value)) if value is not None else None


def _about_conversation(said: str, text: str, history: Sequence[AnyMessage], language: Language) -> str:
    questions = [message.text.strip() for message in history if isinstance(message, HumanMessage)]
    answers = [message.text.strip() for message in history if isinstance(message, AIMessage)]
    if not questions:
        return wording.nothing_said_yet(language)
    if said == "talked":
        return wording.so_far(language, questions)
    if said == "said" and answers:
        return wording.i_answered(language, _without_markers(answers[-1]))
    return wording.you_asked(language, questions[0 if re.search(r"\bfirst\b|最初", text) else -1])


def _without_markers(answer: str) -> str:
    """The answer without its `[n]`: their sources belong to that turn."""
    return re.sub(r"\s*\[\d+\]", "", answer)
