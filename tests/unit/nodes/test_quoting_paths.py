"""The extractive answer to a question of two steps: where the step leads, and what stands there."""

import pytest
from turns import passage

from nodes.quoting_paths import quote_path
from retrievers.providers.fakes import HashEmbedder

QUESTION = "In which town was the director of The Salt Road born?"
FILM = passage(
    "film", "The Salt Road is about a ferry. It was directed by Ada Fenn. It is long.", title="The Salt Road", document="film.md"
)
PATH = [{"entity": "Ada Fenn", "id": "film", "document": "film.md", "title": "The Salt Road"}]
LIFE = passage("life", "Ada Fenn was born in the town of Oxmere. She kept bees.", title="Ada Fenn", document="life.md", path=PATH)


@pytest.mark.rule("kg")
async def test_the_step_and_where_it_leads_are_quoted():
    """kg: the sentence with the name between both passages, then the one that answers."""
    claims, failure = await quote_path(QUESTION, [FILM, LIFE], HashEmbedder(), seconds=None)
    assert failure is None
    assert [(claim["passage"], claim["quote"]) for claim in claims] == [
        (1, "It was directed by Ada Fenn."),
        (2, "Ada Fenn was born in the town of Oxmere."),
    ]


@pytest.mark.rule("kg")
async def test_a_passage_that_adds_nothing_asked_for_is_no_step():
    """kg: that it shares a name says little by itself."""
    bees = passage("bees", "Ada Fenn kept bees.", title="Bees", document="bees.md", path=PATH)
    assert await quote_path(QUESTION, [FILM, bees], HashEmbedder(), seconds=None) == ([], None)


async def test_without_a_path_there_is_no_step():
    assert await quote_path(QUESTION, [FILM], HashEmbedder(), seconds=None) == ([], None)


async def test_a_path_from_a_passage_that_was_not_kept_is_no_step():
    assert await quote_path(QUESTION, [LIFE], HashEmbedder(), seconds=None) == ([], None)
