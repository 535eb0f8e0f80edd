"""The section of docs/benchmarks.md about the knowledge graph."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.bench._plots import bars
from tests.bench._tables import conditions, table

WAYS = {
    "both": "tadori, search and graph",
    "as routed": "tadori, the graph where the router chooses it",
    "graph alone": "tadori, what the walk reached alone",
    "hybrid": "tadori, the search alone",
    "lancedb hybrid": "lancedb 0.40 hybrid",
}
MEASURES = {"recall@5": "recall@5", "recall@10": "recall@10", "all_gold@10": "all gold in 10", "ndcg@10": "nDCG@10"}
ABOUT = (
    "The graph is built by rules, without a model, from the passages that the search has; passages, questions and vectors as under "
    "*Ranking*, as shipped. In multihop every question takes two to four passages; in the others one, and the graph must do no harm. "
    "*As routed*: the questions that the router takes for nested go through the graph, all others through the search alone, those with "
    "several parts, which a turn takes apart, among them."
)
STAGES = {"search": "the search before the walk", "graph": "the walk: neighbourhood, scores of what is new, ranking"}


def graph(found: Mapping, pictures: str) -> Iterator[str]:
    """What the graph adds, what it costs, and how long a walk takes."""
    yield from ("## Knowledge graph", "", f"{conditions(found)}. {ABOUT}", "")
    if sets := found.get("sets"):
        yield from (f"![all gold passages in ten, and nDCG@10]({pictures}/graph.svg)", "")
        for name, entry in sets.items():
            head = [f"{name}, {entry['questions']} questions", *MEASURES.values()]
            rows = [[title, *(f"{entry['ways'][way][key]:.3f}" for key in MEASURES)] for way, title in WAYS.items() if way in entry["ways"]]
            yield from table(head, rows)
        rows = [[name, *built(entry["build"]), f"{entry['walked']:.0%}"] for name, entry in sets.items()]
        yield from table(["built from", "passages", "names", "relations", "seconds", "questions walked"], rows)
    for size in found.get("sizes", {}).values():
        passages = f"{size['build']['chunks']:,} passages"
        rows = [[title, *(f"{size['stages'][stage][share]:.1f}" for share in ("p50", "p95"))] for stage, title in STAGES.items()]
        yield from table([f"{passages}, ms (load {size['load'][0]})", "p50", "p95"], rows)
        build = size["build"]
        kept = f"{build['names']:,} mentions and {build['relations']:,} relations, {build['mb']:,.0f} MB with their indexes"
        yield f"Its graph: {kept}, read and stored in {build['seconds']:,.0f} s."
        yield ""


def built(build: Mapping) -> list[str]:
    """The columns of what was read."""
    return [f"{build['chunks']:,}", f"{build['names']:,}", f"{build['relations']:,}", f"{build['seconds']:.0f}"]


def draw_graph(found: Mapping, folder: Path) -> None:
    """Every way on every collection."""
    if sets := found.get("sets"):
        groups = [f"{name}\n{title}" for name in sets for title in ("all gold in 10", "nDCG@10")]
        series = {
            title: [entry["ways"][way][key] for entry in sets.values() for key in ("all_gold@10", "ndcg@10")]
            for way, title in WAYS.items()
            if all(way in entry["ways"] for entry in sets.values())
        }
        bars(folder / "graph.svg", groups, series, "share, and nDCG@10")
