"""Whether a query that leaves the machine would carry words of the documents with it.

Shared ground of act; pure. A model that a document has talked round can do no more harm than the words it may send away.
"""

from collections.abc import Sequence

from retrievers.text.analysis import analyse, query_words
from retrievers.text.terms import content_terms
from retrievers.types import Passage

_BORROWED = 3
"""Terms that a web query may take from the documents: a product's name and what it is; more would be their text."""


def carries_away(query: str, said: Sequence[str], passages: Sequence[Passage]) -> str:
    """Why the query may not leave, or nothing. `said` is what the user wrote; a web page's words are public already.

    Terms of the documents that the user did not write may be few, and none with a digit or an @ in it: numbers, codes and addresses
    are what is worth stealing.
    """
    own = set(analyse("\n".join(said)))
    held = {word for passage in passages if passage["origin"] != "web" for word in analyse(f"{passage['title']}\n{passage['text']}")}
    foreign = [term for term in content_terms(query) if _from(term, held) and not set(query_words(term)) <= own]
    told = [term for term in foreign if any(character.isdigit() or character == "@" for character in term)]
    if told:
        return f"{told[0]!r} stands in the documents and not in the question: it must not leave them"
    if len(foreign) > _BORROWED:
        return f"{len(foreign)} of its words stand in the documents and not in the question: search for what the user asked"
    return ""


def _from(term: str, held: set[str]) -> bool:
    words = query_words(term)
    return bool(words) and held.issuperset(words)
