"""Entities and relations by a chat model: several texts a call, answered by number, beside those that the rules find.

An adapter of the EntityExtractor protocol; chosen by `TADORI_GRAPH=chat`. How the model is asked is given: the prompt and the ways of
getting JSON stand on the floor above.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace

from retrievers.entities import EntityExtractor, Extraction, GraphText
from retrievers.errors import ProviderError, ProviderRateLimited, ProviderRejected
from retrievers.grounding import grounded
from retrievers.providers.limiting import AT_ONCE
from retrievers.providers.spending import Purse
from retrievers.said import ExtractionReport, Most, Said, SaidText, TextReader
from retrievers.text.clean import clean
from retrievers.text.fit import fitted

TEXTS = 4
"""In one call: what a model says of one has up to 900 tokens, and its reply 4096."""
PROMPT_TOKENS = 3000
"""Of the texts of one call together: small models read more than that badly."""
TEXT_TOKENS = 1024
"""Of one text: twice what a chunk has. What is said of a text's end is lost where it has more."""

DOWN = 3
"""Failures in a row after which the provider is taken to be down, and no text to be what it fails at."""
_TRIES = 3
_WAIT_S = 10.0
_LONGEST_WAIT_S = 120.0
"""A provider that wants to be left alone for longer ends the work: it is taken up again later."""
_ABOUT_THE_TEXT = (400, 413, 422)
"""Statuses by which a provider refuses what it was given; every other rejection would meet the next text too."""
_SAID_CHARS = 80


