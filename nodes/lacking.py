"""What a question names or asks for and the kept passages lack: the near miss, told without a model.

Shared ground of sufficiency and rewrite; pure. Each rule was measured on questions that the passages answer, and loses under one in a
hundred of them; what no such rule can tell (a role swapped, an opposite) is left to a model.
"""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nodes.quantities import asked_kind, holds_kind, numbers
from retrievers.text.analysis import analyse, fold, query_words
from retrievers.text.language import language_of
from retrievers.text.terms import has_code
from retrievers.text.units import Unit, units
from retrievers.types import Passage

LackKind = Literal["code", "number", "name", "answer", "denial"]

_AROUND = 3
"""The best sentences looked at, each with its neighbours, for the kind of answer that is asked for."""

_DIGITS = 3
"""A number of fewer digits is often written in words, or as part of a date: of 726 answerable questions that would lose four."""

_NAME_CHARS = 5
_LIKE = 0.75
"""difflib's ratio from which a name is one that the passages spell otherwise: "Superbowl" and "Super" have 0.71, "Celeron" and
"Celoron" 0.86."""

_COVERED = 0.8
"""A name is the point only where one sentence holds this share of the question's other words: then it speaks of somebody else. At .6 the
rule loses 1.4 % of answerable Japanese questions, at .8 0.2 %."""

_TOKEN = re.compile(r"[A-Za-z0-9][\w./+#-]*[\w+#]|[A-Za-z0-9]", re.ASCII)
_JOINTS = re.compile(r"[^\w.]+")
_COMPOUND = re.compile(r"-[a-z]{4,}$", re.IGNORECASE)
"""Rad53-dependent speaks of Rad53."""
_WORD_AND_NUMBER = re.compile(r"[A-Za-z]{6}")
"""interleukin-2 is a word, which texts write in other ways (IL-2); a code has few letters."""
_DECADE = re.compile(r"(\d{3}0)(?:s|年代)")
_KATAKANA = re.compile("[ァ-ヴー]{3,}(?:・[ァ-ヴー]+)*")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_CAPITALISED = re.compile(r"[A-Z][a-z][^\W\d_]*")
_BETWEEN = frozenset("of the de van von la du der".split())  # noqa: SIM905  (inside a name)
_NO_NAMES = frozenset("english european western eastern northern southern american british french german latin internet".split())  # noqa: SIM905

_NEGATED = re.compile(
    r"(?!.*\b(?:if|when|why|without|unless|because|how)\b)(?=.*\b(?:who|whom|whose|what|which|where)\b).*(?:\b(?:not|never|cannot)\b|n't\b)"
)
"""A question for what is not so. Not "why does it not start?", which a sentence about starting answers."""
_DENIES = re.compile(
    r"\b(?:not?|nor|never|none|nothing|nobody|neither|cannot|without|except|exclud\w+|fail\w*|refus\w*|lack\w*|avoid\w*|prevent\w*|"
    r"forb[ia]d\w*|prohibit\w*|bann?\w*|den(?:y|ied|ies|ial)|reject\w*|oppos\w*|rarely|seldom|hardly|absen\w+|instead|rather|only|unless|"
    r"against|missing|few|little|un(?:able|likely|willing|known|clear|successful\w*|related)|impossible|improper\w*|in(?:capable|ability|"
    r"valid|correct\w*|sufficient\w*)|dis(?:allow|continu|abl|agree)\w*|illegal\w*|illicit|stop\w*|other than|apart from|free of|out of|"
    r"away)\b|n't\b"
)


@dataclass(frozen=True)
class Lack:
    """`words` are what is missing, in the question's own words; for a kind of answer its name, in the question's language.

    `partly`: others of that kind are there.
    """

    kind: LackKind
    words: str
    partly: bool = False


def lacking(question: str, passages: Sequence[Passage], *, given: str = "") -> list[Lack]:
    """What the passages (at least one) lack, likeliest first; empty where nothing speaks against an answer.

    `given` are words of the question that the passages need not hold, such as the period that was searched.
    """
    asked = _folded(question)
    held = _folded("\n".join(_all_of(passage) for passage in passages))
    around = _folded("\n".join(_best_parts(question, passages)))
    codes = _codes_in(asked)
    found = [_codes(codes, held), _numbers(_without(asked, codes), held, _folded(given)), _names(asked, held, passages)]
    return [lack for lack in (*found, _kind_of_answer(asked, around), _denial(asked, around)) if lack is not None]


def _folded(text: str) -> str:
    return fold(text)


def _all_of(passage: Passage) -> str:
    """All that a passage says of itself, its date and its source's name included."""
    return "\n".join([passage["title"], passage["document"], *passage["heading_path"], passage.get("modified") or "", passage["text"]])


def _best_parts(question: str, passages: Sequence[Passage]) -> list[str]:
    """The units that share most words with the question, each with its neighbours; the better passage's first among equals."""
    words = set(query_words(question))
    cut = [(passage["text"], units(passage["text"])) for passage in passages]
    ranked = sorted(
        (-len(words.intersection(analyse(text[unit.start : unit.end]))), number, place)
        for number, (text, parts) in enumerate(cut)
        for place, unit in enumerate(parts)
    )
    return [_with_neighbours(*cut[number], place) for _, number, place in ranked[:_AROUND]]


