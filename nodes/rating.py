"""Asks a chat model to rate texts against a question, all in one call.

No step of the graph: graphs.wiring hands it to the reranker, which sits below the nodes and cannot see them.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, model_validator

from nodes.prompting import moment, prompt
from nodes.structured import Decider
from retrievers.relevance import Rated, Spent


class Rating(BaseModel):
    """One rating, by the passage's number. A score in words, or outside 0-10, is none."""

    id: int
    score: Annotated[float, Field(strict=True, ge=0, le=10)]


class Ratings(BaseModel):
    """What the model replies; a bare list is taken too."""

    ratings: list[Rating]

    @model_validator(mode="before")
    @classmethod
    def _wrapped(cls, value: Any) -> Any:
        return {"ratings": value} if isinstance(value, list) else value


async def rate(chat: Decider, question: str, texts: Sequence[str]) -> Rated:
    """The model's ratings as it gave them: which are missing or doubled is for the caller to see. Raises ProviderError."""
    now = moment(datetime.now().astimezone())
    reply = await chat.decide(prompt("rerank", now=now, passages=_fenced(texts), question=question), Ratings)
    ratings = None if reply.value is None else [(rating.id, rating.score) for rating in reply.value.ratings]
    usage = reply.usage
    spent = Spent(calls=usage["calls"], input_tokens=usage["input_tokens"], output_tokens=usage["output_tokens"])
    if usage["cost_usd"] is not None:
        spent["cost_usd"] = usage["cost_usd"]
    return Rated(ratings, reply.text, spent)


def _fenced(texts: Sequence[str]) -> str:
    """The texts numbered from 1, each between delimiters that no document can know."""
    code = secrets.token_hex(8)
    return "\n\n".join(f'<passage-{code} id="{number}">\n{text.strip()}\n</passage-{code}>' for number, text in enumerate(texts, 1))