class ChatExtractor:
    """The rules' extraction and, from the model, what is found in the text word for word.

    A text of which the model said nothing that can be read keeps the rules' names, with the reason in `failed`. When a limit is reached,
    or the provider fails, the texts from the first unread one on are left out of what `extract` returns.
    """

    def __init__(
        self,
        reader: TextReader,
        rules: EntityExtractor,
        *,
        name: str,
        count: Callable[[str], int],
        most: Most | None = None,
        at_once: int = AT_ONCE,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.report = ExtractionReport()
        self._reader = reader
        self._rules = rules
        self._name = name
        self._count = count
        self._most = most or Most()
        self._at_once = at_once
        self._sleep = sleep
        self._failure: ProviderError | None = None

    @property
    def name(self) -> str:
        return f"chat-1:{self._name}+{self._rules.name}"

    async def extract(self, texts: Sequence[GraphText]) -> list[Extraction]:
        """In order, as far as the texts were read: none where the limit is used up. Raises ProviderError where the provider failed
        before the first of them, or had ended the call before this one."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        ruled = await self._rules.extract(texts)
        reading = _Reading(self._reader, self.report, self._most, self._sleep, await asyncio.to_thread(self._cut, texts))
        await reading.run(list(_batches(reading.texts, self._count)), self._at_once)
        found = await asyncio.to_thread(self._found, texts, ruled, reading)
        self._failure = reading.failure
        if reading.failure is not None and not found:
            self._failure = None
            raise reading.failure
        return found

    def _cut(self, texts: Sequence[GraphText]) -> list[GraphText]:
        return [replace(text, text=fitted(clean(text.text).text, TEXT_TOKENS, self._count)) for text in texts]

    def _found(self, texts: Sequence[GraphText], ruled: Sequence[Extraction], reading: "_Reading") -> list[Extraction]:
        found: list[Extraction] = []
        for index, (text, base) in enumerate(zip(texts, ruled, strict=True)):
            if index in reading.said:
                found.append(grounded(text, base, reading.said[index], self.report.dropped))
            elif index in reading.failed:
                found.append(replace(base, failed=reading.failed[index]))
                self.report.failed += 1
            else:
                break
        self.report.texts += len(found)
        return found


def _batches(texts: Sequence[GraphText], count: Callable[[str], int]) -> Iterator[list[int]]:
    """Indexes of neighbours that go into one call."""
    batch: list[int] = []
    room = PROMPT_TOKENS
    for index, text in enumerate(texts):
        tokens = count(text.text)
        if batch and (len(batch) == TEXTS or tokens > room):
            yield batch
            batch, room = [], PROMPT_TOKENS
        batch.append(index)
        room -= tokens
    if batch:
        yield batch


class _Reading:
    """The asking for one sequence of texts. Afterwards each text's index is in `said`, or in `failed` with the reason, or was not read."""

    def __init__(
        self,
        reader: TextReader,
        report: ExtractionReport,
        most: Most,
        sleep: Callable[[float], Awaitable[None]],
        texts: Sequence[GraphText],
    ) -> None:
        self.texts = texts
        self.said: dict[int, SaidText] = {}
        self.failed: dict[int, str] = {}
        self.failure: ProviderError | None = None
        self._stopped = False
        self._reader = reader
        self._report = report
        self._purse = Purse(most, report.spent)
        self._sleep = sleep
        self._lapse: ProviderError | None = None
        self._in_a_row: list[list[int]] = []

    async def run(self, batches: Sequence[list[int]], at_once: int) -> None:
        """The first call of all is made alone: it shows what the model can do, and whether the key is accepted."""
        waiting = iter(batches)
        if not self._report.spent["calls"] and (first := next(waiting, None)) is not None:
            await self._read(first)
        await asyncio.gather(*(self._work(waiting) for _ in range(at_once)))
        if self._lapse is not None and not self.said and self._lapse.transient:
            self._stop(str(self._lapse), self._lapse)

    async def _work(self, waiting: Iterator[list[int]]) -> None:
        while not self._stopped and (batch := next(waiting, None)) is not None:
            await self._read(batch)

    async def _read(self, batch: list[int]) -> None:
        """Texts that a call left without an answer are asked for once more, each by itself: a longer loop would not end."""
        unread = await self._asked(batch)
        if len(batch) > 1:
            again = [await self._asked([index]) for index in unread if not self._stopped]
            unread = {index: reason for reasons in again for index, reason in reasons.items()}
        if not self._stopped:
            self.failed.update(unread)

    async def _asked(self, batch: list[int]) -> dict[int, str]:
        """Those of the batch that it brought no answer for, with the reason."""
        texts = [self.texts[index] for index in batch]
        async with self._purse.share(self._reader.tokens(texts)) as share:
            if self._stopped:
                return {}
            if share is None:
                self._stop(self._purse.used_up())
                return {}
            try:
                said = await self._patiently(texts, share)
            except ProviderError as exc:
                return self._not_answered(batch, exc)
            self._purse.pay(said.spent)
        return self._answered(batch, said)

    async def _patiently(self, texts: Sequence[GraphText], share: Most) -> Said:
        """Waits where the provider asks for more patience than one call has."""
        for _ in range(_TRIES - 1):
            try:
                return await self._reader.read(texts, share)
            except ProviderRateLimited as exc:
                wait = _WAIT_S if exc.retry_after_s is None else exc.retry_after_s
                if wait > _LONGEST_WAIT_S:
                    raise
                await self._sleep(wait)
        return await self._reader.read(texts, share)

    def _not_answered(self, batch: list[int], exc: ProviderError) -> dict[int, str]:
        self._purse.pay({"calls": 1, "input_tokens": 0, "output_tokens": 0})
        self._lapse = exc
        about_the_text = isinstance(exc, ProviderRejected) and exc.status in _ABOUT_THE_TEXT
        if not (about_the_text and self._report.spent["output_tokens"]):
            self._in_a_row.append(batch)
        final = isinstance(exc, ProviderRateLimited | ProviderRejected) and not about_the_text
        if final or len(self._in_a_row) >= DOWN:
            self._stop(str(exc), exc)
        return dict.fromkeys(batch, str(exc))

    def _answered(self, batch: list[int], said: Said) -> dict[int, str]:
        self._in_a_row.clear()
        if said.texts is None and said.cut:
            # Not the model's fault: the limit left no room for a whole reply.
            self._stop(self._purse.used_up())
            return {}
        if said.texts is None:
            self._report.unreadable += 1
            return dict.fromkeys(batch, f"the model's reply cannot be read, it begins with {said.said[:_SAID_CHARS]!r}")
        alone = len(batch) == 1
        numbered = [(1 if entry.number is None and alone else entry.number or 0, entry) for entry in said.texts]
        times = Counter(number for number, _ in numbered)
        for number, entry in numbered:
            if not 1 <= number <= len(batch) or times[number] > 1:
                self._report.dropped["number that fits no text"] += 1
            else:
                self.said[batch[number - 1]] = entry
        return {index: "the model's reply leaves it out" for index in batch if index not in self.said}

    def _stop(self, reason: str, failure: ProviderError | None = None) -> None:
        """No further call. What the provider failed at last was not the texts' fault, so they count as unread."""
        if self._stopped:
            return
        self._stopped = True
        self._report.stopped = reason
        self.failure = failure
        for index in [index for batch in self._in_a_row for index in batch]:
            self.failed.pop(index, None)
