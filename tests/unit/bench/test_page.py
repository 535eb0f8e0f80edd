"""The page of the benchmarks."""

from tests.bench._results import RESULTS, read_results
from tests.bench.page import PAGE, SECTIONS, page
from tests.bench.peers import best_depth, in_order


def test_the_page_is_what_the_results_make():
    """Nobody writes a figure by hand: `python -m tests.bench.page` makes this very page."""
    results = {name: read_results(RESULTS / f"{name}.json") for name in SECTIONS}
    assert PAGE.read_text("utf-8") == "\n".join(page(results, RESULTS.name)).rstrip() + "\n"


def test_the_page_names_no_place_of_the_machine():
    """The results and the page hold no path, host or user."""
    for path in (PAGE, *RESULTS.glob("*.json"), *RESULTS.glob("*.svg")):
        text = path.read_text("utf-8")
        assert not [word for word in ("/work", "/root", "/tmp", "/home", "localhost") if word in text], path


def test_a_system_is_shown_at_the_depth_that_suits_it():
    """The better of both rankings by the mean of nDCG@10, so that no peer is held to a depth that harms it."""
    figures = {
        "one": {"10": {"ndcg@10": 0.5}, "100": {"ndcg@10": 0.6}},
        "two": {"10": {"ndcg@10": 0.8}, "100": {"ndcg@10": 0.6}},
    }
    assert best_depth(figures, ["one", "two"]) == "10"
    assert best_depth(figures, ["one"]) == "100"


def test_collections_are_shown_in_one_order():
    """Whichever was measured first; one that is unknown is not shown."""
    assert list(in_order({"xquad_zh": {}, "scifact": {}, "other": {}})) == ["scifact", "xquad_zh"]
