"""A walk over a knowledge graph in memory: the rules' own names and the real ranking, over a handful of passages.

For tests of nodes and graphs that need no database; the neighbourhood is everything.
"""

from collections import Counter
from dataclasses import dataclass, replace

from retrievers.entities import GraphText
from retrievers.lifting import lifted
from retrievers.ranking import Ranking
from retrievers.store.expanding import Around
from retrievers.text.analysis import ANALYSER, analyse, query_words
from retrievers.text.language import language_of
from retrievers.text.names import names, names_in_question
from retrievers.types import Collection, SearchResult
from tests.memory_search import MemorySearch, Text


@dataclass
class MemoryWalk(MemorySearch):
    """Finds what MemorySearch finds, and what shares a name with it."""

    async def search(self, query, *, k=10, **arguments) -> SearchResult:
        result = await super().search(query, k=len(self.texts), **arguments)
        plain = result["passages"]
        spec = replace(self.embedder.spec, no_answer=result["no_answer"])
        made = Collection(1, 1, "default", spec, 1, ANALYSER, "absolute", None, spec.no_answer, Ranking(), len(self.texts), 1)
        return {**result, "passages": lifted(plain, [], self._around(query, plain[0]["id"]), made, k)}

    def _around(self, query: str, best: str) -> list[Around]:
        asked, words = set(names_in_question(query)), set(query_words(query))
        found = {f"{text.document}#{text.start}": (text, _names(text, asked)) for text in self.texts}
        counts = Counter(key for _, held in found.values() for key in held)
        seen = words & set(analyse(self._indexed(found[best][0])))
        around = []
        for name, (text, held) in found.items():
            shared = {key: spelling for key, spelling in held.items() if counts[key] > 1}
            adds = len((words & set(analyse(self._indexed(text)))) - seen) / max(1, len(words))
            numbers = [counts[key] for key in shared]
            around.append(Around(name, False, adds, [*shared], [*shared.values()], [False] * len(shared), numbers))
        return around


def _names(text: Text, asked: set[str]) -> dict[str, str]:
    read = names(GraphText(0, text.title, tuple(text.headings), text.text, language_of(text.text)))
    return {name.key: name.text for name in read.names if name.key not in asked}
