"""Makes docs/benchmarks.md and its pictures from the result files that the benchmarks leave.

`python -m tests.bench.page [--results FOLDER] [--page FILE]`; what was not measured is left out.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.bench._graph_page import draw_graph, graph
from tests.bench._plots import bars
from tests.bench._results import RESULTS, read_results
from tests.bench._tables import conditions, table
from tests.bench.gate import MOST_MS
from tests.bench.peers import CROSSED, MEASURES, best_depth, macro, systems_in_order
from tests.bench.search_latency import quietest

PAGE = RESULTS.parent / "benchmarks.md"
DRAWN = ("default", "plain", "lancedb", "langchain_postgres", "bm25s")
"""The systems of the picture."""
STAGES = {
    "lexical": "words",
    "vector": "vectors",
    "hybrid": "both, fused",
    "hybrid, plain": "the same without windows and neighbouring words",
    "hybrid, one in ten": "both, through a filter that keeps a tenth",
    "whole": "question to prompt, with its embedding",
    "usual": "the usual way",
}


RANKING = (
    "Given vectors: every system gets the same embeddings of passages and questions (multilingual-e5-small, 384 dimensions, made "
    "beforehand from the shipped weights), each document being one passage. *As shipped* is the product's own search with a new "
    "collection's settings; *plain absolute fusion* is BM25 over its bound plus cosine and nothing else. No reranker and no model. "
    "All dev questions; documents are ranked. Each system is asked for ten and for a hundred hits, and the depth at which it ranks "
    "the first ten better over the six collections is shown; recall@100 is of the hundred. Every mean was computed twice, by our own "
    "metrics and by ir-measures."
)
LATENCY = (
    "Passages are recombined: the first half of one and the second half of another of the same collection, cut where a sentence ends; "
    "the vector lies between those of the two, with noise of length 0.2, and windows lie around it. They are stored by the product's own "
    "writer and searched as "
    "the application's role with row-level security on, ten hits a search, one search at a time. The stages use given vectors; "
    "*question to prompt* is the product's own path from the question to the prompt's context: it embeds each question with the "
    "shipped model, none of them asked before. *The usual way*: the same words in a tsvector, OR of all words of the question ranked "
    "by ts_rank_cd over a GIN index, HNSW over the same vectors, reciprocal ranks fused in SQL, as the tables' owner without "
    "policies. Of each question all are asked in turn. Milliseconds."
)

ANSWERS = (
    "`tadori eval --ask` over collections of the product's own ingestion, without a chat model and without the web: the first dev "
    "questions and the unanswerable ones of each kind. [What the columns are](evaluating.md)."
)
KINDS = ("answerable", "out_of_corpus", "adversarial")
RATES = ["collection", "asked of each kind", "answered", "cited gold", *(f"abstained, {kind}" for kind in KINDS), "failed"]
AIMS = "Aims without a model: cited gold at least .85, abstained out of corpus at least .90, abstained answerable at most .05."
TURN = {
    "whole": "whole, searches and all",
    "without_searches": "less its searches",
    "without_embedding": "less the embedding of its sentences too: the graph itself",
}
CALLS = (
    "Calls of a chat model and tokens over the same questions and the same five passages. *The usual shape* grades each passage in a call "
    "of its own, writes, and checks the draft in two more; its router's call is left out. `oracle` makes no mistake, so that nothing goes "
    "round twice; its tokens are those of the embedding model's tokenizer, those of other models their server's."
)
MODEL = "With {model}, {seconds} s a question on these cores, and the same questions without it:"
HOW = {"with": "with it", "without": "without"}
SHAPES = {"ours": "ours", "usual": "the usual shape"}


def page(results: Mapping[str, Mapping], pictures: str) -> Iterator[str]:
    """The lines of the page."""
    yield "# Benchmarks"
    yield ""
    yield "Made by `make bench` (`python -m tests.bench.page`) from the figures in `docs/benchmarks/`; not edited by hand."
    yield ""
    for name, section in SECTIONS.items():
        if results[name]:
            yield from section(results[name], pictures)


def ranking(found: Mapping, pictures: str) -> Iterator[str]:
    """How well ours and the peers rank."""
    names = list(found["collections"])
    six = [name for name in names if name != CROSSED]
    systems = systems_in_order(found)
    yield from ("## Ranking", "", f"{conditions(found)}. {RANKING}", "", f"![nDCG@10 by collection]({pictures}/ranking.svg)", "")
    for measure in MEASURES:
        rows = [ranked(entry, names, six, measure) for entry in systems]
        yield from table([measure.replace("ndcg", "nDCG").replace("mrr", "MRR"), *names, "mean of six" if len(six) == 6 else "mean"], rows)
    if CROSSED in names:
        yield f"`{CROSSED}`: English questions over Chinese passages, not in the mean."
        yield ""
    yield from setup(systems, found)


def ranked(entry: Mapping, names: Sequence[str], six: Sequence[str], measure: str) -> list[str]:
    """A system's row."""
    depth = depth_of(entry, six, measure)
    each = [f"{entry['figures'][name][depth][measure]:.3f}" for name in names]
    return [entry["title"], *each, f"{macro(entry['figures'], six, depth, measure):.4f}"]


