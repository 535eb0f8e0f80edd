"""The factors after fusion, each on its own, and the order that they make."""

from datetime import UTC, datetime

import pytest

from retrievers.boosting import Boosts, boosted
from retrievers.ranking import Ranking
from retrievers.text.analysis import analyse, query_words

SHIPPED = Ranking()
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HALF_A_YEAR_AGO, TODAY, NEXT_YEAR = "2026-06-03T21:00:00+09:00", "2026-11-30T12:00:00+00:00", "2027-11-30T12:00:00+00:00"


def passage(number=1, score=0.9, **given):
    """A passage that nothing moves."""
    return {
        "id": f"p{number}",
        "document": "manual.md",
        "title": "",
        "heading_path": [],
        "page": None,
        "url": None,
        "origin": "person",
        "content_type": "text",
        "language": "en",
        "text": "The seal of the pump wears.",
        "start": 0,
        "end": 27,
        "token_count": 6,
        "metadata": {},
        "score": score,
        "absolute": score,
        "scores": {"bm25": 3.0, "cosine": 0.8, "fused": score, "near": 0.5},
        "ranks": {"lexical": 1, "vector": 2},
        "factors": {},
        "modified": None,
    } | given


def boosts(query="pump seals", *, technical=False, floor=0.5):
    return Boosts(frozenset(query_words(query)), technical, analyse, NOW, floor)


def moved(one, ranking=SHIPPED, **given):
    [found] = boosted([one], ranking, boosts(**given))
    return found["score"], found["factors"]


@pytest.mark.rule("pg-meta")
def test_a_title_with_every_word_of_the_query_counts_half_more():
    """pg-meta: 1.5, on what the score has above the level of unrelated pairs; a title with one of two words counts nothing."""
    assert moved(passage(title="Seals of a pump")) == (pytest.approx(0.5 + 0.4 * 1.5), {"title": 1.5})
    assert moved(passage(title="Pumps")) == (0.9, {})


@pytest.mark.rule("pg-meta", "cjk")
def test_a_japanese_title_is_cut_like_the_query():
    """pg-meta, cjk: every word of the question, as both are analysed, stands in the title."""
    assert moved(passage(title="ポンプ部品の交換手順"), query="部品の交換")[1] == {"title": 1.5}
    assert moved(passage(title="ポンプの点検手順"), query="部品の交換")[1] == {}


@pytest.mark.rule("pg-meta")
def test_headings_that_complete_the_title_count_a_little():
    """pg-meta: 1.15 where headings, or title and headings together, hold all words; never on top of the title's factor."""
    assert moved(passage(heading_path=["Care", "Pump seals"])) == (pytest.approx(0.5 + 0.4 * 1.15), {"heading": 1.15})
    assert moved(passage(title="Pump", heading_path=["Seals"]))[1] == {"heading": 1.15}
    assert moved(passage(title="Pump seals", heading_path=["Pump seals"]))[1] == {"title": 1.5}
    assert moved(passage(heading_path=["Seals"]))[1] == {}


def test_a_query_without_words_is_in_no_title():
    assert moved(passage(title="Anything", heading_path=["At all"]), query="?!") == (0.9, {})


@pytest.mark.rule("pg-meta")
def test_code_counts_when_the_query_is_technical_and_only_then():
    """pg-meta: 1.2 for code blocks; text on a technical query and code on a plain one stay."""
    assert moved(passage(content_type="code"), technical=True) == (pytest.approx(0.5 + 0.4 * 1.2), {"code": 1.2})
    assert moved(passage(content_type="code")) == (0.9, {})
    assert moved(passage(), technical=True) == (0.9, {})


@pytest.mark.rule("provenance")
def test_what_a_model_wrote_stands_below_what_a_person_wrote():
    """provenance: the same score otherwise; what the web gave is not derived."""
    found = boosted([passage(1, origin="model"), passage(2), passage(3, origin="web")], Ranking(), boosts())
    assert [(each["id"], each["factors"]) for each in found] == [("p2", {}), ("p3", {}), ("p1", {"derived": 0.9})]


@pytest.mark.rule("pg-meta")
def test_recency_halves_with_the_declared_half_life():
    """pg-meta: a fifth more today, a tenth 180 days ago; no date is neutral, the future is today; off without a half-life."""
    ranking = Ranking(half_life_days=180.0)
    dates = [TODAY, HALF_A_YEAR_AGO, None, NEXT_YEAR]
    assert [moved(passage(modified=date), ranking)[1].get("recency", 1.0) for date in dates] == pytest.approx(
        [1.2, 1.1, 1.0, 1.2], abs=1e-3
    )
    assert [moved(passage(modified=date))[1] for date in dates] == [{}, {}, {}, {}]


@pytest.mark.rule("pg-meta")
def test_factors_multiply_the_fused_score_and_never_an_arms():
    """pg-meta: two factors are multiplied; the arms' scores, the fused one and the absolute one stay what they were."""
    before = passage(title="Pump seals", origin="model")
    [after] = boosted([before], Ranking(), boosts())
    assert after["score"] == pytest.approx(0.5 + 0.4 * 1.5 * 0.9)
    assert after["factors"] == {"title": 1.5, "derived": 0.9}
    assert {**after, "score": 0, "factors": {}} == {**before, "score": 0, "factors": {}}
    assert before["factors"] == {}


@pytest.mark.rule("pg-meta")
def test_below_the_floor_no_raising_factor_lowers_and_no_lowering_one_lifts():
    """pg-meta: the distance to the floor shrinks by what raises and grows by what lowers; at the floor nothing moves."""
    assert moved(passage(score=0.2, title="Pump seals"))[0] == pytest.approx(0.5 - 0.3 / 1.5)
    assert moved(passage(score=0.2, origin="model"))[0] == pytest.approx(0.5 - 0.3 / 0.9)
    assert moved(passage(score=0.5, title="Pump seals"))[0] == 0.5


@pytest.mark.rule("T15", "pg-meta")
def test_reciprocal_ranks_begin_at_nought():
    """T15, pg-meta: with floor 0 the whole of a score near 0.016 is stretched, and orders as it should."""
    found = boosted([passage(1, 1 / 61), passage(2, 1 / 62, title="Pump seals")], Ranking(), boosts(floor=0.0))
    assert [each["id"] for each in found] == ["p2", "p1"]
    assert found[0]["score"] == pytest.approx(1.5 / 62)


def test_equal_scores_are_ordered_by_id_and_nothing_stays_nothing():
    found = boosted([passage(3), passage(1), passage(2)], Ranking(), boosts())
    assert [each["id"] for each in found] == ["p1", "p2", "p3"]
    assert boosted([], Ranking(), boosts()) == []
