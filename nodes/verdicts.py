"""Reads yes and no the way models write them.

Shared ground of the nodes; pure.
"""

import re
import unicodedata
from typing import Annotated

from pydantic import BeforeValidator

_YES = frozenset("yes y true 1 relevant はい 有 有り あり ある 関連 関連あり 関連がある 関連する 該当 該当する 必要 是 そうです".split())  # noqa: SIM905
_NO = frozenset(
    "no n false 0 irrelevant いいえ いえ 無 無し なし ない 無関係 関連なし 関連がない 関連しない 該当しない 不要 否 違います".split()  # noqa: SIM905
)
_FIRST = re.compile(r"(yes|no|はい|いいえ)[,.、。,]", re.IGNORECASE)
"""Before a comma or a full stop the first word is the verdict: "Yes, it names the torque." But "No documents are needed" is none."""

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


def yes_or_no(value: object) -> bool:
    """The verdict that `value` means: `yes`, `"Yes."`, `true`, `はい` and their opposites. Raises ValueError for anything else.

    `bool("false")` is true, which is why this exists.
    """
    if isinstance(value, bool):
        return value
    text = unicodedata.normalize("NFKC", str(value)).casefold().strip()
    first = _FIRST.match(text)
    word = first[1] if first else _EDGES.sub("", text)
    if word in _YES:
        return True
    if word in _NO or word == "not relevant":
        return False
    raise ValueError(f"{value!r} is neither yes nor no")


Verdict = Annotated[bool, BeforeValidator(yes_or_no)]
"""A field of a reply's schema that takes any way of saying yes or no."""