def depth_of(entry: Mapping, six: Sequence[str], measure: str) -> str:
    """Which of its rankings counts."""
    return "100" if measure == "recall@100" else best_depth(entry["figures"], six)


def setup(systems: Sequence[Mapping], found: Mapping) -> Iterator[str]:
    """The collections, and how the peers were set up."""
    counts = [[name, entry["language"], str(entry["documents"]), str(entry["questions"])] for name, entry in found["collections"].items()]
    yield from table(["collection", "language", "documents", "questions"], counts)
    for entry in systems:
        if entry["notes"]:
            yield f"- **{entry['title']}**: {' '.join(entry['notes'])}"
    yield ""


def latency(found: Mapping, pictures: str) -> Iterator[str]:
    """How fast the searches are."""
    sizes = sorted(found["sizes"].values(), key=lambda size: size["chunks"])
    when = conditions(found | {"load": quietest(sizes[-1])["load"]})
    yield from (
        "## Speed of a search",
        "",
        f"{when}. {LATENCY}",
        "",
        f"![p50 and p95 of ours and the usual way]({pictures}/latency.svg)",
        "",
    )
    for size in sizes:
        yield from speeds(size)
    if len(sizes) > 1:
        yield growth(sizes)
        yield ""


def speeds(size: Mapping) -> Iterator[str]:
    """One size: every pass, and the bounds at 10,000."""
    head = [f"{size['chunks']:,} chunks"]
    for number, run in enumerate(size["passes"], 1):
        head += [f"p50, pass {number} (load {run['load'][0]})", "p95"]
    rows = [
        [title, *(f"{run['stages'][stage][share]:.1f}" for run in size["passes"] for share in ("p50", "p95"))]
        for stage, title in STAGES.items()
    ]
    rows.append(
        ["both, fused, over plain fusion", *(f"{run['ratio_to_plain'][share]} x" for run in size["passes"] for share in ("p50", "p95"))]
    )
    rows.append(["the usual way over both, fused", *(f"{run['ratio'][share]} x" for run in size["passes"] for share in ("p50", "p95"))])
    yield from table(head, rows)
    if size["chunks"] == 10_000:
        bounds = ", ".join(f"{STAGES[stage]} {most}" for stage, most in MOST_MS.items())
        yield f"What `make gate` asks of p95 at this size: {bounds}."
        yield ""
    more = size["insert"]
    yield (
        f"{size['filling']['words_per_chunk']} distinct words a chunk. {more['chunks']:,} chunks more, with their vectors given: "
        f"{more['seconds']} s to put in, {more['delete_s']} s to take out again (load {more['load'][0]})."
    )
    yield ""


def growth(sizes: Sequence[Mapping]) -> str:
    """From the smallest to the largest."""
    small, large = (quietest(size)["stages"] for size in (sizes[0], sizes[-1]))
    times = [
        f"{STAGES[stage]} {large[stage]['p50'] / small[stage]['p50']:.1f} / {large[stage]['p95'] / small[stage]['p95']:.1f}"
        for stage in STAGES
    ]
    return f"Times as long with {sizes[-1]['chunks'] // sizes[0]['chunks']} times the chunks, p50 / p95: {'; '.join(times)}."


def indexing(found: Mapping, pictures: str) -> Iterator[str]:
    """How fast documents come in."""
    yield "## Indexing"
    yield ""
    yield f"{conditions(found)}. The product's own path: reading, cutting, embedding with the shipped model, storing."
    yield ""
    rows = [
        [name, *(f"{row[key]:,}" for key in ("documents", "chunks", "seconds", "chunks_per_s")), f"{row['embedder_share']:.0%}"]
        for name, row in found["ingestion"].items()
    ]
    yield from table(["documents", "number", "chunks", "seconds", "chunks a second", "share of the embedder"], rows)


def vector_indexes(found: Mapping, pictures: str) -> Iterator[str]:
    """What the kinds of vector index find, through filters too."""
    yield "## Kinds of vector index"
    yield ""
    yield f"{conditions(found)}. {found['about']}"
    yield ""
    yield from table(found["head"], found["rows"])


def bm25_identity(found: Mapping, pictures: str) -> Iterator[str]:
    """Whether the lexical arm is BM25."""
    yield from (
        "## BM25 beside bm25s",
        "",
        f"{conditions(found)}. The product's statement in mode lexical and bm25s on the same words.",
        "",
    )
    rows = [
        [name, *(f"{entry[key]}" for key in ("questions", "identical")), f"{entry['largest_difference']:.1e}"]
        for name, entry in found["sets"].items()
    ]
    yield from table(["collection", "questions", "same ten best, ties aside", "largest difference of a score"], rows)


