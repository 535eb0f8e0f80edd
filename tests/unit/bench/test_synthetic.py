"""Recombined passages: what the figures of speed are measured on."""

import numpy as np

from graphs.evals.cases import Cases
from retrievers.text.analysis import analyse
from tests.bench._collections import Row, TestCollection
from tests.bench._synthetic import parts, passages

TEXTS = (
    "The pump runs at night. It stops at noon.",
    "Each gate has two keys. The guard keeps one of them.",
    "雨の日は門を閉めます。鍵は守衛が持ちます。",
)


def collection():
    vectors = np.eye(len(TEXTS), dtype=np.float32)
    rows = tuple(Row(f"d{place}", f"Title {place}", text, vectors[place]) for place, text in enumerate(TEXTS))
    return TestCollection("small", rows, Cases((), ()), {})


def test_a_passage_is_cut_at_the_sentence_end_nearest_its_middle():
    """Two whole sentences, none of them torn."""
    cut = parts(Row("d", "Pump", TEXTS[0], np.ones(3, np.float32)))
    assert (cut.first.text, cut.second.text) == ("The pump runs at night.", "It stops at noon.")


def test_the_words_of_a_recombined_passage_are_those_of_its_text():
    """They are added up from the parts; what the product's analyser finds in the whole is the same, in the same order."""
    for row in passages([collection()], 20):
        assert list(row.words) == analyse(f"{row.title}\n{row.text}")


def test_recombined_passages_are_the_same_every_time():
    """With vectors of unit length, and sources that another seed does not repeat."""
    once, again, other = (list(passages([collection()], 5, seed)) for seed in (1, 1, 2))
    assert [row.text for row in once] == [row.text for row in again]
    assert np.allclose([np.linalg.norm(row.vector) for row in once], 1.0)
    assert not {row.source for row in once} & {row.source for row in other}
