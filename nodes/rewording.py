"""Rewords a question with what the documents hold, and tells whether a passage still answers the question that was asked.

Shared ground of rewrite and grade; pure. It is the policy without a chat model.
"""

import difflib
from collections.abc import Sequence

from retrievers.text.analysis import analyse, query_words
from retrievers.text.terms import content_terms, has_code
from retrievers.types import CorpusHints, Passage

OWN_WORDS = 0.8
"""Share of the question's own words that a passage must hold when only a reworded query found it. Rewording leaves out the very words
that the documents lack, so its scores rise for questions that they do not answer: without this share 239 of 406 such questions would
be answered wrongly, at 0.7 two, at 0.8 none, while 6 of 1,628 answerable ones are found that were not (squad2 and jsquad)."""

_RARE_TERMS = 4
"""The rarest words of a question say what it is about; beyond four they are its grammar."""

_HEADINGS = 2
"""More headings than this pull the query away from the question."""

_SPELLING = 0.8
"""difflib's ratio from which two words are one, misspelt: "torqe" and "torque" have 0.91, "return" and "turn" 0.8 only just."""

_SPELT_CHARS = 4
"""Shorter words are too near to each other."""


def by_corpus(question: str, hints: CorpusHints, missing: str = "") -> list[str]:
    """Queries made of the question and of what the collection holds, likeliest first.

    First what is missing of the question's own words, with its rarest others; then its words, misspelt ones corrected after the
    headings, without those that the documents lack; then its rarest words with the nearest headings. Nothing where the documents lack
    more than a fifth of the question's words, or all that is missing: what is left would ask for something else.
    """
    counts = {entry["word"]: entry["df"] for entry in hints["words"]}
    spelt = [_spelt(term, counts, hints["headings"]) for term in content_terms(question)]
    known = [term for term, frequency in spelt if frequency > 0]
    lacked = [entry for entry, term in zip(spelt, content_terms(question), strict=True) if _is_in(term, missing)]
    wanted = [term for term, frequency in lacked if frequency > 0]
    if not known or len(known) / len(spelt) < OWN_WORDS or (lacked and not wanted):
        return []
    rare = {term for term, _ in sorted((entry for entry in spelt if entry[1] > 0), key=lambda entry: entry[1])[:_RARE_TERMS]}
    aimed = [" ".join([*wanted, *(term for term in known if term in rare and term not in wanted)])] if wanted else []
    return [*aimed, " ".join(known), " ".join([*(term for term in known if term in rare), *hints["headings"][:_HEADINGS]])]


def _is_in(term: str, missing: str) -> bool:
    """Whether what is missing names this term of the question: a whole one, so that "a number" is none of its words."""
    return term.casefold() in (other.casefold() for other in content_terms(missing))


def own_words(question: str, query: str, passage: Passage) -> float:
    """Share of the question's words that the passage holds, title and headings included; in 0-1, 0 for a question without words.

    A word that `query` spells correctly counts where the passage holds the correct spelling.
    """
    words, reworded = query_words(question), query_words(query)
    held = set(analyse("\n".join([passage["title"], *passage["heading_path"], passage["text"]])))
    return sum(word in held or not held.isdisjoint(_near(word, reworded)) for word in words) / len(words) if words else 0.0


def _spelt(term: str, counts: dict[str, int], headings: Sequence[str]) -> tuple[str, int]:
    """The term as the documents spell it, and how many chunks hold it; 0 where it is unknown.

    A Japanese compound is known by its pairs of characters: one character alone stands in too many words. A code is known as a whole:
    its parts stand in its neighbours too.
    """
    words = [word for word in query_words(term) if len(word) > 1 or len(term) == 1]
    words = words[:1] if has_code(term) else words
    frequency = max((counts.get(word, 0) for word in words), default=0)
    near = [] if frequency else _near(term.casefold(), [word.casefold() for heading in headings for word in content_terms(heading)])
    return (near[0], 1) if near else (term, frequency)


def _near(word: str, vocabulary: Sequence[str]) -> list[str]:
    """The word of the vocabulary that this one misspells, if any. A code or a number never does: XR-4300 is not XR-4200."""
    if len(word) < _SPELT_CHARS or not word.isalpha():
        return []
    return difflib.get_close_matches(word, vocabulary, n=1, cutoff=_SPELLING)