def _with_neighbours(text: str, parts: Sequence[Unit], place: int) -> str:
    return text[parts[max(0, place - 1)].start : parts[min(len(parts) - 1, place + 1)].end]


def _lack(kind: LackKind, wanted: Sequence[str], missing: Sequence[str]) -> Lack | None:
    return Lack(kind, ", ".join(missing), partly=len(missing) < len(wanted)) if missing else None


def _codes_in(asked: str) -> list[str]:
    tokens = (_COMPOUND.sub("", token) for token in _TOKEN.findall(asked))
    return [token for token in dict.fromkeys(tokens) if re.search(r"\d", token) and has_code(token) and not _WORD_AND_NUMBER.search(token)]


def _without(asked: str, codes: Sequence[str]) -> str:
    for code in codes:
        asked = asked.replace(code, " ")
    return asked


def _codes(codes: Sequence[str], held: str) -> Lack | None:
    """A product's or an error's code stands in a text as it is, or is not there: XR-4300 is not XR-4200."""
    if not codes:
        return None
    text = held.casefold()
    plain = _JOINTS.sub("", text)
    return _lack("code", codes, [code for code in codes if not _holds_code(code.casefold(), text, plain)])


def _holds_code(code: str, text: str, plain: str) -> bool:
    """With or without its hyphens; or as its family, which has no number: YAP1 as YAP, FoxO3a as FOXO3."""
    family = re.match(r"[a-z]{3,}\d*?(?=\d[a-z]?$|(?<=\d)[a-z]$)", code)
    named = family is not None and re.search(rf"(?<![a-z\d]){re.escape(family[0])}(?![-\d]*\d)", text) is not None
    return code in text or _JOINTS.sub("", code) in plain or named


def _numbers(asked: str, held: str, given: str) -> Lack | None:
    wanted = sorted(number for number in numbers(asked, spoken=False) if len(number.replace(".", "")) >= _DIGITS)
    if not wanted:
        return None
    known = numbers(held) | numbers(given)
    decades = {number for number in _DECADE.findall(asked) if any(year.startswith(number[:-1]) for year in known)}
    return _lack("number", wanted, [number for number in wanted if number not in known | decades])


def _names(asked: str, held: str, passages: Sequence[Passage]) -> Lack | None:
    """A name that is nowhere, where one sentence holds nearly all else. Names are written otherwise in another language's script."""
    language = language_of(asked)
    names = _japanese_names(asked) if language == "ja" else _capitalised_names(asked) if language == "en" else []
    if not names or all(language_of(passage["text"]) != language for passage in passages):
        return None
    words, forms = set(analyse(held)), set(re.findall(r"[^\W\d_]+", held.casefold()))
    missing = [" ".join(name) for name in names if not any(_is_held(part, held, words, forms) for part in name)]
    return _lack("name", missing, missing) if missing and _share(asked, missing, passages) >= _COVERED else None


def _japanese_names(asked: str) -> list[list[str]]:
    return [name.split("・") for name in _KATAKANA.findall(asked)]


def _capitalised_names(asked: str) -> list[list[str]]:
    """Runs of capitalised words, each long enough to be told from a common one; the first word of the question is none."""
    names: list[list[str]] = [[]]
    for token in asked.split()[1:]:
        word = re.sub(r"'s?$", "", _EDGES.sub("", token))
        if _CAPITALISED.fullmatch(word):
            names[-1].append(word)
        elif names[-1] and word not in _BETWEEN:
            names.append([])
        if names[-1] and token[-1] in ",;:":
            names.append([])
    return [name for name in names if name and all(len(word) >= _NAME_CHARS and word.casefold() not in _NO_NAMES for word in name)]


def _is_held(name: str, held: str, words: set[str], forms: set[str]) -> bool:
    if not name.isascii():
        return name.rstrip("ー") in held
    stems = query_words(name)
    return all(any(_same_stem(stem, word) for word in words) for stem in stems) or bool(
        difflib.get_close_matches(name.casefold(), forms, n=1, cutoff=_LIKE)
    )


def _same_stem(stem: str, word: str) -> bool:
    """American and America, Norman and Normandy."""
    return word == stem or (len(stem) > 3 and word.startswith(stem[: max(4, len(stem) - 3)]))


def _share(asked: str, names: Sequence[str], passages: Sequence[Passage]) -> float:
    """The largest share of the question's other words that one unit holds together with its title and headings."""
    without = {word for name in names for word in query_words(name)}
    words = [word for word in query_words(asked) if word not in without]
    held = [
        {*analyse(passage["text"][unit.start : unit.end]), *analyse("\n".join([passage["title"], *passage["heading_path"]]))}
        for passage in passages
        for unit in units(passage["text"])
    ]
    return max((sum(word in own for word in words) / len(words) for own in held if words), default=0.0)


def _kind_of_answer(asked: str, around: str) -> Lack | None:
    kind = asked_kind(asked)
    if kind is None or holds_kind(around, kind, numbers(asked)):
        return None
    return Lack("answer", kind.named["ja" if language_of(asked) == "ja" else "en"])


def _denial(asked: str, around: str) -> Lack | None:
    """A question for what is not so, where no sentence near speaks of what is not so: it only says what is."""
    denied = language_of(asked) == "en" and _NEGATED.match(asked.casefold()) and not _DENIES.search(around.casefold())
    return Lack("denial", "what is not so") if denied else None
