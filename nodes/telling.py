"""Tells whoever listens to a run each claim of the answer as soon as it is complete and stands in its passage.

Shared ground of generate and drafting: the events of LangGraph's `custom` stream. The answer itself comes last, as ever.
"""

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import ValidationError

from nodes.evidence import attributed, check
from nodes.records import Claim
from nodes.replies import entries_so_far
from nodes.safety import harmless, unseen_removed, web_address
from retrievers.passages import part_at
from retrievers.types import Passage

Read = Callable[[dict[str, Any]], Claim | None]
"""One entry of the model's list as a claim; None for one without words."""


class Teller:
    """Each claim once, in the order in which they are complete; none that its passage does not bear out."""

    def __init__(self, write: Callable[[Any], None], passages: Sequence[Passage], question: str) -> None:
        self._write, self._passages, self._question = write, passages, question
        self._told: set[str] = set()

    @property
    def is_heard(self) -> bool:
        """Whether somebody listens. The writer of a run that is not streamed does nothing, and holds on to nothing."""
        return getattr(self._write, "__closure__", self) is not None

    def hear(self, said: str, read: Read) -> None:
        """Tell what is complete in a reply that is still being said."""
        for entry in entries_so_far(said):
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
            if finding.verdict == "unsupported":
                continue
            self._told.add(claim["text"])
            passage = self._passages[(claim["passage"] or 1) - 1]
            part = part_at(passage, finding.start)
            self._write(
                {
                    "claim": harmless(claim["text"], passage["text"]),
                    "quote": passage["text"][finding.start : finding.end],
                    "document": passage["document"],
                    "title": unseen_removed(passage["title"]),
                    "heading_path": [unseen_removed(heading) for heading in part["heading_path"]],
                    "page": part["page"],
                    "url": web_address(passage["url"]),
                }
            )