def answers(found: Mapping, pictures: str) -> Iterator[str]:
    """Who is answered, from the right document, and what an answer costs."""
    yield from ("## Answers", "", f"{conditions(found)}. {ANSWERS}", "", f"![rates by collection]({pictures}/ask.svg)", "")
    if rates := found.get("answers"):
        yield from table(RATES, [rates_row(name, entry) for name, entry in rates.items()])
        yield AIMS
        yield ""
        causes = [
            f"{name}: {', '.join(f'{cause} {count}' for cause, count in entry['causes'].items()) or 'none'}"
            for name, entry in rates.items()
        ]
        yield f"Answerable questions that were not answered from their document, by [cause](evaluating.md): {'; '.join(causes)}."
        yield ""
    if times := found.get("overhead"):
        rows = [[title, *(f"{times[stage][share]:.1f}" for share in ("p50", "p95"))] for stage, title in TURN.items()]
        yield f"Milliseconds of a turn without a model, {times['turns']} questions, load average {times['load'][0]}:"
        yield ""
        yield from table(["of a turn", "p50", "p95"], rows)
    yield from spending(found)


def rates_row(name: str, entry: Mapping) -> list[str]:
    """A collection's row."""
    shares = [
        entry["answered"],
        entry["cited_gold"],
        *(entry["abstained"][kind] for kind in ("answerable", "out_of_corpus", "adversarial")),
    ]
    asked = " / ".join(str(entry["asked"].get(kind, 0)) for kind in ("answerable", "out_of_corpus", "adversarial"))
    return [name, asked, *("-" if share is None else f"{share:.3f}" for share in shares), str(len(entry["failed"]))]


def spending(found: Mapping) -> Iterator[str]:
    """Model calls and tokens, and the rates with a real model."""
    shapes = {key: found[key] for key in ("calls", "model_calls") if key in found}
    if shapes:
        yield CALLS
        yield ""
        rows = [spent_row(entry, shape) for entry in shapes.values() for shape in ("ours", "usual")]
        yield from table(["per answered question", "answered", "calls", "tokens"], rows)
    if model := found.get("model"):
        yield MODEL.format(model=model["model"], seconds=model["seconds"])
        yield ""
        rows = [rates_row(f"{name}, {how}", entry[key]) for name, entry in model["sets"].items() for key, how in HOW.items()]
        yield from table(RATES, rows)


def spent_row(entry: Mapping, shape: str) -> list[str]:
    """One shape with one model."""
    figures = entry[shape]
    means = ["-" if figures[key] is None else f"{figures[key]:,.1f}" for key in ("calls", "tokens")]
    return [f"{SHAPES[shape]}, {entry['model']}", f"{figures['answered']} of {entry['questions']}", *means]


def draw(results: Mapping[str, Mapping], folder: Path) -> None:
    """The pictures of what was measured."""
    if found := results["peers"]:
        names = list(found["collections"])
        six = [name for name in names if name != CROSSED]
        entries = [found["systems"][name] for name in DRAWN if name in found["systems"]]
        shown = [entry for entry in entries if all(name in entry["figures"] for name in names)]
        series = {entry["title"]: [entry["figures"][name][depth_of(entry, six, "ndcg@10")]["ndcg@10"] for name in names] for entry in shown}
        bars(folder / "ranking.svg", names, series, "nDCG@10")
    if found := results["graph"]:
        draw_graph(found, folder)
    if found := results["latency"]:
        sizes = sorted(found["sizes"].values(), key=lambda size: size["chunks"])
        groups = [f"{size['chunks']:,} chunks, {share}" for size in sizes for share in ("p50", "p95")]
        both = {"tadori": "hybrid", "OR ts_rank_cd + HNSW + RRF": "usual"}
        series = {
            title: [quietest(size)["stages"][stage][share] for size in sizes for share in ("p50", "p95")] for title, stage in both.items()
        }
        bars(folder / "latency.svg", groups, series, "ms, logarithmic", log=True)
    if rates := results["ask"].get("answers"):
        kinds = {"cited gold": "cited_gold", "answered": "answered"}
        series = {title: [entry[key] for entry in rates.values()] for title, key in kinds.items()}
        series |= {f"abstained, {kind}": [entry["abstained"][kind] or 0.0 for entry in rates.values()] for kind in KINDS}
        bars(folder / "ask.svg", [*rates], series, "share of the questions")


SECTIONS = {
    "peers": ranking,
    "graph": graph,
    "latency": latency,
    "indexing": indexing,
    "vector_indexes": vector_indexes,
    "bm25_identity": bm25_identity,
    "ask": answers,
}
"""The result files and what is made of them, in the page's order."""


def main() -> None:
    """Parse, draw, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the result files")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page")
    options = parser.parse_args()
    results = {name: read_results(options.results / f"{name}.json") for name in SECTIONS}
    draw(results, options.results)
    options.page.write_text("\n".join(page(results, options.results.name)).rstrip() + "\n", "utf-8")


if __name__ == "__main__":
    main()
