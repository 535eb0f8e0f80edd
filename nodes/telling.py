"""Tells whoever listens to a run each claim of the answer as soon as it is complete and stands in its passage.

Shared ground of generate and drafting: the events of LangGraph's `custom` stream. The answer itself comes last, as ever.
"""

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import ValidationError

from nodes.evidence import about_question, attributed, check
from nodes.records import Claim
from nodes.replies import entries_so_far
from nodes.safety import harmless, unseen_removed, web_address
from retrievers.passages import part_at
from retrievers.types import Passage

MOST_CLAIMS = 12
"""The prompt asks for five; a model that does not stop is cut here."""

Read = Callable[[dict[str, Any]], Claim | None]
"""One entry of the model's list as a claim; None for one without words."""


class Teller:
    """Each claim once, in the order in which they are complete; none that its passage does not bear out. `said` is all that was heard."""

    def __init__(self, write: Callable[[Any], None], passages: Sequence[Passage], question: str) -> None:
        self._write, self._passages, self._question = write, passages, question
        self._told: dict[str, str] = {}
        self.said = ""

    @property
    def is_heard(self) -> bool:
        """Whether somebody listens. The writer of a run that is not streamed does nothing, and holds on to nothing."""
        return getattr(self._write, "__closure__", self) is not None

    def hear(self, said: str, read: Read) -> None:
        """Tell what is complete in a reply that is still being said."""
        new = said[len(self.said) :] if said.startswith(self.said) else said
        self.said = said
        if "}" not in new:
            return
        for entry in entries_so_far(said, MOST_CLAIMS):
            try:
                claim = read(entry)
            except ValidationError:
                continue
            if claim is not None:
                self.tell([claim])

    def tell(self, claims: Sequence[Claim]) -> None:
        """Tell those that were not told yet."""
        for claim in attributed([claim for claim in claims if claim["text"] not in self._told], self._passages, self._question):
            finding = check(claim, self._passages, self._question)
            if finding.verdict == "unsupported" or about_question(claim, self._passages, self._question):
                continue
            passage = self._passages[(claim["passage"] or 1) - 1]
            part = part_at(passage, finding.start)
            shown = harmless(claim["text"], passage["text"])
            self._told[claim["text"]] = shown
            self._write(
                {
                    "claim": shown,
                    "quote": passage["text"][finding.start : finding.end],
                    "document": passage["document"],
                    "title": unseen_removed(passage["title"]),
                    "heading_path": [unseen_removed(heading) for heading in part["heading_path"]],
                    "page": part["page"],
                    "url": web_address(passage["url"]),
                }
            )

    def settle(self, claims: Sequence[Claim]) -> None:
        """These are the answer: take back what was told and is none of them, as `withdrawn` with the claim's words, and tell the rest."""
        final = {claim["text"] for claim in claims}
        for text in [text for text in self._told if text not in final]:
            self._write({"withdrawn": self._told.pop(text)})
        self.tell(claims)
