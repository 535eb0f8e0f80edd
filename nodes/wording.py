"""The sentences that the product itself says, in the user's language: English or Japanese.

Shared ground of the nodes; pure text.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from nodes.records import WebOutcome
from retrievers.relevance import falls_short
from retrievers.text.language import language_of
from retrievers.types import Passage

Language = Literal["en", "ja"]

_WEEKDAYS_JA = "月火水木金土日"


def language_of_answer(text: str) -> Language:
    """The language to answer `text` in."""
    return "ja" if language_of(text) == "ja" else "en"


def same_language(text: str, other: str) -> bool:
    """Whether both texts would be answered in one language; Chinese and Korean count as themselves."""
    return _family(text) == _family(other)


def _family(text: str) -> str:
    language = language_of(text)
    return language if language in ("ja", "zh", "ko") else "en"


def greeting(language: Language) -> str:
    """The reply to a greeting."""
    if language == "ja":
        return "こんにちは。取り込んだ文書について、出典を添えてお答えします。ご質問をどうぞ。"
    return "Hello. I answer questions from your documents and show where each answer stands. What would you like to know?"


def thanks(language: Language) -> str:
    """The reply to thanks."""
    return (
        "どういたしまして。ほかにもご質問があればどうぞ。"
        if language == "ja"
        else "You are welcome. Ask me anything else about your documents."
    )


def farewell(language: Language) -> str:
    """The reply to a farewell."""
    return "ありがとうございました。またいつでもどうぞ。" if language == "ja" else "Goodbye, and come back any time."


def about(language: Language) -> str:
    """The reply to "what can you do?"."""
    if language == "ja":
        return "取り込んだ文書を検索し、文書に書かれていることだけを引用付きでお答えします。書かれていなければ、そうお伝えします。"
    return "I search your documents and answer only what stands in them, with a citation for each claim; where nothing does, I say so."


def result(language: Language, expression: str, value: str) -> str:
    """The reply to an arithmetic question."""
    return f"{expression} = {value} です。" if language == "ja" else f"{expression} = {value}"


def undefined(language: Language, expression: str) -> str:
    """The reply to a division by zero."""
    return (
        f"{expression} は定義されません(0で割ることはできません)。"
        if language == "ja"
        else f"{expression} is not defined: it divides by zero."
    )


def too_large(language: Language, expression: str) -> str:
    """The reply to a sum whose value or exponent is out of bounds."""
    return f"{expression} は数が大きすぎて計算できません。" if language == "ja" else f"{expression} is too large for me to compute."


def clock(language: Language, now: datetime) -> str:
    """The reply to a question for the time or the date."""
    zone = now.tzname() or f"{now:%z}"
    if language == "ja":
        return f"{now.year}年{now.month}月{now.day}日({_WEEKDAYS_JA[now.weekday()]}曜日) {now:%H:%M}({zone})です。"
    return f"It is {now:%A}, {now.day} {now:%B %Y}, {now:%H:%M} ({zone})."


def nothing_said_yet(language: Language) -> str:
    """The reply to a question about a conversation that has only begun."""
    return "これが最初のご質問です。" if language == "ja" else "This is the first thing you have asked."


def you_asked(language: Language, question: str) -> str:
    """The reply to "what did I ask?"."""
    return f"「{question}」とお尋ねでした。" if language == "ja" else f"You asked: “{question}”"


def i_answered(language: Language, answer: str) -> str:
    """The reply to "what did you say?"."""
    return f"次のようにお答えしました。{answer}" if language == "ja" else f"I answered: {answer}"


def so_far(language: Language, questions: list[str]) -> str:
    """The reply to "what have we talked about?"; `questions` is not empty."""
    listed = "\n".join(f"{number}. {question}" for number, question in enumerate(questions, 1))
    return f"これまでのご質問は次のとおりです。\n{listed}" if language == "ja" else f"So far you asked:\n{listed}"


def abstention(
    language: Language,
    *,
    closest: Passage | None,
    threshold: float | None,
    web_outcome: WebOutcome | None,
    empty: str | None,
    missing: str = "",
    withheld: bool = False,
) -> str:
    """The whole answer where there is none: that, the closest passage with its score, and what became of the web search.

    `empty` names the collection where it holds nothing at all; `missing` what the passages lack that were found. `withheld`: what may
    answer is there, beside text that speaks to a reader's assistant.
    """
    japanese = language == "ja"
    parts = [_no_answer(language, closest, withheld)]
    if empty is not None:
        parts.append(f"コレクション「{empty}」には文書がありません。" if japanese else f"The collection {empty!r} is empty.")
    elif closest is not None and not withheld:
        parts.append(_closest(language, closest, threshold))
    if missing:
        parts.append(f"不足している情報: {missing}。" if japanese else f"Missing: {missing}.")
    if web_outcome is not None:
        parts.append((_WEB_JA if japanese else _WEB_EN)[web_outcome])
    return "".join(parts) if japanese else " ".join(parts)


def told_apart(score: float, threshold: float) -> tuple[str, str]:
    """Both with two digits, or with as many, up to five, as tell them apart."""
    digits = next((digits for digits in range(2, 5) if f"{score:.{digits}f}" != f"{threshold:.{digits}f}"), 5)
    digits = 2 if score == threshold else digits
    return f"{score:.{digits}f}", f"{threshold:.{digits}f}"


def _no_answer(language: Language, closest: Passage | None, withheld: bool) -> str:
    if closest is None or not withheld:
        return "文書にはこの質問への答えがありません。" if language == "ja" else "The documents do not answer this."
    place = " > ".join(dict.fromkeys([closest["title"] or closest["document"], *closest["heading_path"]]))
    if language == "ja":
        return f"答えになりうる箇所({place})は、読み手のアシスタントに宛てた指示のそばにあるため、引用しません。"
    return f"What would answer this, in {place}, stands beside text that speaks to a reader's assistant, and is not quoted."


def _closest(language: Language, passage: Passage, threshold: float | None) -> str:
    """The closest passage: its score where that is why it was left out, else that the answer is not in it."""
    place, score = " > ".join(dict.fromkeys([passage["title"] or passage["document"], *passage["heading_path"]])), passage["absolute"]
    reranked = passage.get("reranked")
    if score is not None and threshold is not None and score < threshold:
        shown, limit = told_apart(score, threshold)
        if language == "ja":
            return f"最も近い箇所: {place}(スコア{shown}、しきい値{limit}未満)。"
        return f"Closest: {place}, score {shown} below the threshold {limit}."
    if reranked is not None and (why := falls_short(reranked)):
        if language == "ja":
            return f"最も近い箇所: {place}(リランカーのスコア{reranked['score']:.2f}、しきい値{reranked['threshold']:.2f}未満)。"
        return f"Closest: {place}, whose {why}."
    return f"最も近い箇所: {place}(答えは書かれていません)。" if language == "ja" else f"Closest: {place}, which does not hold the answer."


_WEB_EN: dict[WebOutcome, str] = {
    "not_configured": "No web search is configured.",
    "off": "The web was not searched: it is switched off.",
    "rate_limited": "The web search is over its rate limit.",
    "unavailable": "The web search could not be reached.",
    "failed": "The web search failed.",
    "nothing": "The web search found nothing.",
    "nothing_relevant": "The web search found nothing that answers it.",
}
_WEB_JA: dict[WebOutcome, str] = {
    "not_configured": "ウェブ検索は設定されていません。",
    "off": "ウェブ検索は無効になっています。",
    "rate_limited": "ウェブ検索は利用上限に達しています。",
    "unavailable": "ウェブ検索に接続できませんでした。",
    "failed": "ウェブ検索に失敗しました。",
    "nothing": "ウェブ検索でも何も見つかりませんでした。",
    "nothing_relevant": "ウェブ検索でも答えは見つかりませんでした。",
}


def no_time(language: Language) -> str:
    """The reply where a budget ended a turn that only a model could have answered."""
    if language == "ja":
        return "指定された上限の範囲内では、お答えできませんでした。"
    return "I could not answer this within the limits that were set."


def unanswered(language: Language, parts: Sequence[str]) -> str:
    """The last sentence of an answer that leaves parts of its question open; `parts` are those that can be told, which may be none."""
    if not parts and language == "ja":
        return "質問の一部については、文書に答えがありません。"
    if not parts:
        return "The documents do not answer a part of the question."
    if language == "ja":
        return f"次の点については、文書に答えがありません: {'、'.join(f'「{part}」' for part in parts)}"
    return f"The documents do not answer: {'; '.join(f'“{part}”' for part in parts)}"


def another_time(language: Language, named: str) -> str:
    """The first words of an answer that is cited from documents of another time than `named`, which the question names."""
    if language == "ja":
        return f"{named}の文書からは見つかりませんでした。別の時期の文書には次のようにあります。"
    return f"Nothing from {named} was found; this is from another time:"


def failed(language: Language) -> str:
    """The first words of an answer that an error prevented; the reason follows."""
    return "エラーのためお答えできませんでした: " if language == "ja" else "This could not be answered because of an error: "


def which_one(language: Language, *, waits: bool = True) -> str:
    """What the user is asked where several documents could be meant; they are listed below it. Without `waits` no reply can be given."""
    if language == "ja":
        how = "番号、文書名、またはタイトルでお答えください。"
        if not waits:
            how = "文書名を添えてもう一度お尋ねになるか、スレッド(--thread)を使ってお答えください。"
        return f"どの文書についてのご質問ですか？{how}"
    how = "Answer with its number, its name or its title."
    if not waits:
        how = "Ask again and name the document, or use a thread (--thread) to answer with its number."
    return f"Which of these documents do you mean? {how}"


def none_meant(language: Language) -> str:
    """The answer where the user means none of the documents that were offered."""
    if language == "ja":
        return "お示しした文書のほかに、この質問に答える文書は見つかりませんでした。"
    return "No other document was found that answers this."


def not_an_option(language: Language, said: str, count: int) -> str:
    """Why a reply is asked for again."""
    if language == "ja":
        return f"「{said}」は{count}件の文書のどれを指すのか分かりませんでした。"
    return f"“{said}” names none of the {count} documents."
