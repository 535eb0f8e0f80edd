"""Finds the exact terms of a question: what documents hold letter by letter, if they hold it at all.

Shared ground of gate, route and hyde; pure.
"""

import re

from retrievers.text.terms import has_code

_EXACT = re.compile(
    r"[\"“「『][^\"”」』]{2,}[\"”」』]|\b(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])[\w.-]+\b|\b[A-Z]{2,}[A-Z0-9_]*\b|\w+\(\)|\w+_\w+|`[^`]+`",
    re.ASCII,
)
"""Quoted words, codes such as XR-4200, constants and function names."""

_NAME = re.compile(r"(?<!^)(?<![.?!:]\s)\b[A-Z][a-z]+")
_LATIN_AMONG = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]\s*[A-Za-z]{2,}|[A-Za-z]{2,}\s*[\u3041-\u30ff\u4e00-\u9fff]")


def exact_terms(question: str) -> list[str]:
    """Quoted words, codes, constants and function names, in order."""
    return _EXACT.findall(question)


def is_specific(question: str) -> bool:
    """Whether the question holds an exact term, a number or a name: then its own words find what it asks for."""
    return (
        bool(exact_terms(question))
        or has_code(question)
        or re.search(r"\d", question) is not None
        or _NAME.search(question) is not None
        or _LATIN_AMONG.search(question) is not None
    )
