"""The analysers by name: a collection keeps the one that it was made with, so that documents and queries are cut alike for good.

Used by ingestion and the searches; each analyser proves itself once before its first use.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

from retrievers.errors import ConfigurationError, MissingExtra, StorageError
from retrievers.text import analysis
from retrievers.text.analysis import ANALYSER
from retrievers.text.stopwords import is_function_word
from retrievers.types import Collection

SUDACHI = f"{ANALYSER}+sudachi"
"""The same, and Sudachi's words of Japanese text beside them."""

ANALYSERS = (ANALYSER, SUDACHI)


@cache
def default_analyser() -> str:
    """What a new collection is made with: the fullest that is installed."""
    return SUDACHI if all(map(find_spec, ("sudachipy", "sudachidict_core"))) else ANALYSER


@dataclass(frozen=True)
class Analyser:
    """`words` cuts a document, repeats kept; `query_words` a query: distinct, function words left out, empty when nothing else is asked."""

    name: str
    words: Callable[[str], list[str]]
    query_words: Callable[[str], list[str]]


@cache
def analyser(name: str) -> Analyser:
    """The analyser of that name, proven. Raises ConfigurationError for an unknown one or one that fails, MissingExtra without Sudachi."""
    if name not in ANALYSERS:
        raise ConfigurationError(f"analyser {name!r} is not known: set TADORI_ANALYSER to {' or '.join(ANALYSERS)}")
    functions = (_sudachi_words, _sudachi_query_words) if name == SUDACHI else (analysis.analyse, analysis.query_words)
    made = Analyser(name, *functions)
    self_test(made)
    return made


def analyser_of(collection: Collection) -> Analyser:
    """The analyser that the collection was made with; raises StorageError or MissingExtra with what to do where it is not here."""
    if collection.analyser not in ANALYSERS:
        raise StorageError(
            f"the words of collection {collection.name!r} were cut by the analyser {collection.analyser!r}, "
            f"which this version does not have: run `tadori reindex --words --collection {collection.name}`"
        )
    try:
        return analyser(collection.analyser)
    except MissingExtra as exc:
        raise MissingExtra(f"collection {collection.name!r}, whose words were cut by {collection.analyser!r},", "japanese") from exc


def _sudachi_words(text: str) -> list[str]:
    from retrievers.text.morphology import morphemes

    return analysis.analyse(text) + morphemes(text)


def _sudachi_query_words(text: str) -> list[str]:
    from retrievers.text.morphology import morphemes

    added = [word for word in morphemes(text) if not is_function_word(word)]
    return list(dict.fromkeys([*analysis.query_words(text), *added]))


_MUST_FIND = (
    ("XR-4200", "XR-4200のトルク仕様は12Nmです"),
    ("xr4200", "ＸＲ－４２００のトルク仕様"),
    ("トルク", "XR-4200のトルク仕様は12Nmです"),
    ("ﾄﾙｸ", "XR-4200のトルク仕様は12Nmです"),
    ("金曜", "アレックスは共同創業者で、毎週金曜に打ち合わせがある"),
    ("アレックスとの予定は？", "アレックスは共同創業者で、毎週金曜に打ち合わせがある"),
    ("サーバ", "サーバーを再起動する"),
    ("部署", "go 部署 deployment"),
    ("deployments", "go 部署 deployment"),
    ("記憶", "記憶 システム"),
    ("システム", "記憶 システム"),
    ("定時", "cron 定時"),
    ("cron", "cron 定時"),
    ("数据库", "我们使用数据库存储文本"),
    ("검색", "문서를 검색합니다"),
    ("ModuleNotFoundError", "raise ModuleNotFoundError(name)"),
    ("module not found", "raise ModuleNotFoundError(name)"),
    ("15.2.1", "since version 15.2.1"),
)

_SUDACHI_WORDS = (("打合せ", "打ち合わせ"), ("走った", "走る"), ("サーバ", "サーバー"))
"""Written variants and inflections, and the word that Sudachi makes of them and the plain cut does not."""


def self_test(given: Analyser) -> None:
    """Raise ConfigurationError when a query that must find its text does not, or when function words alone would match."""
    for query, text in _MUST_FIND:
        if not set(given.query_words(query)) & set(given.words(text)):
            raise _failure(given, f"does not find {query!r} in {text!r}")
    for query in ("What is it?", "それは何ですか", "这是什么"):
        if matched := set(given.query_words(query)) & set(given.words("It is what it is. それは本です。 这是书。")):
            raise _failure(given, f"matches {sorted(matched)} for {query!r}")
    for text, word in _SUDACHI_WORDS if given.name == SUDACHI else ():
        if not (word in given.query_words(text) and word in given.words(text)):
            raise _failure(given, f"does not make {word!r} of {text!r}")


def _failure(given: Analyser, what: str) -> ConfigurationError:
    parts = "tadori and pystemmer" if given.name == ANALYSER else "tadori, pystemmer, sudachipy and sudachidict-core"
    return ConfigurationError(f"the analyser {given.name!r} {what}: reinstall {parts}")
