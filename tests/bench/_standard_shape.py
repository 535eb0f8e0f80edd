"""The usual shape of a self-checking answer, to count its calls: each passage graded alone, the draft checked twice.

Follows the public adaptive and self-checking graphs step by step, with short prompts of ours and without their router, whose call
would be one more for each question. It searches with our search, so that both shapes read the same passages.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from langchain_core.messages import HumanMessage, SystemMessage

from nodes.records import Usage, add_usage, no_usage
from nodes.structured import Decider
from retrievers.types import Passage

GRADE = "You grade whether a document is relevant to a question. Answer yes or no, and nothing else."
WRITE = (
    "You answer a question from the context given, in three sentences at most. If it does not hold the answer, say that you do not know."
)
GROUNDED = "You grade whether an answer is grounded in a set of facts. Answer yes or no, and nothing else."
USEFUL = "You grade whether an answer resolves a question. Answer yes or no, and nothing else."
REWORD = "You rewrite a question so that a search finds better documents. Give the question, and nothing else."

MOST_STEPS = 25
"""Steps of the graph before its recursion limit ends it with an error: the framework's default, which the public graphs keep."""

Search = Callable[[str], Awaitable[Sequence[Passage]]]


@dataclass
class Turn:
    """What answering one question took; no answer means that the recursion limit was reached."""

    answer: str | None
    usage: Usage


async def answer(question: str, search: Search, chat: Decider) -> Turn:
    """Retrieve, grade one by one, rewrite while nothing is left, write, check; again where a check says no."""
    spent, asked, steps = no_usage(), question, 0

    async def say(role: str, text: str) -> str:
        nonlocal spent
        reply = await chat.say([SystemMessage(role), HumanMessage(text)])
        spent = add_usage(spent, reply.usage)
        return reply.value or ""

    while steps < MOST_STEPS:
        passages = await search(asked)
        steps += 2
        kept = [passage for passage in passages if _yes(await say(GRADE, f"Document:\n{text_of(passage)}\n\nQuestion: {asked}"))]
        if kept:
            facts = "\n\n".join(text_of(passage) for passage in kept)
            draft, steps = await _written(say, facts, asked, steps)
            if draft is not None and _yes(await say(USEFUL, f"Question: {asked}\n\nAnswer: {draft}")):
                return Turn(draft, spent)
        asked, steps = await say(REWORD, f"Question: {asked}"), steps + 1
    return Turn(None, spent)


async def _written(say: Callable[[str, str], Awaitable[str]], facts: str, asked: str, steps: int) -> tuple[str | None, int]:
    """A draft that is grounded, written anew as often as it is not; None at the limit."""
    while steps < MOST_STEPS:
        draft, steps = await say(WRITE, f"Context:\n{facts}\n\nQuestion: {asked}"), steps + 1
        if _yes(await say(GROUNDED, f"Facts:\n{facts}\n\nAnswer: {draft}")):
            return draft, steps
    return None, steps


def _yes(said: str) -> bool:
    """Whatever else a small model says counts as no."""
    return said.strip().lower().startswith("yes")


def text_of(passage: Passage) -> str:
    """As a prompt of this shape shows it."""
    return f"{passage['title']}\n{passage['text']}"
