"""How a walk changes a ranking: by how much, how far, and how it is told."""

import pytest
from turns import passage

from retrievers.lifting import lifted
from retrievers.ranking import Ranking
from retrievers.store.expanding import Around
from retrievers.types import Collection, EmbeddingSpec

SPEC = EmbeddingSpec(model="m", dims=2, max_tokens=9, absolute_weight=0.15, no_answer=0.88, unrelated=0.74)


def collection(chunks: int = 1000) -> Collection:
    return Collection(1, 1, "c", SPEC, 1, "tadori-2", "absolute", None, 0.88, Ranking(), chunks, 10 * chunks)


def near(id: str, *entities: str, adds: float = 0.0, titled: bool = False, count: int = 2) -> Around:
    return Around(id, titled, adds, [*entities], [name.title() for name in entities], [False] * len(entities), [count] * len(entities))


PLAIN = [
    passage("film", absolute=0.95, title="Salt Road", document="film.md"),
    passage("noise", absolute=0.86),
    passage("life", absolute=0.8),
]


def order(result) -> list[str]:
    return [found["id"] for found in result]


@pytest.mark.rule("kg")
def test_a_passage_that_shares_a_name_with_the_best_passes_one_that_does_not():
    """kg: and the best stays the best."""
    found = lifted(PLAIN, [], [near("film", "ada fenn"), near("life", "ada fenn", adds=0.3)], collection(), 10)
    assert order(found) == ["film", "life", "noise"]
    assert found[1]["path"] == [{"entity": "Ada Fenn", "id": "film", "document": "film.md", "title": "Salt Road"}]


@pytest.mark.rule("kg")
def test_the_lift_is_a_share_of_the_way_from_unrelated_to_an_answer():
    """kg: the whole of it (.7 of .14) for the rank of the walk's first and a third of the question's words."""
    found = lifted(PLAIN, [], [near("film", "ada fenn"), near("life", "ada fenn", adds=0.3)], collection(), 10)
    assert found[1]["lifted"] == pytest.approx(0.8 + 0.7 * 0.14)
    third = lifted(PLAIN, [], [near("film", "ada fenn"), near("life", "ada fenn", adds=0.0)], collection(), 10)
    assert {each["id"]: each.get("lifted") for each in third}["life"] == pytest.approx(0.8 + 0.3 * 0.7 * 0.14)


@pytest.mark.rule("kg")
def test_nothing_is_lifted_above_the_best():
    """kg: whatever the walk says."""
    plain = [passage("film", absolute=0.95), passage("life", absolute=0.94)]
    found = lifted(plain, [], [near("film", "ada fenn"), near("life", "ada fenn", adds=1.0)], collection(), 10)
    assert order(found) == ["film", "life"]
    assert found[1]["score"] == pytest.approx(0.95 - 0.007 * 0.14)


@pytest.mark.rule("kg")
def test_what_the_search_missed_comes_in_with_its_own_score():
    """kg: reached by the graph alone."""
    found = lifted(PLAIN[:2], [PLAIN[2]], [near("film", "ada fenn"), near("life", "ada fenn", adds=0.3)], collection(), 2)
    assert order(found) == ["film", "life"]
    assert found[1]["absolute"] == 0.8


@pytest.mark.rule("kg")
def test_a_title_that_the_question_names_is_a_path_of_its_own():
    """kg: no passage comes before it."""
    found = lifted(PLAIN, [], [near("film", "x"), near("life", "x", titled=True)], collection(), 10)
    path = next(each["path"] for each in found if each["id"] == "life")
    assert path == [{"entity": "Operations", "id": None, "document": None, "title": None}]


def test_without_a_neighbourhood_nothing_moves():
    assert lifted(PLAIN, [], [], collection(), 2) == PLAIN[:2]
    assert lifted([], [], [], collection(), 2) == []
    assert lifted(PLAIN, [], [near("film"), near("noise")], collection(), 3) == PLAIN
