"""Guesses what sort of thing a name names from the words in it, and knows the words that name nothing alone.

Pure; a table of cue words for the finders of names.
"""

from collections.abc import Sequence

from retrievers.entities import EntityKind


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_ORGANISATIONS = _words(
    "university college institute academy school company corporation inc ltd llc corp gmbh plc bank group agency ministry department "
    "bureau commission committee council association society foundation union federation league party church army navy force "
    "court parliament congress senate orchestra band records pictures studios press airlines airways railway museum library hospital "
    "centre center laboratory laboratories organization organisation club united fc team network authority board "
    "office"
)
_PLACES = _words(
    "city county town village island islands river lake mountain mountains mount park street road avenue square bridge airport station "
    "province state republic kingdom empire valley desert sea ocean bay cape coast peninsula castle palace stadium arena tower district "
    "region territory township"
)
_PLACES_FIRST = _words(
    "lake mount fort port cape north south east west northern southern eastern western new san santa saint st republic kingdom river"
)
_EVENTS = _words("war battle revolution olympics games cup championship championships festival conference treaty election crisis siege act")
_PEOPLE_FIRST = _words(
    "mr mrs ms dr prof sir king queen prince princess pope president emperor saint lord lady general captain senator professor"
)
_ORDINARY = _words(
    "river chapter section figure table part volume page appendix january internet english world war time times day year century people "
    "man woman men women north south east west northern southern eastern western act bill season episode album song film book series "
    "king queen prince princess president minister emperor lord lady sir general captain senator professor mayor governor pope "
    "secretary duke dukes earl count chief director manager journal critics government state crown legislation law justice "
    "member members number version question answer yes title name list note notes introduction overview references history summary"
)
GENERIC = (_ORGANISATIONS - {"united"}) | _PLACES | _EVENTS | _ORDINARY
"""Alone they name nothing: the University, the King."""


def kind_of(words: Sequence[str]) -> EntityKind:
    """By the first and last word; `name` where they say nothing."""
    if len(words) < 2:
        return "name"
    first, last = words[0].casefold().rstrip("."), words[-1].casefold().rstrip(".")
    if len(words) > 2 and first in ("the", "a", "an"):
        first = words[1].casefold().rstrip(".")
    if first in _PEOPLE_FIRST and "of" not in words:
        return "person"
    if last in _ORGANISATIONS or first in ("university", "bank", "institute", "ministry", "department", "bureau"):
        return "organisation"
    if last in _EVENTS or first in ("battle", "treaty", "siege"):
        return "event"
    return "place" if last in _PLACES or first in _PLACES_FIRST else "name"
