"""Keeps what a model wrote about a question, so that the same question does not cost the call again.

Shared ground of decompose and hyde; in this process, for each model apart, the latest questions only. What is kept was made from the
question alone: no document and no conversation is in it.
"""

from collections import OrderedDict
from weakref import WeakKeyDictionary

from nodes.structured import Decider

MOST = 512
"""Questions for each model: some hundred kilobytes."""

_KEPT: WeakKeyDictionary[Decider, OrderedDict[tuple[str, str], tuple[str, ...]]] = WeakKeyDictionary()


def recalled(chat: Decider, step: str, question: str) -> tuple[str, ...]:
    """What was kept; empty where nothing was."""
    kept = _KEPT.get(chat)
    if kept is None or (step, question) not in kept:
        return ()
    kept.move_to_end((step, question))
    return kept[step, question]


def remember(chat: Decider, step: str, question: str, texts: tuple[str, ...]) -> None:
    """Keep the texts; the question that was asked longest ago makes room."""
    kept = _KEPT.setdefault(chat, OrderedDict())
    kept[step, question] = texts
    kept.move_to_end((step, question))
    while len(kept) > MOST:
        kept.popitem(last=False)
