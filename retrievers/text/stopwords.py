"""Function words of English, Japanese and Chinese: they stand in every text, so matching one of them says nothing.

Used by retrievers/text/analysis.py on the query side only; documents keep them, because their length counts in BM25
(left out of documents as well, nDCG@10 falls by .002 on scifact and .011 on multi-hop questions).
"""

import re

_ENGLISH = frozenset(
    "a an and are as at be been but by can could did do does for from had has have he her him his how i if in into is it its me my no "  # noqa: SIM905
    "not of on or our she so such than that the their them then there these they this to was we were what when where which who whom "
    "whose why will with would you your".split()
)

# Two-kana pieces of endings, particles and question words, as the analyser cuts them. Without them in the query, jsquad keeps its
# nDCG@10 (.944) and unanswerable questions are told apart better (AUROC of absolute fusion .986 against .985).
_JAPANESE = frozenset(
    "あっ あの あり ある あれ いい いう いか いく いた いっ いつ いて いま いる うか うな えた おい おけ かれ から がど くつ "  # noqa: SIM905
    "ける ここ こと この これ され さん した して しょ すか する せん そこ その それ たか たの たも ため つい つか つの てあ てい "
    "った って であ でい です でき でし では とい とが とさ とし とど とな とは とを どう どが どこ どの どれ どん ない など なっ "
    "なぜ なに なん なり なる にあ につ にと にど にな には にお によ のか のこ のは のよ はい はだ はど はな ばれ まし ます ませ "
    "まで めた めて めら もの よう より よる よっ られ らは りま るが るこ るた ると るの るも れが れた れて れは れま れる れを "
    "われ んで んと んな を".split()
)

_CHINESE = frozenset("的了是吗嗎呢什么麼哪些个個们們这這那")  # single characters; a pair of two of them (什么, 这是) is one as well

# "who" and "what" in Japanese and Chinese, alone or with the kana or counter that the cut put beside them.
_QUESTION = re.compile("[\u3041-\u309f]?[何誰谁哪][\u3041-\u309f年人]?")


def is_function_word(word: str) -> bool:
    """True when `word`, as the analyser cuts it, carries no meaning of its own."""
    return word in _ENGLISH or word in _JAPANESE or _CHINESE.issuperset(word) or _QUESTION.fullmatch(word) is not None


def is_english_function_word(word: str) -> bool:
    """True for the English ones, which are kept unstemmed: "does" must not fall together with "doe"."""
    return word in _ENGLISH
