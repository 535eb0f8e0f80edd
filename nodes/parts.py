"""Tells a part of a question in the words that the user wrote.

Shared ground of cite; pure. A part that was made to be searched for is often no sentence that a user would know.
"""

import unicodedata
from collections.abc import Sequence

from retrievers.text.terms import content_terms


def as_asked(part: str, parts: Sequence[str], question: str) -> str:
    """The part where the question holds it, or where it is a question of its own; else what only it has of the parts, as it was asked.

    Empty where the question holds no such words in one piece.
    """
    if part.rstrip().endswith(_ENDS) or _folded(part).rstrip("?.。") in _folded(question):
        return part
    others = {term.casefold() for other in parts if other != part for term in content_terms(other)}
    own = [term for term in content_terms(part) if term.casefold() not in others and term in part]
    if not own:
        return ""
    piece = part[part.index(own[0]) : part.rindex(own[-1]) + len(own[-1])]
    return piece if _folded(piece) in _folded(question) else ""


_ENDS = ("?", "？", "か", "か。")


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
